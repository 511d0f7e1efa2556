import { assert } from './assert.ts';

/** An existing calendar date in Germany, 'YYYY-MM-DD'. Its delivery runs from local midnight to local midnight. */
export type DeliveryDay = string;

export const TIME_ZONE = 'Europe/Berlin';
export const MINUTE_MS = 60_000;
export const SLOT_MS = 15 * MINUTE_MS;
export const SLOTS_PER_HOUR = 4;
export const MIN_SLOTS = 92;
/** Slots of every day but the two on which the clocks change. */
export const ORDINARY_SLOTS = 96;
export const MAX_SLOTS = 100;

const HOUR_MS = 60 * MINUTE_MS;
const MINUTES_OF_DAY = 24 * 60;
const DAY_MS = MINUTES_OF_DAY * MINUTE_MS;
const FRIDAY = 5;

const WINTER_OFFSET_MS = HOUR_MS;
const SUMMER_OFFSET_MS = 2 * HOUR_MS;
/** The clocks change at 01:00 UTC, on the last Sunday of March and on the last Sunday of October. */
const CLOCK_CHANGE_UTC_MS = HOUR_MS;
/** At the change, local time jumps from 02:00 to 03:00 or from 03:00 back to 02:00. */
const CLOCK_CHANGE_END_MINUTES = 3 * 60;

/** Upper bound of each cache below: ten years of days. A full cache is cleared, so that its memory stays bounded. */
const CACHED_DAYS = 4096;

type CalendarDay = { start: number; end: number; slotCount: number; localHours: readonly number[] };

/** Computing a day takes 0.5 µs, a lookup 0.02 µs; a page of nominations needs several hundred. */
const calendarDays = new Map<DeliveryDay, CalendarDay>();
/** `Date.toISOString` takes 0.9 µs, a lookup 0.03 µs: it was half of the cost of a page. */
const dateTexts = new Map<number, string>();
const MINUTE_TEXTS = Array.from(
  { length: MINUTES_OF_DAY },
  (_, minute) => `T${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:`,
);
const SECOND_TEXTS = Array.from({ length: 60 }, (_, second) => `${twoDigits(second)}Z`);
const ORDINARY_HOURS = Array.from({ length: ORDINARY_SLOTS }, (_, at) => Math.floor(at / SLOTS_PER_HOUR));

const DATE_FORM = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT_FORM =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** Accepts every existing date of the years 0001 to 9999; a date without deliveries is still a valid filter. */
export function parseDay(text: string): DeliveryDay | null {
  if (!DATE_FORM.test(text) || text.startsWith('0000')) return null;
  const midnight = Date.parse(text);
  // Some engines turn 30 February into 2 March instead of rejecting it.
  return !Number.isNaN(midnight) && dateText(midnight / DAY_MS) === text ? text : null;
}

export const isDay = (text: string): boolean => parseDay(text) !== null;

/** Returns milliseconds since 1970; digits below a millisecond are cut off. */
export function parseInstant(text: string): number | null {
  const parts = INSTANT_FORM.exec(text);
  if (parts === null) return null;
  const [, datePart = '', hour, minute, second, fraction = '', sign, offsetHour = 0, offsetMinute = 0] =
    parts;
  const date = parseDay(datePart);
  if (date === null) return null;
  const localSeconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const offsetSeconds = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60;
  const utcSeconds = localSeconds + (sign === '-' ? offsetSeconds : -offsetSeconds);
  return Date.parse(date) + utcSeconds * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** '2026-01-15T14:00:00Z'; milliseconds are cut off. */
export function formatInstant(instant: number): string {
  const seconds = Math.floor(instant / 1000);
  const minutes = Math.floor(seconds / 60);
  const date = Math.floor(minutes / MINUTES_OF_DAY);
  return (
    dateText(date) + MINUTE_TEXTS[minutes - date * MINUTES_OF_DAY]! + SECOND_TEXTS[seconds - minutes * 60]!
  );
}

export const formatInstantOrNull = (instant: number | null): string | null =>
  instant === null ? null : formatInstant(instant);

/** '2026-01-15T14:00:00.000Z' */
export function formatInstantMs(instant: number): string {
  const millis = instant - Math.floor(instant / 1000) * 1000;
  return `${formatInstant(instant).slice(0, -1)}.${String(millis).padStart(3, '0')}Z`;
}

/** '2026-10-25 02:15' in German local time. */
export function formatLocalTime(instant: number): string {
  return formatInstant(instant + utcOffset(instant))
    .slice(0, 'YYYY-MM-DDThh:mm'.length)
    .replace('T', ' ');
}

/** 92 and 100 on the days when the clocks change, 96 on all others. */
export function slotCount(day: DeliveryDay): number {
  return calendarDay(day).slotCount;
}

export function dayStart(day: DeliveryDay): number {
  return calendarDay(day).start;
}

export function dayEnd(day: DeliveryDay): number {
  return calendarDay(day).end;
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
  // 1970-01-01 was a Thursday, three days after Monday; a week more keeps the remainder positive before 1970.
  return (((dayNumber(day) % 7) + 10) % 7) + 1;
}

export function isWeekend(day: DeliveryDay): boolean {
  return weekday(day) > FRIDAY;
}

export function dayOf(instant: number): DeliveryDay {
  return dateText(Math.floor((instant + utcOffset(instant)) / DAY_MS));
}

export function slotStart(day: DeliveryDay, slot: number): number {
  const { start, slotCount } = calendarDay(day);
  if (!(slot >= 1 && slot <= slotCount)) throw new Error(`${day} has no slot ${slot}`);
  return start + (slot - 1) * SLOT_MS;
}

export function slotAt(instant: number): { day: DeliveryDay; slot: number } {
  const day = dayOf(instant);
  return { day, slot: Math.floor((instant - dayStart(day)) / SLOT_MS) + 1 };
}

/** The local hour in which each slot starts: on a clock change one hour is missing or present twice. */
export function localHours(day: DeliveryDay): readonly number[] {
  return calendarDay(day).localHours;
}

/** Maps a local time that the clocks skip to the instant after the gap, and a repeated one to its first occurrence. */
export function localInstant(day: DeliveryDay, minutesOfDay: number): number {
  assert(minutesOfDay >= 0 && minutesOfDay < MINUTES_OF_DAY, 'a local time lies within its day');
  const { start, end } = calendarDay(day);
  const change = minutesOfDay < CLOCK_CHANGE_END_MINUTES ? 0 : end - start - DAY_MS;
  return start + minutesOfDay * MINUTE_MS + change;
}

/** Local time of a slot's start; the repeated hour has '02:00A' first and '02:00B' second. */
export function slotLabel(start: number): string {
  const time = localClock(start);
  if (time === localClock(start + HOUR_MS)) return `${time}A`;
  return time === localClock(start - HOUR_MS) ? `${time}B` : time;
}

/** From a slot's start to its end: '02:45A–02:00B'. */
export const slotTimes = (start: number): string => `${slotLabel(start)}–${slotLabel(start + SLOT_MS)}`;

/** Label of the local hour of a slot: '02:00', or '02:00A' and '02:00B' for the repeated hour. */
export function hourLabel(start: number): string {
  const label = slotLabel(start);
  return `${label.slice(0, 2)}:00${label.slice('hh:mm'.length)}`;
}

const localClock = (instant: number): string => formatLocalTime(instant).slice(-'hh:mm'.length);

/**
 * Offset of German local time from UTC, in milliseconds. The rule is that of European law and of the time zone database
 * from 1996 on (until 1995 summer time ended in September). Earlier years follow the same rule, so that every date has
 * a start and an end.
 */
function utcOffset(instant: number): number {
  const { start, end } = summerTime(dateText(Math.floor(instant / DAY_MS)));
  return instant >= start && instant < end ? SUMMER_OFFSET_MS : WINTER_OFFSET_MS;
}

/** Summer time of the year of a date, as a half-open range of instants. */
function summerTime(date: DeliveryDay): { start: number; end: number } {
  const year = date.slice(0, -'-MM-DD'.length);
  return {
    start: lastSunday(`${year}-03-31`) * DAY_MS + CLOCK_CHANGE_UTC_MS,
    end: lastSunday(`${year}-10-31`) * DAY_MS + CLOCK_CHANGE_UTC_MS,
  };
}

/** Day number of the last Sunday on or before a date. */
function lastSunday(date: DeliveryDay): number {
  return dayNumber(date) - (weekday(date) % 7);
}

function calendarDay(day: DeliveryDay): CalendarDay {
  const known = calendarDays.get(day);
  if (known !== undefined) return known;
  const number = dayNumber(day);
  const start = midnight(number);
  const end = midnight(number + 1);
  const slotCount = (end - start) / SLOT_MS;
  const localHours =
    slotCount === ORDINARY_SLOTS
      ? ORDINARY_HOURS
      : Array.from({ length: slotCount }, (_, at) => localHour(number, start + at * SLOT_MS));
  return remember(calendarDays, day, { start, end, slotCount, localHours });
}

/** The instant of local midnight. The clocks change later in the night, so the offset of UTC midnight applies. */
function midnight(dayNumber: number): number {
  const utcMidnight = dayNumber * DAY_MS;
  return utcMidnight - utcOffset(utcMidnight);
}

function localHour(dayNumber: number, instant: number): number {
  return Math.floor((instant + utcOffset(instant) - dayNumber * DAY_MS) / HOUR_MS);
}

/** ISO date of a day number. The day after 9999-12-31 has six digits in its year: '+010000-01-01'. */
function dateText(dayNumber: number): string {
  const known = dateTexts.get(dayNumber);
  if (known !== undefined) return known;
  return remember(dateTexts, dayNumber, new Date(dayNumber * DAY_MS).toISOString().split('T', 1)[0]!);
}

function remember<Key, Value>(cache: Map<Key, Value>, key: Key, value: Value): Value {
  if (cache.size >= CACHED_DAYS) cache.clear();
  cache.set(key, value);
  return value;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
