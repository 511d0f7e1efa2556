import type { Customer, CustomerUpdate } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useMutation } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { reader } from '../session/reader.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { useToast } from '../ui/toast.tsx';

/** A change sends the `ETag` that it starts from, so that it does not overwrite a concurrent change. */
export function useCustomerUpdate(id: string, etag: string | null, done: (customer: Customer) => void) {
  const { t } = useI18n();
  const toast = useToast();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (change: CustomerUpdate) =>
      reader().customers.update(id, change, etag === null ? {} : { ifMatch: etag }),
    onSuccess: (customer) => done(customer),
    onError: (error) => {
      if (isProblem(error, 'precondition_failed')) toast(t.brp.customers.changedMeanwhile, 'warn');
    },
    onSettled: () => refresh(['customer', id], ['customers']),
  });
}
