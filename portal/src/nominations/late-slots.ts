import type { LatePositionDay } from '@saldo/api';
import { kwhFromMwh, sumKwh } from '@saldo/core/energy.ts';

type LateSlots = Pick<LatePositionDay, 'slots'>;

/** The sums of a position-day over its late quarter-hours, in kWh. */
export const lateSums = ({ slots }: LateSlots) => ({
  nominatedKwh: sumKwh(slots.map(({ nominated }) => kwhFromMwh(nominated))),
  transactionsKwh: sumKwh(slots.map(({ transactions }) => kwhFromMwh(transactions))),
  differenceKwh: sumKwh(slots.map(({ difference }) => kwhFromMwh(difference))),
});

/** Quarter-hours as ranges: '1–38, 42' */
export function slotRanges({ slots }: LateSlots): string {
  const ranges: [first: number, last: number][] = [];
  for (const { slot_number: slot } of slots) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === slot - 1) range[1] = slot;
    else ranges.push([slot, slot]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}
