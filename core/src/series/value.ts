import { CumulativeRounding } from '../cumulative-rounding.ts';
import { findUnits, parseDecimal } from '../decimal.ts';
import { type DeliveryDay, dayEnd, dayStart, SLOT_MS, SLOTS_PER_HOUR, slotAt } from '../delivery-day.ts';
import { isPower, MAX_SLOT_KWH, UNIT_DECIMALS } from '../energy.ts';
import type { Resolution, ValueUnit } from '../enums.ts';

/**
 * Values of series are whole watt-hours. The limit is that of a sheet's cell, 32 bits in SQL: 8.6 GW within a slot, twice
 * the power of the largest German plant. A value times a share in millionths is then a safe integer.
 */
export const MAX_SLOT_WH = MAX_SLOT_KWH;

export type ValueFault =
  | { readonly key: 'series.not_a_number' }
  | { readonly key: 'series.negative' }
  | { readonly key: 'series.no_whole_wh' }
  | { readonly key: 'series.too_large'; readonly maxWh: number };

const SLOTS_OF: Readonly<Record<Resolution, number>> = { PT15M: 1, PT60M: SLOTS_PER_HOUR };

/** Whole Wh of decimal text, as in a file, over the whole interval of the value. */
export function whFromText(
  text: string,
  unit: ValueUnit,
  resolution: Resolution = 'PT15M',
): number | ValueFault {
  const units = parseDecimal(text, UNIT_DECIMALS[unit]);
  if (units === 'malformed') return { key: 'series.not_a_number' };
  if (text.startsWith('-') && units !== 0) return { key: 'series.negative' };
  if (units === 'too_precise') return { key: 'series.no_whole_wh' };
  return units === 'too_large' ? tooLarge(resolution) : whFromUnits(units, unit, resolution);
}

/** Whole Wh of a JSON value, over the whole interval of the value. */
export function whFromJson(
  value: unknown,
  unit: ValueUnit,
  resolution: Resolution = 'PT15M',
): number | ValueFault {
  if (typeof value !== 'number') return { key: 'series.not_a_number' };
  if (value < 0) return { key: 'series.negative' };
  const units = findUnits(value, UNIT_DECIMALS[unit]);
  if (units !== null) return whFromUnits(units, unit, resolution);
  const isTooLarge = value * 10 ** UNIT_DECIMALS[unit] > SLOTS_PER_HOUR * MAX_SLOT_WH + 1;
  return isTooLarge ? tooLarge(resolution) : { key: 'series.no_whole_wh' };
}

/** `units` are Wh of an energy or W of a power. */
function whFromUnits(units: number, unit: ValueUnit, resolution: Resolution): number | ValueFault {
  const wh = isPower(unit) ? (units * SLOTS_OF[resolution]) / SLOTS_PER_HOUR : units;
  if (wh > maxWh(resolution)) return tooLarge(resolution);
  return Number.isInteger(wh) ? wh : { key: 'series.no_whole_wh' };
}

const maxWh = (resolution: Resolution): number => MAX_SLOT_WH * SLOTS_OF[resolution];

const tooLarge = (resolution: Resolution): ValueFault => ({
  key: 'series.too_large',
  maxWh: maxWh(resolution),
});

/** A value on the slots of its interval, which never leaves its day: `wh` has one element per slot from `slot` on. */
export type PlacedValue = {
  readonly day: DeliveryDay;
  readonly slot: number;
  readonly wh: readonly number[];
};

export type StartFault =
  | { readonly key: 'series.interval_start'; readonly resolution: Resolution }
  | { readonly key: 'series.year' };

/** The calendar has the years 1 to 9999. */
const CALENDAR_START = dayStart('0001-01-01');
const CALENDAR_END = dayEnd('9999-12-31');

/**
 * Distributes the energy of an interval that starts at an instant. Clock changes move local time by a whole hour, so
 * the start of an hour is the same in UTC and in local time.
 */
export function placeValue(start: number, resolution: Resolution, wh: number): PlacedValue | StartFault {
  const slots = SLOTS_OF[resolution];
  if (start % (slots * SLOT_MS) !== 0) return { key: 'series.interval_start', resolution };
  if (start < CALENDAR_START || start >= CALENDAR_END) return { key: 'series.year' };
  return { ...slotAt(start), wh: slots === 1 ? [wh] : quarterHours(wh) };
}

/** Four quarter-hours that differ by at most 1 Wh: the sum of the first ones is rounded half up. */
function quarterHours(hourWh: number): number[] {
  const rounding = new CumulativeRounding(SLOTS_PER_HOUR);
  return Array.from({ length: SLOTS_PER_HOUR }, () => rounding.next(hourWh));
}
