import type { Nomination, Reconciliation } from '@saldo/api';
import { type DeliveryDay, dayOf, hourLabel, slotCount } from '@saldo/core/delivery-day.ts';
import { kwFromExactMwh, kwFromKwh, kwhFromMwh, sumKwh } from '@saldo/core/energy.ts';

/** A quarter-hour of a nomination. */
export type NominatedSlot = {
  readonly slot: number;
  readonly start: number;
  readonly amountKwh: number;
  /** In kW, because TSOs confirm to the kW. Null means not matched yet, which is not zero. */
  readonly matchedKw: number | null;
};

/** Confirmed amounts that are not rounded to the kWh, of all slots or of those that differ. */
export type ExactAmounts = {
  readonly slots: readonly Pick<
    Reconciliation['slots'][number],
    'slot_number' | 'matched_amount' | 'counterpart_amount'
  >[];
};

/** The slots of a nomination, whose matched amounts are rounded to the kWh. */
export function slotsOf({ slots = [] }: Nomination, amounts?: ExactAmounts): NominatedSlot[] {
  const exact = new Map(amounts?.slots.map((slot) => [slot.slot_number, slot.matched_amount]));
  return slots.map(({ slot_number, delivery_start, amount, matched_amount }) => {
    const matched = exact.get(slot_number) ?? matched_amount ?? null;
    return {
      slot: slot_number,
      start: Date.parse(delivery_start),
      amountKwh: kwhFromMwh(amount),
      matchedKw: matched === null ? null : kwFromExactMwh(matched),
    };
  });
}

/** Nominated minus confirmed in kW; null until the TSO confirms. */
export const differenceKw = ({ amountKwh, matchedKw }: NominatedSlot): number | null =>
  matchedKw === null ? null : kwFromKwh(amountKwh) - matchedKw;

export const isMismatch = (slot: NominatedSlot): boolean => (differenceKw(slot) ?? 0) !== 0;

/** The delivery day, derived from the slots because a nomination has no such field. */
export function findDay({ slots }: Nomination): DeliveryDay | null {
  const first = slots?.[0];
  return first === undefined ? null : dayOf(Date.parse(first.delivery_start));
}

export type SlotTotals = {
  readonly amountKwh: number;
  /** Null while any slot is not matched: a partial sum would be misread as the total. */
  readonly matchedKw: number | null;
  readonly mismatches: number;
};

export function totalsOf(slots: readonly NominatedSlot[]): SlotTotals {
  const matched = slots.map(({ matchedKw }) => matchedKw).filter((kw) => kw !== null);
  return {
    amountKwh: sumKwh(slots.map(({ amountKwh }) => amountKwh)),
    matchedKw:
      slots.length > 0 && matched.length === slots.length ? matched.reduce((sum, kw) => sum + kw, 0) : null,
    mismatches: slots.filter(isMismatch).length,
  };
}

export type Hour = { readonly label: string; readonly slots: readonly NominatedSlot[] };

/** The local hours of a day: 23, 24 or 25, with four quarters each. */
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

/** The quarter-hours in which a version differs from its predecessor; the first version differs from nothing. */
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

/** Deliveries of the group are positive, receipts negative. */
export const signOf = ({ direction }: Pick<Nomination, 'direction'>): 1 | -1 =>
  direction === 'out' ? 1 : -1;

/** Deliveries minus receipts. Superseded versions do not count. */
export const netSaldoKwh = (nominations: readonly Nomination[]): number =>
  sumKwh(
    nominations
      .filter(({ status }) => status !== 'superseded')
      .map((nomination) => signOf(nomination) * totalsOf(slotsOf(nomination)).amountKwh),
  );

/** Deliveries minus receipts of each quarter-hour of a day. */
export function netBySlot(day: DeliveryDay, nominations: readonly Nomination[]): number[] {
  const values = Array.from({ length: slotCount(day) }, () => 0);
  for (const nomination of nominations.filter(({ status }) => status !== 'superseded'))
    for (const { slot, amountKwh } of slotsOf(nomination))
      values[slot - 1] = (values[slot - 1] ?? 0) + signOf(nomination) * amountKwh;
  return values;
}

/** The quarter-hours that differ in any of these nominations. */
export const mismatchedSlots = (nominations: readonly Nomination[]): number[] => [
  ...new Set(
    nominations.flatMap((nomination) => slotsOf(nomination).filter(isMismatch)).map(({ slot }) => slot),
  ),
];
