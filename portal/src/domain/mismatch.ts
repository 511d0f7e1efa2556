import type { NominationMismatch } from '@saldo/api';
import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';

/** A quarter-hour on which two sides differ, in whole kWh. Null means that a side gave no value, which is not zero. */
export type MismatchedSlot = {
  readonly slot: number;
  readonly start: number;
  readonly amountKwh: number;
  readonly matchedKwh: number | null;
  readonly counterpartKwh: number | null;
  /** Our nominated value minus the TSO's confirmed one or, before the confirmation, minus the counterpart's. */
  readonly differenceKwh: number;
};

const kwhOrNull = (mwh: number | null) => (mwh === null ? null : kwhFromMwh(mwh));

export const mismatchedSlots = ({ slots }: Pick<NominationMismatch, 'slots'>): MismatchedSlot[] =>
  slots.map((slot) => {
    const amountKwh = kwhFromMwh(slot.amount);
    const matchedKwh = kwhOrNull(slot.matched_amount);
    const counterpartKwh = kwhOrNull(slot.counterpart_amount);
    return {
      slot: slot.slot_number,
      start: Date.parse(slot.delivery_start),
      amountKwh,
      matchedKwh,
      counterpartKwh,
      differenceKwh: amountKwh - (matchedKwh ?? counterpartKwh ?? amountKwh),
    };
  });

/** The difference of each quarter-hour of the day; null where there is none. */
export function differencesBySlot(day: DeliveryDay, slots: readonly MismatchedSlot[]): (number | null)[] {
  const values: (number | null)[] = Array.from({ length: slotCount(day) }, () => null);
  for (const { slot, differenceKwh } of slots) values[slot - 1] = differenceKwh;
  return values;
}

/** The total absolute deviation of all nominations of a day per quarter-hour: surplus and deficit do not cancel out. */
export function deviationBySlot(
  day: DeliveryDay,
  mismatches: readonly Pick<NominationMismatch, 'slots'>[],
): (number | null)[] {
  const values: (number | null)[] = Array.from({ length: slotCount(day) }, () => null);
  for (const { slot, differenceKwh } of mismatches.flatMap(mismatchedSlots)) {
    values[slot - 1] = (values[slot - 1] ?? 0) + Math.abs(differenceKwh);
  }
  return values;
}
