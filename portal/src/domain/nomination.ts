import type { Nomination } from '@saldo/api';
import { type DeliveryDay, dayOf, hourLabel } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh, sumKwh } from '@saldo/core/energy.ts';

/** A quarter-hour of a nomination, in whole kWh. Not matched yet is null, which is not zero. */
export type NominatedSlot = {
  readonly slot: number;
  readonly start: number;
  readonly amountKwh: number;
  readonly matchedKwh: number | null;
};

export const slotsOf = ({ slots = [] }: Nomination): NominatedSlot[] =>
  slots.map(({ slot_number, delivery_start, amount, matched_amount }) => ({
    slot: slot_number,
    start: Date.parse(delivery_start),
    amountKwh: kwhFromMwh(amount),
    matchedKwh: matched_amount === null || matched_amount === undefined ? null : kwhFromMwh(matched_amount),
  }));

export const isMismatch = ({ amountKwh, matchedKwh }: NominatedSlot): boolean =>
  matchedKwh !== null && matchedKwh !== amountKwh;

/** The delivery day; a nomination names it only by its slots. */
export function findDay({ slots }: Nomination): DeliveryDay | null {
  const first = slots?.[0];
  return first === undefined ? null : dayOf(Date.parse(first.delivery_start));
}

export type SlotTotals = {
  readonly amountKwh: number;
  /** Null as long as any of them is not matched: a sum of some would be read as the sum of all. */
  readonly matchedKwh: number | null;
  readonly mismatches: number;
};

export function totalsOf(slots: readonly NominatedSlot[]): SlotTotals {
  const matched = slots.map(({ matchedKwh }) => matchedKwh).filter((kwh) => kwh !== null);
  return {
    amountKwh: sumKwh(slots.map(({ amountKwh }) => amountKwh)),
    matchedKwh: slots.length > 0 && matched.length === slots.length ? sumKwh(matched) : null,
    mismatches: slots.filter(isMismatch).length,
  };
}

export type Hour = { readonly label: string; readonly slots: readonly NominatedSlot[] };

/** The hours of a day as the clocks show them: 23, 24 or 25, each of four quarters. */
export function hoursOf(slots: readonly NominatedSlot[]): Hour[] {
  const hours = Map.groupBy(slots, ({ start }) => hourLabel(start));
  return Array.from(hours, ([label, quarters]) => ({ label, slots: quarters }));
}

export type SlotChange = {
  readonly slot: number;
  readonly start: number;
  readonly beforeKwh: number;
  readonly afterKwh: number;
};

/** The quarter-hours in which a version differs from the one before it. Before the first one there was nothing. */
export function changesBetween(before: Nomination | null, after: Nomination): SlotChange[] {
  const previous = new Map((before ? slotsOf(before) : []).map(({ slot, amountKwh }) => [slot, amountKwh]));
  return slotsOf(after)
    .map(({ slot, start, amountKwh }) => ({
      slot,
      start,
      beforeKwh: previous.get(slot) ?? 0,
      afterKwh: amountKwh,
    }))
    .filter(({ beforeKwh, afterKwh }) => beforeKwh !== afterKwh);
}

/** What the group delivers is positive, what it receives negative. */
export const signOf = ({ direction }: Pick<Nomination, 'direction'>): 1 | -1 =>
  direction === 'out' ? 1 : -1;
