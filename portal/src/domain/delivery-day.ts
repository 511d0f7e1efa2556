/** A German calendar day, `YYYY-MM-DD`, from local midnight to local midnight. */
export type DeliveryDay = string;

export const TIME_ZONE = 'Europe/Berlin';
const HOUR_MS = 3_600_000;
export const SLOTS_PER_HOUR = 4;
export const SLOT_MS = HOUR_MS / SLOTS_PER_HOUR;

/** The Swedish way of writing dates is that of ISO 8601. */
const BERLIN = new Intl.DateTimeFormat('sv-SE', {
  timeZone: TIME_ZONE,
  dateStyle: 'short',
  timeStyle: 'short',
});

/** `2026-10-25 02:15`, as the clocks in Germany show it. */
const wallClock = (instant: number): string => BERLIN.format(instant);

export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) &&
  new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

export const isMonth = (text: string): boolean => /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text);

/** The delivery day in which an instant lies. */
export const dayOf = (instant: number | string): DeliveryDay =>
  wallClock(Number(new Date(instant))).slice(0, 10);

export const addDays = (day: DeliveryDay, days: number): DeliveryDay =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 24 * HOUR_MS).toISOString().slice(0, 10);

/** The instant of local midnight. */
export function dayStart(day: DeliveryDay): number {
  const utcMidnight = Date.parse(`${day}T00:00:00Z`);
  // The clock changes later in the night, so that midnight is always one or two hours before that of UTC.
  const inSummer = utcMidnight - 2 * HOUR_MS;
  return wallClock(inSummer) === `${day} 00:00` ? inSummer : utcMidnight - HOUR_MS;
}

/** On all days but the two on which the clock changes. */
export const ORDINARY_SLOTS = 96;

/** 92, 96 or 100. */
export const slotCount = (day: DeliveryDay): number => (dayStart(addDays(day, 1)) - dayStart(day)) / SLOT_MS;

export const slotStart = (day: DeliveryDay, slot: number): number => dayStart(day) + (slot - 1) * SLOT_MS;

/** Local time of a slot's start. The hour that comes twice is told apart: `02:00A` is the first, `02:00B` the second. */
export function slotLabel(start: number): string {
  const time = wallClock(start).slice(11);
  if (time === wallClock(start + HOUR_MS).slice(11)) return `${time}A`;
  return time === wallClock(start - HOUR_MS).slice(11) ? `${time}B` : time;
}

/** From a slot's start to its end, as `02:45A–02:00B`. */
export const slotTimes = (start: number): string => `${slotLabel(start)}–${slotLabel(start + SLOT_MS)}`;

/** Slots grouped by the hour that the clocks show; the hour that comes twice is two groups. */
export function hourOf(start: number): string {
  const label = slotLabel(start);
  return `${label.slice(0, 2)}:00${label.slice(5)}`;
}

export const instantText = (instant: number): string => new Date(instant).toISOString().replace('.000Z', 'Z');

/** The half-open bounds of one or several days, as the filters of lists take them. */
export const deliveryRange = (first: DeliveryDay, last: DeliveryDay) => ({
  delivery_start: instantText(dayStart(first)),
  delivery_end: instantText(dayStart(addDays(last, 1))),
});

export function daysOfMonth(month: string): DeliveryDay[] {
  const days: DeliveryDay[] = [];
  for (let day = `${month}-01`; day.startsWith(month); day = addDays(day, 1)) days.push(day);
  return days;
}

export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const index = year * 12 + number - 1 + months;
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
}
