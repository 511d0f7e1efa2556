import type { Customer, OperatorCustomer, OperatorCustomerUpdate } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import type { Dictionary } from '../i18n/dictionary.ts';
import { reader } from '../session/reader.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { ifMatchOf } from '../session/versions.ts';
import type { Described } from '../ui/conflict.tsx';

/** A change of a customer, and the version that it starts from. */
export type CustomerUpdate = {
  readonly customer: Customer;
  readonly etag: string | null;
  readonly change: OperatorCustomerUpdate;
};

/** A change sends the `ETag` that it starts from, so that it does not overwrite a concurrent change. */
export function useCustomerUpdate(done: (customer: Customer) => void) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ customer, etag, change }: CustomerUpdate) =>
      reader().customers.update(customer.id, change, ifMatchOf(etag)),
    onSuccess: (customer) => done(customer),
    onSettled: (_answer, _error, { customer }) => refresh(['customer', customer.id], ['customers']),
  });
}

/** The fields of a customer, for a notice of conflict. Only the operator's has a BRP. */
export const describeCustomer =
  ({ activity: { members }, common, brp }: Dictionary) =>
  (customer: Customer | OperatorCustomer): Described => {
    const { balance_group: group, metadata } = customer;
    const entries = Object.entries(metadata).map(([key, value]) => [`${members.metadata} · ${key}`, value]);
    return {
      [members.name]: customer.name,
      ...('brp_id' in customer ? { [members.brp_id]: customer.brp_id } : {}),
      [members.status]: brp.customers.statuses[customer.status],
      [members.balance_group]: group ? `${group.eic}, ${common.tsos[group.tso]}` : '',
      ...Object.fromEntries(entries),
    };
  };
