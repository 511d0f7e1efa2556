import { assert } from './assert.ts';

/** An existing calendar date in Germany, 'YYYY-MM-DD'. */
export type DeliveryDay = string;

export const TIME_ZONE = 'Europe/Berlin';
export const MINUTE_MS = 60_000;
export const SLOT_MS = 15 * MINUTE_MS;
export const SLOTS_PER_HOUR = 4;
export const MIN_SLOTS = 92;
export const MAX_SLOTS = 100;

const MINUTES_OF_DAY = 24 * 60;
const DAY_MS = MINUTES_OF_DAY * MINUTE_MS;
const USUAL_SLOTS = DAY_MS / SLOT_MS;
const FRIDAY = 5;
/** Ten years of days, far more than any working set. */
const CACHED_DAYS = 4096;

type DayFacts = { start: number; end: number; slotCount: number; localHours: readonly number[] };

const factsByDay = new Map<DeliveryDay, DayFacts>();
const dateTextByNumber = new Map<number, string>();
const USUAL_HOURS = Array.from({ length: USUAL_SLOTS }, (_, at) => Math.floor(at / SLOTS_PER_HOUR));
const MINUTE_TEXT = Array.from(
  { length: MINUTES_OF_DAY },
  (_, minute) => `T${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:`,
);
const SECOND_TEXT = Array.from({ length: 60 }, (_, second) => `${twoDigits(second)}Z`);

const DATE_FORM = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT_FORM =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** Any existing date of the years 0001 to 9999: one far from all deliveries just finds nothing. */
export function parseDay(text: string): DeliveryDay | null {
  if (!DATE_FORM.test(text) || text.startsWith('0000')) return null;
  const midnight = Date.parse(text);
  // Some engines roll 30 February over into March instead of refusing it.
  return !Number.isNaN(midnight) && dateText(midnight / DAY_MS) === text ? text : null;
}

/** Instants are kept in milliseconds; finer digits are cut off. */
export function parseInstant(text: string): number | null {
  const parts = INSTANT_FORM.exec(text);
  if (parts === null) return null;
  const [, dateOfText = '', hour, minute, second, fraction = '', sign, offsetHour = 0, offsetMinute = 0] =
    parts;
  const date = parseDay(dateOfText);
  if (date === null) return null;
  const wallSeconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const offsetSeconds = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60;
  const utcSeconds = wallSeconds + (sign === '-' ? offsetSeconds : -offsetSeconds);
  return Date.parse(date) + utcSeconds * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** '2026-01-15T14:00:00Z', put together from tables: printing dates was half of the cost of a page. */
export function formatInstant(instant: number): string {
  const seconds = Math.floor(instant / 1000);
  const minutes = Math.floor(seconds / 60);
  const date = Math.floor(minutes / MINUTES_OF_DAY);
  return (
    dateText(date) + MINUTE_TEXT[minutes - date * MINUTES_OF_DAY]! + SECOND_TEXT[seconds - minutes * 60]!
  );
}

/** The same with its milliseconds: '2026-01-15T14:00:00.000Z'. */
export function formatInstantMs(instant: number): string {
  const millis = instant - Math.floor(instant / 1000) * 1000;
  return `${formatInstant(instant).slice(0, -1)}.${String(millis).padStart(3, '0')}Z`;
}

/** 92 and 100 on the days when the clocks change, 96 on all others. */
export function slotCount(day: DeliveryDay): number {
  return factsOf(day).slotCount;
}

export function dayStart(day: DeliveryDay): number {
  return factsOf(day).start;
}

export function dayEnd(day: DeliveryDay): number {
  return factsOf(day).end;
}

export function addDays(day: DeliveryDay, days: number): DeliveryDay {
  return dateText(dayNumber(day) + days);
}

/** Calendar days since 1970-01-01: for counting and comparing days, never for instants. */
export function dayNumber(day: DeliveryDay): number {
  return Date.parse(day) / DAY_MS;
}

/** 1 is Monday, 7 is Sunday. */
export function weekday(day: DeliveryDay): number {
  const sinceThursday = dayNumber(day) % 7;
  return ((sinceThursday + 10) % 7) + 1;
}

export function isWeekend(day: DeliveryDay): boolean {
  return weekday(day) > FRIDAY;
}

export function dayOf(instant: number): DeliveryDay {
  // Berlin is ahead of UTC by less than a day, so the UTC date is the local one or the one before it.
  const utcDate = dateText(Math.floor(instant / DAY_MS));
  return instant < dayEnd(utcDate) ? utcDate : addDays(utcDate, 1);
}

export function slotStart(day: DeliveryDay, slot: number): number {
  const facts = factsOf(day);
  if (!(slot >= 1 && slot <= facts.slotCount)) throw new Error(`${day} has no slot ${slot}`);
  return facts.start + (slot - 1) * SLOT_MS;
}

export function slotAt(instant: number): { day: DeliveryDay; slot: number } {
  const day = dayOf(instant);
  return { day, slot: Math.floor((instant - dayStart(day)) / SLOT_MS) + 1 };
}

/** The local hour in which each slot begins: on a clock change one hour is missing or there twice. */
export function localHours(day: DeliveryDay): readonly number[] {
  return factsOf(day).localHours;
}

/** A wall time that the clock skips means the moment after the gap, one that it repeats means the first. */
export function localInstant(day: DeliveryDay, minutesOfDay: number): number {
  assert(minutesOfDay >= 0 && minutesOfDay < MINUTES_OF_DAY, 'a wall time lies within its day');
  const { start, end } = factsOf(day);
  if (end - start === DAY_MS) return start + minutesOfDay * MINUTE_MS;
  const wallTime = new Temporal.PlainTime(Math.floor(minutesOfDay / 60), minutesOfDay % 60);
  return Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: TIME_ZONE, plainTime: wallTime })
    .epochMilliseconds;
}

function factsOf(day: DeliveryDay): DayFacts {
  const known = factsByDay.get(day);
  if (known !== undefined) return known;
  const date = Temporal.PlainDate.from(day);
  const start = date.toZonedDateTime(TIME_ZONE).epochMilliseconds;
  const end = date.add({ days: 1 }).toZonedDateTime(TIME_ZONE).epochMilliseconds;
  // Rounding up matters on 1 April 1893 alone, when the zone was introduced: its last slot is a short one.
  const slotCount = Math.ceil((end - start) / SLOT_MS);
  const localHours = slotCount === USUAL_SLOTS ? USUAL_HOURS : hoursFrom(start, slotCount);
  return remember(factsByDay, day, { start, end, slotCount, localHours });
}

function hoursFrom(start: number, slotCount: number): number[] {
  return Array.from({ length: slotCount }, (_, at) => {
    const instant = Temporal.Instant.fromEpochMilliseconds(start + at * SLOT_MS);
    return instant.toZonedDateTimeISO(TIME_ZONE).hour;
  });
}

/** After the year 9999 this is the ISO form with six digits: the day after the last one has a name too. */
function dateText(number: number): string {
  const known = dateTextByNumber.get(number);
  if (known !== undefined) return known;
  return remember(dateTextByNumber, number, new Date(number * DAY_MS).toISOString().split('T', 1)[0]!);
}

/** A full cache starts anew: a stranger who asks for every date costs time, not memory. */
function remember<Key, Value>(cache: Map<Key, Value>, key: Key, value: Value): Value {
  if (cache.size >= CACHED_DAYS) cache.clear();
  cache.set(key, value);
  return value;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
