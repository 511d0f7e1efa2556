import { type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import type { Format } from '../i18n/format.ts';
import { serverNow } from '../session/server-clock.ts';

const YEAR = 'YYYY'.length;

/** A day in a sentence: without its year only if that is the current one, by the platform's clock. */
export const dayText = (day: DeliveryDay, format: Format): string =>
  day.slice(0, YEAR) === dayOf(serverNow()).slice(0, YEAR) ? format.dayShort(day) : format.day(day);
