import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { changedMembers } from '../events/changed-members.ts';
import type { NewEvent } from '../events/store.ts';
import type { CustomerRow } from './store.ts';
import { wireOperatorCustomer } from './wire.ts';

export const assignedEvent = ({ id, brp_no: brpNo }: CustomerRow): NewEvent => ({
  type: 'customer.assigned',
  tenants: [`brp/${brpNo}`],
  data: { object: 'customer', id: encodeId(ID_PREFIX.customer, id) },
});

/** The former BRP gets an event too: from now on the customer is unknown to it. */
export function customerUpdateEvents(before: CustomerRow, after: CustomerRow): NewEvent[] {
  const changed = changedMembers(wireOperatorCustomer(before), wireOperatorCustomer(after));
  if (changed.length === 0) return [];
  const data = { object: 'customer', id: encodeId(ID_PREFIX.customer, after.id) } as const;
  const type = 'customer.updated';
  if (before.brp_no === after.brp_no)
    return [{ type, tenants: [`brp/${after.brp_no}`], data: { ...data, changed } }];
  const left: NewEvent = { type, tenants: [`brp/${before.brp_no}`], data: { ...data, changed: ['brp_id'] } };
  return [left, assignedEvent(after)];
}
