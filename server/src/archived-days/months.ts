import { type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import { systemClock } from '../platform/clock.ts';

/** A calendar month of delivery days, 'YYYY-MM'. */
export type Month = string;

/**
 * A month may be archived this many months after its end. Schedules are final with the day-after gate, and the balance
 * groups of a month are settled about two months later: until then volumes are corrected and answers of TSOs arrive.
 */
export const ARCHIVABLE_AFTER_MONTHS = 3;
/** Reads of younger days never look for archived months. Clocks of machines may differ by a month less than that. */
const ASKED_AFTER_MONTHS = ARCHIVABLE_AFTER_MONTHS - 1;

export const monthOf = (day: DeliveryDay): Month => day.slice(0, 7);
export const firstDayOf = (month: Month): DeliveryDay => `${month}-01`;

/** Months since year 0. */
export function monthNumber(month: Month): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return year * 12 + number - 1;
}

export function addMonths(month: Month, count: number): Month {
  const number = monthNumber(month) + count;
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;
}

/** By the machine's time: a sandbox may move the platform's clock to before a month that was archived. */
const thisMonth = (): Month => monthOf(dayOf(systemClock.now()));

/** The first month that may not be archived yet. */
export const firstKeptMonth = (): Month => addMonths(thisMonth(), -ARCHIVABLE_AFTER_MONTHS);

/** This day and later ones cannot be archived. */
export const firstKeptDay = (): DeliveryDay => firstDayOf(addMonths(thisMonth(), -ASKED_AFTER_MONTHS));
