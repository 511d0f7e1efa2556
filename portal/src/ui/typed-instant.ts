import { isDay, localInstant, MINUTE_MS } from '@saldo/core/delivery-day.ts';

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const MINUTES_PER_HOUR = 60;

/** The last minute that has begun: an instant that can be typed. */
export const wholeMinute = (instant: number): number => Math.floor(instant / MINUTE_MS) * MINUTE_MS;

/** Null if one of both is no date or time. A repeated hour means its first occurrence. */
export function parseLocal(day: string, time: string): number | null {
  const [, hours, minutes] = TIME.exec(time.trim()) ?? [];
  if (!isDay(day) || hours === undefined || minutes === undefined) return null;
  return localInstant(day, Number(hours) * MINUTES_PER_HOUR + Number(minutes));
}
