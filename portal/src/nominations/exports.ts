import type { Nomination } from '@saldo/api';
import { dayOf, formatInstant, slotLabel } from '@saldo/core/delivery-day.ts';
import { formatMwh, kwFromKwh, kwhFromMatchedKw } from '@saldo/core/energy.ts';
import type { CsvColumn } from '../ui/csv.ts';
import { type NominatedSlot, slotsOf } from './nominated-slots.ts';

/** A quarter-hour of a nomination: one line of the file. */
export type NominationLine = { readonly nomination: Nomination; readonly slot: NominatedSlot };

/** Three decimals, as the API's nominations have them. */
const matchedMwh = (kw: number | null) => (kw === null ? null : formatMwh(kwhFromMatchedKw(kw)));

export const NOMINATION_COLUMNS: readonly CsvColumn<NominationLine>[] = [
  { name: 'nomination_id', value: ({ nomination }) => nomination.id },
  { name: 'version', value: ({ nomination }) => nomination.version },
  { name: 'status', value: ({ nomination }) => nomination.status },
  { name: 'eic', value: ({ nomination }) => nomination.eic },
  { name: 'tso', value: ({ nomination }) => nomination.tso },
  { name: 'direction', value: ({ nomination }) => nomination.direction },
  { name: 'counterparty_eic', value: ({ nomination }) => nomination.counterparty.eic },
  { name: 'delivery_date', value: ({ slot }) => dayOf(slot.start) },
  { name: 'slot_number', value: ({ slot }) => slot.slot },
  { name: 'local_time', value: ({ slot }) => slotLabel(slot.start) },
  { name: 'delivery_start', value: ({ slot }) => formatInstant(slot.start) },
  { name: 'amount_mwh', value: ({ slot }) => formatMwh(slot.amountKwh), isDecimal: true },
  { name: 'amount_mw', value: ({ slot }) => formatMwh(kwFromKwh(slot.amountKwh)), isDecimal: true },
  { name: 'matched_amount_mwh', value: ({ slot }) => matchedMwh(slot.matchedKw), isDecimal: true },
];

export async function* linesOf(
  nominations: AsyncIterable<Nomination> | Iterable<Nomination>,
): AsyncGenerator<NominationLine, void, undefined> {
  for await (const nomination of nominations)
    for (const slot of slotsOf(nomination)) yield { nomination, slot };
}
