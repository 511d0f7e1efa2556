import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { NewEvent, Tenant } from '../events/store.ts';
import type { Party, VolumeContract } from './volume-contracts.ts';

const TYPES = {
  created: 'transactions.created',
  corrected: 'transactions.corrected',
  invalidated: 'transactions.invalidated',
} as const;

export type SlotCounts = Readonly<Record<keyof typeof TYPES, number>>;

/** The two sides of a sheet. */
type Sides = { readonly sender: Party; readonly receiver: Party };

/** One event per kind of change of a contract-day, for the BRPs of all its sheets that are new or have changed. */
export function transactionEvents(
  contract: VolumeContract,
  day: DeliveryDay,
  sheets: readonly Sides[],
  counts: SlotCounts,
): NewEvent[] {
  const tenants = sheets.flatMap(({ sender, receiver }): Tenant[] => [
    `brp/${sender.brpNo}`,
    `brp/${receiver.brpNo}`,
  ]);
  const events: NewEvent[] = [];
  for (const change of ['created', 'corrected', 'invalidated'] as const) {
    const slots = counts[change];
    if (slots === 0) continue;
    const contractId = encodeId(ID_PREFIX.contract, contract.id);
    const data = { object: 'transactions', contract_id: contractId, delivery_date: day, slots } as const;
    events.push({ type: TYPES[change], tenants, data });
  }
  return events;
}
