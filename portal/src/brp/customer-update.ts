import type { Customer, OperatorCustomerUpdate } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { useMutation } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { reader } from '../session/reader.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { useToast } from '../ui/toast.tsx';

export const ifMatchOf = (etag: string | null) => (etag === null ? {} : { ifMatch: etag });

/** Reports a concurrent change, and loads its result. */
export function useConflictToast(id: string) {
  const { t } = useI18n();
  const toast = useToast();
  const refresh = useRefresh();
  return (error: unknown) => {
    if (!isProblem(error, 'precondition_failed')) return;
    toast(t.brp.customers.changedMeanwhile, 'warn');
    void refresh(['customer', id], ['customers']);
  };
}

/** A change sends the `ETag` that it starts from, so that it does not overwrite a concurrent change. */
export function useCustomerUpdate(id: string, etag: string | null, done: (customer: Customer) => void) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (change: OperatorCustomerUpdate) => reader().customers.update(id, change, ifMatchOf(etag)),
    onSuccess: (customer) => done(customer),
    onError: useConflictToast(id),
    onSettled: () => refresh(['customer', id], ['customers']),
  });
}
