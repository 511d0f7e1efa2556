import { addDays, type DeliveryDay, dayOf, localInstant } from '../delivery-day.ts';
import type { AlarmSeverity } from '../enums.ts';
import { isWorkingDay } from '../gates.ts';
import type { MarketRules } from '../market-rules.ts';

/** Local minutes of the day before delivery. The day-ahead gate follows half an hour after the second one. */
const FORECAST_DUE_MINUTES = 12 * 60;
const FORECAST_URGENT_MINUTES = 14 * 60;
/** The meter is due at the start of this working day after delivery. */
const METER_WORKING_DAYS = 2;

export type ForecastWatch = { readonly day: DeliveryDay; readonly severity: AlarmSeverity };

/** The delivery day whose forecast must be complete now, and how severe a gap of it is. Null before noon. */
export function forecastWatch(now: number): ForecastWatch | null {
  const today = dayOf(now);
  if (now < localInstant(today, FORECAST_DUE_MINUTES)) return null;
  const isUrgent = now >= localInstant(today, FORECAST_URGENT_MINUTES);
  return { day: addDays(today, 1), severity: isUrgent ? 'critical' : 'warning' };
}

/** The newest delivery day whose meter must be complete now. All days before it are due, too. */
export function lastMeterDay(now: number, rules: MarketRules): DeliveryDay {
  let day = dayOf(now);
  // The meter of a day is due when two working days after it have begun.
  for (let begun = 0; begun < METER_WORKING_DAYS; day = addDays(day, -1)) {
    if (isWorkingDay(day, rules)) begun++;
  }
  return day;
}

/** The slots without a value. */
export const missingSlots = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, at) => (value === null ? [at + 1] : []));
