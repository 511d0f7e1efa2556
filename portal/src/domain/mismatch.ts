import type { NominationMismatch } from '@saldo/api';
import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';

/** A quarter-hour on which two sides differ, in whole kWh. What a side has not said is null, which is not zero. */
export type MismatchedSlot = {
  readonly slot: number;
  readonly start: number;
  readonly amountKwh: number;
  readonly matchedKwh: number | null;
  readonly counterpartKwh: number | null;
  /** What we nominated beyond what the TSO confirmed or, until it has, beyond what the counterpart says. */
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

/** How much all nominations of a day are off in each quarter-hour: too much and too little do not make up for each other. */
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
