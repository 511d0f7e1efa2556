import type { Customer, OperatorCustomerUpdate } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { reader } from '../session/reader.ts';
import { useRefresh } from '../session/use-refresh.ts';

export const ifMatchOf = (etag: string | null) => (etag === null ? {} : { ifMatch: etag });

/** A change sends the `ETag` that it starts from, so that it does not overwrite a concurrent change. */
export function useCustomerUpdate(id: string, etag: string | null, done: (customer: Customer) => void) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (change: OperatorCustomerUpdate) => reader().customers.update(id, change, ifMatchOf(etag)),
    onSuccess: (customer) => done(customer),
    onSettled: () => refresh(['customer', id], ['customers']),
  });
}
