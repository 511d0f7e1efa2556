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
type Sides = { readonly sender: number; readonly receiver: number };

/** One event per kind of change of a contract-day, for the BRPs of all its sheets that are new or have changed. */
export function transactionEvents(
  contract: VolumeContract,
  day: DeliveryDay,
  sheets: readonly Sides[],
  counts: SlotCounts,
): NewEvent[] {
  const events: NewEvent[] = [];
  for (const change of ['created', 'corrected', 'invalidated'] as const) {
    const slots = counts[change];
    if (slots === 0) continue;
    const contractId = encodeId(ID_PREFIX.contract, contract.id);
    const data = { object: 'transactions', contract_id: contractId, delivery_date: day, slots } as const;
    events.push({ type: TYPES[change], tenants: tenantsOf(contract, sheets), data });
  }
  return events;
}

const ofBrp = ({ brpNo }: Party): Tenant => `brp/${brpNo}`;

/** Sheets of former parties concern the BRPs of those. */
function tenantsOf({ seller, buyer, former }: VolumeContract, sheets: readonly Sides[]): Tenant[] {
  if (former.length === 0) return [ofBrp(seller), ofBrp(buyer)];
  const positions = new Set(sheets.flatMap(({ sender, receiver }) => [sender, receiver]));
  return [seller, buyer, ...former].filter(({ positionNo }) => positions.has(positionNo)).map(ofBrp);
}
