import type { NominationMismatch } from '@saldo/api';
import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { kwFromExactMwh } from '@saldo/core/energy.ts';

/**
 * A quarter-hour on which two sides differ, in kW, because TSOs confirm to the kW. Null means that a side gave no value,
 * which is not zero.
 */
export type MismatchedSlot = {
  readonly slot: number;
  readonly start: number;
  readonly amountKw: number;
  readonly matchedKw: number | null;
  readonly counterpartKw: number | null;
  /** Our nominated value minus the TSO's confirmed one or, before the confirmation, minus the counterpart's. */
  readonly differenceKw: number;
};

const kwOrNull = (mwh: number | null) => (mwh === null ? null : kwFromExactMwh(mwh));

export const mismatchedSlots = ({ slots }: Pick<NominationMismatch, 'slots'>): MismatchedSlot[] =>
  slots.map((slot) => {
    const amountKw = kwFromExactMwh(slot.amount);
    const matchedKw = kwOrNull(slot.matched_amount);
    const counterpartKw = kwOrNull(slot.counterpart_amount);
    return {
      slot: slot.slot_number,
      start: Date.parse(slot.delivery_start),
      amountKw,
      matchedKw,
      counterpartKw,
      differenceKw: amountKw - (matchedKw ?? counterpartKw ?? amountKw),
    };
  });

/** The difference of each quarter-hour of the day; null where there is none. */
export function differencesBySlot(day: DeliveryDay, slots: readonly MismatchedSlot[]): (number | null)[] {
  const values: (number | null)[] = Array.from({ length: slotCount(day) }, () => null);
  for (const { slot, differenceKw } of slots) values[slot - 1] = differenceKw;
  return values;
}

/** The total absolute deviation of all nominations of a day per quarter-hour: surplus and deficit do not cancel out. */
export function deviationBySlot(
  day: DeliveryDay,
  mismatches: readonly Pick<NominationMismatch, 'slots'>[],
): (number | null)[] {
  const values: (number | null)[] = Array.from({ length: slotCount(day) }, () => null);
  for (const { slot, differenceKw } of mismatches.flatMap(mismatchedSlots)) {
    values[slot - 1] = (values[slot - 1] ?? 0) + Math.abs(differenceKw);
  }
  return values;
}
