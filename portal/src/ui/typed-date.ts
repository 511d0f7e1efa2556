import { type DeliveryDay, parseDay } from '@saldo/core/delivery-day.ts';
import type { DateMark } from '../i18n/format.ts';
import { isMonth } from './delivery-period.ts';

/** `2026-10-25` as `25.10.2026`, `2026-10` as `10.2026`. */
export const formatTypedDate = (date: string, mark: DateMark): string =>
  date.split('-').toReversed().join(mark);

const part = (digits: string) => digits.padStart(2, '0');

/** A typed day in any common form: `25.10.2026`, `25/10/2026`, `2026-10-25`; null for other text. */
export function parseTypedDay(typed: string): DeliveryDay | null {
  const text = typed.trim();
  const [, day, month, year] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text) ?? [];
  return parseDay(day && month && year ? `${year}-${part(month)}-${part(day)}` : text);
}

/** A typed month: `10.2026`, `10/2026`, `2026-10`; null for other text. */
export function parseTypedMonth(typed: string): string | null {
  const text = typed.trim();
  const [, month, year] = /^(\d{1,2})[./-](\d{4})$/.exec(text) ?? [];
  const iso = month && year ? `${year}-${part(month)}` : text;
  return isMonth(iso) ? iso : null;
}
