import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { NewEvent } from '../events/store.ts';

/** The columns of a contract that the events of its transactions need. */
export type EventContract = { readonly id: string; readonly sellerBrp: number; readonly buyerBrp: number };

const TYPES = {
  created: 'transactions.created',
  corrected: 'transactions.corrected',
  invalidated: 'transactions.invalidated',
} as const;

export type SlotCounts = Readonly<Partial<Record<keyof typeof TYPES, number>>>;

/** One event per kind of change of a contract-day, for both BRPs. */
export function transactionEvents(
  { id, sellerBrp, buyerBrp }: EventContract,
  day: DeliveryDay,
  counts: SlotCounts,
): NewEvent[] {
  const tenants = [`brp/${sellerBrp}`, `brp/${buyerBrp}`] as const;
  const events: NewEvent[] = [];
  for (const change of ['created', 'corrected', 'invalidated'] as const) {
    const slots = counts[change] ?? 0;
    if (slots === 0) continue;
    const contractId = encodeId(ID_PREFIX.contract, id);
    const data = { object: 'transactions', contract_id: contractId, delivery_date: day, slots } as const;
    events.push({ type: TYPES[change], tenants, data });
  }
  return events;
}
