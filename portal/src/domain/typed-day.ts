import { type DeliveryDay, isDay } from '@saldo/core/delivery-day.ts';

const DAY_FIRST = /^(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}|\d{2})?)?$/;

/**
 * The day of a typed date: `25.10.2026`, `25/10/26`, `25.10.`, `25/10` or `2026-10-25`. The day comes first in all
 * languages of the portal. A date without a year is in the year of `today`.
 */
export function parseTypedDay(typed: string, today: DeliveryDay): DeliveryDay | null {
  const parts = DAY_FIRST.exec(typed);
  if (parts === null) return isDay(typed) ? typed : null;
  const [, day = '', , month = '', year = ''] = parts;
  const text = `${today.slice(0, 4 - year.length)}${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(text) ? text : null;
}
