import type { Nomination } from '@saldo/api';
import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { findDay, isMismatch, signOf, slotsOf } from './nominated-slots.ts';

/** A day of the month's heat map: the net saldo per quarter-hour in kWh, null where nothing is nominated. */
export type MonthRow = {
  readonly day: DeliveryDay;
  readonly saldoKwh: readonly (number | null)[];
  /** Slots in which any nomination does not match. */
  readonly mismatched: ReadonlySet<number>;
  readonly netKwh: number;
};

/** Sums the current nominations of a month by day and slot: delivered minus received energy. */
export function monthRows(days: readonly DeliveryDay[], nominations: readonly Nomination[]): MonthRow[] {
  const byDay = Map.groupBy(nominations, (nomination) => findDay(nomination));
  return days.map((day) => {
    const saldoKwh: (number | null)[] = Array.from({ length: slotCount(day) }, () => null);
    const mismatched = new Set<number>();
    let netKwh = 0;
    for (const nomination of byDay.get(day) ?? []) {
      const sign = signOf(nomination);
      for (const slot of slotsOf(nomination)) {
        saldoKwh[slot.slot - 1] = (saldoKwh[slot.slot - 1] ?? 0) + sign * slot.amountKwh;
        netKwh += sign * slot.amountKwh;
        if (isMismatch(slot)) mismatched.add(slot.slot);
      }
    }
    return { day, saldoKwh, mismatched, netKwh };
  });
}
