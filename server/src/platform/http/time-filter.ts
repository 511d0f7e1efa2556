import {
  type DeliveryDay,
  dayEnd,
  dayOf,
  dayStart,
  parseInstant,
  SLOT_MS,
  slotCount,
} from '@saldo/core/delivery-day.ts';

/** The range of days that JavaScript and Postgres can both represent as four-digit years. */
export const FIRST_DAY: DeliveryDay = '0001-01-02';
export const LAST_DAY: DeliveryDay = '9999-12-30';

/** Parses a validated date-time and clamps it to the supported range. */
export function instantOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (instant === null) throw new Error('a filter is validated before it is read');
  return Math.min(Math.max(instant, dayStart(FIRST_DAY)), dayEnd(LAST_DAY) - 1);
}

const FINER_THAN_MS = /\.\d{3}\d*[1-9]/;

/** Rounds up to whole milliseconds, the precision of all stored instants. */
export function startOf(text: string | undefined): number | null {
  const instant = instantOf(text);
  return instant !== null && FINER_THAN_MS.test(text ?? '') ? instant + 1 : instant;
}

type DeliveryQuery = {
  delivery_date?: string | undefined;
  delivery_start?: string | undefined;
  delivery_end?: string | undefined;
};

/** The intersection of all given filters. Empty when they do not overlap. */
export type InstantRange = { start: number; end: number };

export function deliveryRange(query: DeliveryQuery): InstantRange {
  const start = Math.max(dayStart(FIRST_DAY), startOf(query.delivery_start) ?? -Infinity);
  const end = Math.min(dayEnd(LAST_DAY), instantOf(query.delivery_end) ?? Infinity);
  const { delivery_date: day } = query;
  return day === undefined
    ? { start, end }
    : { start: Math.max(start, dayStart(day)), end: Math.min(end, dayEnd(day)) };
}

/** The delivery days that lie completely inside the range. */
export function wholeDays({ start, end }: InstantRange): { first: DeliveryDay; last: DeliveryDay } {
  const first = dayOf(start);
  return {
    first: dayStart(first) === start ? first : dayOf(dayEnd(first)),
    last: dayOf(dayStart(dayOf(end)) - 1),
  };
}

/** The delivery days that overlap the range. */
export const touchedDays = ({ start, end }: InstantRange): { first: DeliveryDay; last: DeliveryDay } => ({
  first: dayOf(start),
  last: dayOf(end - 1),
});

/** The slots of a day that lie completely inside the range. */
export function slotsWithin(day: DeliveryDay, { start, end }: InstantRange): { from: number; to: number } {
  const midnight = dayStart(day);
  return {
    from: Math.max(1, Math.ceil((start - midnight) / SLOT_MS) + 1),
    to: Math.min(slotCount(day), Math.floor((end - midnight) / SLOT_MS)),
  };
}
