import { hash } from 'node:crypto';
import type { Customer } from '@saldo/api';
import { formatInstant } from '../../domain/delivery-day.ts';
import { encodeId, ID_PREFIX } from '../../domain/id.ts';
import type { CustomerRow } from './store.ts';

export const wireCustomer = (row: CustomerRow): Customer => ({
  id: encodeId(ID_PREFIX.customer, row.id),
  name: row.name,
  status: row.status,
  balance_group: row.eic === null || row.tso === null ? null : { eic: row.eic, tso: row.tso },
  metadata: row.metadata,
  assigned_at: formatInstant(row.assigned_at),
  activated_at: row.activated_at === null ? null : formatInstant(row.activated_at),
  created_at: formatInstant(row.created_at),
});

/** A record that reads the same has the same tag, whichever process answers. */
export const customerTag = (row: CustomerRow): string =>
  `"${hash('sha256', JSON.stringify(wireCustomer(row)), 'base64url').slice(0, 22)}"`;
