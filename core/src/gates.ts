import { assert } from './assert.ts';
import {
  addDays,
  type DeliveryDay,
  dayOf,
  isWeekend,
  localInstant,
  MINUTE_MS,
  slotCount,
  slotStart,
} from './delivery-day.ts';
import { isHoliday } from './holidays.ts';
import { inForce, type MarketRules } from './market-rules.ts';

/** Deadlines of a delivery day as instants. */
export type Gates = {
  dayAhead: number;
  waitEnd: number;
  intraday: (slot: number) => number;
  dayAfter: number;
};

/** The gates of a day, by the rules in force on it. */
export function gatesOf(day: DeliveryDay, rules: MarketRules): Gates {
  const times = inForce(rules.gates, day);
  const dayBefore = addDays(day, -1);
  return {
    dayAhead: localInstant(dayBefore, times.dayAheadMinutes),
    waitEnd: localInstant(dayBefore, times.waitEndMinutes),
    intraday: (slot) => slotStart(day, slot) - times.intradayLeadMinutes * MINUTE_MS,
    // Lazy: the search for a working day takes most of the time, and few callers need it.
    get dayAfter() {
      return localInstant(dayAfterClosing(day, rules, times.dayAfterMaxDays), times.dayAfterMinutes);
    },
  };
}

/** When each phase of a day ends, in this order. The intraday phase ends with the gate of the last slot. */
export function phaseEnds(day: DeliveryDay, rules: MarketRules) {
  const { dayAhead, waitEnd, intraday, dayAfter } = gatesOf(day, rules);
  return [
    { phase: 'day_ahead', closesAt: dayAhead },
    { phase: 'wait', closesAt: waitEnd },
    { phase: 'intraday', closesAt: intraday(slotCount(day)) },
    { phase: 'day_after', closesAt: dayAfter },
  ] as const;
}

/** The first delivery day that a change of a customer applies to: the next one whose day-ahead gate is open. */
export function effectiveDay(now: number, rules: MarketRules): DeliveryDay {
  let day = dayOf(now);
  while (now >= gatesOf(day, rules).dayAhead) day = addDays(day, 1);
  return day;
}

/**
 * The instant at which each slot of a day closes. From then on TSOs accept changes of the slot within one control area
 * only.
 */
export function slotClosings(day: DeliveryDay, rules: MarketRules): number[] {
  const { intraday } = gatesOf(day, rules);
  return Array.from({ length: slotCount(day) }, (_, at) => intraday(at + 1));
}

/** The gate that a version created now must meet, given its changed slots. A gate is closed at its own instant. */
export function gateClosure(
  day: DeliveryDay,
  rules: MarketRules,
  now: number,
  changedSlots: readonly number[],
): number | 'too_late' {
  assert(changedSlots.length > 0, 'a version changes at least one slot');
  const gates = gatesOf(day, rules);
  if (now < gates.dayAhead) return gates.dayAhead;
  let earliest = gates.dayAfter;
  if (now >= earliest) return 'too_late';
  for (const slot of changedSlots) {
    const closure = gates.intraday(slot);
    if (now < closure && closure < earliest) earliest = closure;
  }
  return earliest;
}

function dayAfterClosing(day: DeliveryDay, rules: MarketRules, maxDays: number): DeliveryDay {
  for (let days = 1; days < maxDays; days++) {
    const candidate = addDays(day, days);
    if (isWorkingDay(candidate, rules)) return candidate;
  }
  return addDays(day, maxDays);
}

/** A holiday follows the rules of its own date, not those of a delivery day. */
export function isWorkingDay(day: DeliveryDay, rules: MarketRules): boolean {
  return !isWeekend(day) && !isHoliday(day, inForce(rules.holidays, day));
}
