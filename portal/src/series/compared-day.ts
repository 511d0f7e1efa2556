import type { SeriesValues } from '@saldo/api';
import { type DeliveryDay, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { deviationOf } from '@saldo/core/series/deviation.ts';

type Value = SeriesValues['values'][number];

/** A quarter-hour with what both series say about it. Null where one has no value. */
export type ComparedSlot = { readonly slot: number; readonly start: number } & {
  readonly [Kind in SeriesKind]: Value | null;
};

export type DayValues = { readonly [Kind in SeriesKind]: readonly Value[] };

/** All quarter-hours of the day, with and without values. */
export function comparedSlots(day: DeliveryDay, values: DayValues): ComparedSlot[] {
  const bySlot = (of: readonly Value[]) => new Map(of.map((value) => [value.slot_number, value]));
  const [forecast, meter] = [bySlot(values.forecast), bySlot(values.meter)];
  return Array.from({ length: slotCount(day) }, (_, index) => {
    const slot = index + 1;
    return {
      slot,
      start: slotStart(day, slot),
      forecast: forecast.get(slot) ?? null,
      meter: meter.get(slot) ?? null,
    };
  });
}

export const whOf = (slots: readonly ComparedSlot[], kind: SeriesKind): (number | null)[] =>
  slots.map((slot) => slot[kind]?.energy_wh ?? null);

/** Meter less forecast; null unless both have a value. */
export const differenceWh = ({ forecast, meter }: ComparedSlot): number | null =>
  forecast === null || meter === null ? null : meter.energy_wh - forecast.energy_wh;

/** The quarter-hours without a value of a series that has others of this day: a day before its values is no gap. */
export function gapsOf(slots: readonly ComparedSlot[], kind: SeriesKind): number[] {
  const missing = slots.filter((slot) => slot[kind] === null).map(({ slot }) => slot);
  return missing.length === slots.length ? [] : missing;
}

/** The energy of the values, and the difference over the quarter-hours with both. Null where there are none. */
export function dayTotals(slots: readonly ComparedSlot[]) {
  const [forecastWh, meterWh] = [whOf(slots, 'forecast'), whOf(slots, 'meter')];
  const { slotsPresent, errorWh } = deviationOf(forecastWh, meterWh);
  const sumOf = (values: readonly (number | null)[]): number | null =>
    values.reduce((sum, wh) => (wh === null ? sum : (sum ?? 0) + wh), null);
  return {
    forecast: sumOf(forecastWh),
    meter: sumOf(meterWh),
    difference: slotsPresent === 0 ? null : errorWh,
  };
}
