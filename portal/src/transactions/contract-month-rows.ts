import type { Transaction, Tso } from '@saldo/api';
import { type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import { validSumKwh, volumeSlots } from './volume-slots.ts';

/** A day of a contract's month. */
export type ContractMonthRow = {
  readonly day: DeliveryDay;
  /** Valid volumes by quarter-hour in kWh; null where there is none. */
  readonly volumesKwh: readonly (number | null)[];
  readonly sumKwh: number;
  /** The highest version of the day; null without volumes. */
  readonly version: number | null;
  readonly corrected: number;
  readonly invalid: ReadonlySet<number>;
};

export function contractMonthRows(
  days: readonly DeliveryDay[],
  transactions: readonly Transaction[],
): ContractMonthRow[] {
  const byDay = Map.groupBy(transactions, ({ delivery_start }) => dayOf(Date.parse(delivery_start)));
  return days.map((day) => {
    const ofDay = byDay.get(day) ?? [];
    const slots = volumeSlots(day, ofDay);
    return {
      day,
      volumesKwh: slots.map(({ validKwh }) => validKwh),
      sumKwh: validSumKwh(slots),
      version: ofDay.length === 0 ? null : Math.max(...ofDay.map(({ version }) => version)),
      corrected: slots.filter(({ isCorrected }) => isCorrected).length,
      invalid: new Set(slots.filter(({ isInvalid }) => isInvalid).map(({ slot }) => slot)),
    };
  });
}

export type Position = { readonly eic: string; readonly tso: Tso };

/** The balance groups of the current volumes: they may differ from the newest ones of the contract. */
export function positionsOf(transactions: readonly Transaction[]): Position[] {
  const current = transactions.filter(({ status }) => status !== 'superseded');
  const positions = current.flatMap(({ sender, receiver }) => [sender, receiver]);
  return Array.from(new Map(positions.map(({ eic, tso }) => [`${eic} ${tso}`, { eic, tso }])).values());
}
