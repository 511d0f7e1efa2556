import { assert } from './assert.ts';
import {
  addDays,
  type DeliveryDay,
  dayNumber,
  isWeekend,
  localInstant,
  MINUTE_MS,
  slotStart,
  weekday,
} from './delivery-day.ts';

/** Deadlines of the market. `…Minutes` without a lead are local minutes of the day. */
export type GateRules = {
  /** On the day before delivery. */
  dayAheadMinutes: number;
  /** On the day before delivery. Changes after the day-ahead gate are sent from this time on. */
  waitEndMinutes: number;
  /** Before the start of each slot. */
  intradayLeadMinutes: number;
  /** On the next working day after delivery. */
  dayAfterMinutes: number;
  /** Latest day of the gate, counted from delivery, if no working day comes before. */
  dayAfterMaxDays: number;
  isHoliday: (day: DeliveryDay) => boolean;
};

export type Gates = {
  dayAhead: number;
  waitEnd: number;
  intraday: (slot: number) => number;
  dayAfter: number;
};

export const DEFAULT_GATE_RULES: GateRules = {
  dayAheadMinutes: 14 * 60 + 30,
  waitEndMinutes: 16 * 60,
  intradayLeadMinutes: 15,
  dayAfterMinutes: 16 * 60,
  dayAfterMaxDays: 3,
  isHoliday: isGermanHoliday,
};

const WEDNESDAY = 3;

/** Month and day of the yearly holidays of all Länder, and of the two eves that the market treats as holidays. */
const FIXED_HOLIDAYS = new Set(
  Object.values({
    newYear: '01-01',
    epiphany: '01-06',
    womensDay: '03-08',
    labourDay: '05-01',
    assumption: '08-15',
    childrensDay: '09-20',
    germanUnity: '10-03',
    reformation: '10-31',
    allSaints: '11-01',
    christmasEve: '12-24',
    christmasDay: '12-25',
    secondChristmasDay: '12-26',
    newYearsEve: '12-31',
  }),
);

/** Days counted from Easter Sunday. */
const MOVABLE_HOLIDAYS = new Set(
  Object.values({
    goodFriday: -2,
    easterSunday: 0,
    easterMonday: 1,
    ascension: 39,
    whitSunday: 49,
    whitMonday: 50,
    corpusChristi: 60,
  }),
);

/** Holidays of a single year, declared by Berlin. */
const SINGLE_HOLIDAYS = new Set(['2020-05-08', '2025-05-08', '2028-06-17']);

/** A public holiday in any Land by today's law, without those of single towns such as Augsburg. */
export function isGermanHoliday(day: DeliveryDay): boolean {
  return (
    FIXED_HOLIDAYS.has(day.slice(-5)) ||
    MOVABLE_HOLIDAYS.has(dayNumber(day) - easterNumber(day)) ||
    isRepentanceDay(day) ||
    SINGLE_HOLIDAYS.has(day)
  );
}

export function gatesOf(day: DeliveryDay, rules: GateRules): Gates {
  const dayBefore = addDays(day, -1);
  return {
    dayAhead: localInstant(dayBefore, rules.dayAheadMinutes),
    waitEnd: localInstant(dayBefore, rules.waitEndMinutes),
    intraday: (slot) => slotStart(day, slot) - rules.intradayLeadMinutes * MINUTE_MS,
    dayAfter: localInstant(dayAfterClosing(day, rules), rules.dayAfterMinutes),
  };
}

/** The gate that a version created now must meet, given its changed slots. A gate is closed at its own instant. */
export function gateClosure(
  day: DeliveryDay,
  rules: GateRules,
  now: number,
  changedSlots: readonly number[],
): number | 'too_late' {
  assert(changedSlots.length > 0, 'a version changes at least one slot');
  const gates = gatesOf(day, rules);
  if (now < gates.dayAhead) return gates.dayAhead;
  if (now >= gates.dayAfter) return 'too_late';
  let earliest = gates.dayAfter;
  for (const slot of changedSlots) {
    const closure = gates.intraday(slot);
    if (now < closure && closure < earliest) earliest = closure;
  }
  return earliest;
}

function dayAfterClosing(day: DeliveryDay, rules: GateRules): DeliveryDay {
  for (let days = 1; days < rules.dayAfterMaxDays; days++) {
    const candidate = addDays(day, days);
    if (!isWeekend(candidate) && !rules.isHoliday(candidate)) return candidate;
  }
  return addDays(day, rules.dayAfterMaxDays);
}

/** The Wednesday before 23 November, a holiday in Saxony. */
function isRepentanceDay(day: DeliveryDay): boolean {
  const monthAndDay = day.slice(-5);
  return monthAndDay >= '11-16' && monthAndDay <= '11-22' && weekday(day) === WEDNESDAY;
}

/** Easter Sunday of the day's year, by the Gregorian computus of Meeus, Jones and Butcher. */
function easterNumber(day: DeliveryDay): number {
  const yearText = day.slice(0, -6);
  const year = Number(yearText);
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const moonCorrection = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * (year % 19) + century - Math.floor(century / 4) - moonCorrection + 15) % 30;
  const toSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const lateCorrection = Math.floor(((year % 19) + 11 * epact + 22 * toSunday) / 451);
  return dayNumber(`${yearText}-03-22`) + epact + toSunday - 7 * lateCorrection;
}
