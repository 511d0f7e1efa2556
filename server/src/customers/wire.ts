import type { Customer, OperatorCustomer } from '@saldo/api';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { CustomerRow } from './store.ts';

export const wireCustomer = (row: CustomerRow): Customer => ({
  id: encodeId(ID_PREFIX.customer, row.id),
  name: row.name,
  status: row.status,
  balance_group: row.eic === null || row.tso === null ? null : { eic: row.eic, tso: row.tso },
  metadata: row.metadata,
  assigned_at: formatInstant(row.assigned_at),
  activated_at: formatInstantOrNull(row.activated_at),
  created_at: formatInstant(row.created_at),
});

export const wireOperatorCustomer = (row: CustomerRow): OperatorCustomer => ({
  ...wireCustomer(row),
  brp_id: encodeId(ID_PREFIX.brp, row.brp_id),
});
