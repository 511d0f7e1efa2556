import { UsageError } from './usage.ts';

const HOUR_MS = 3_600_000;
const BERLIN = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Berlin',
  dateStyle: 'short',
  timeStyle: 'short',
});

/** `2026-10-25 02:15`, as the clocks in Germany show it. */
export const localTime = (instant: string | number): string => BERLIN.format(new Date(instant));

/** The instant at which a German delivery day begins. */
export function dayStart(day: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(utc);
  if (!isDay || new Date(utc).toISOString().slice(0, 10) !== day) {
    throw new UsageError(
      `${JSON.stringify(day)} is not a day; write it like 2026-10-25, today, tomorrow or +2`,
    );
  }
  // The clock changes later in the night, so that midnight is always one or two hours before that of UTC.
  const summer = utc - 2 * HOUR_MS;
  return localTime(summer) === `${day} 00:00` ? summer : utc - HOUR_MS;
}

/** A day as a person writes it: `2026-10-25`, or counted from today in Germany: `today`, `tomorrow`, `+2`. */
export function parseDay(text: string, now: number = Date.now()): string {
  const written = { today: '+0', tomorrow: '+1' }[text] ?? text;
  const [, count] = /^\+(\d{1,4})$/.exec(written) ?? [];
  if (count === undefined) {
    dayStart(text);
    return text;
  }
  const day = new Date(`${localTime(now).slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + Number(count));
  return day.toISOString().slice(0, 10);
}

export function nextDay(day: string): string {
  dayStart(day);
  return new Date(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR_MS).toISOString().slice(0, 10);
}

/** 92, 96 or 100. */
export const slotCount = (day: string): number => ((dayStart(nextDay(day)) - dayStart(day)) / HOUR_MS) * 4;

export const instantOf = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
