import { type DeliveryDayCalendar, deliveryDayEndpoints, operatorPlatformEndpoints } from '@saldo/api';
import {
  type DeliveryDay,
  dayEnd,
  dayStart,
  formatInstant,
  ORDINARY_SLOTS,
  parseDay,
  SLOT_MS,
  slotCount,
  slotStart,
  TIME_ZONE,
} from '@saldo/core/delivery-day.ts';
import { phaseEnds } from '@saldo/core/gates.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import type { Clock } from '../platform/clock.ts';
import { fieldProblem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';
import { FIRST_DAY, LAST_DAY } from '../platform/http/time-filter.ts';

export function calendarRoutes(clock: Clock, rules: MarketRules): Route[] {
  return [
    route(deliveryDayEndpoints.getDeliveryDay, async ({ params }) =>
      calendarOf(dayIn(params.date), rules, clock.now()),
    ),
  ];
}

export function operatorCalendarRoutes(clock: Clock, rules: MarketRules): Route[] {
  return [
    route(operatorPlatformEndpoints.operatorGetDeliveryDay, async ({ params }) =>
      calendarOf(dayIn(params.date), rules, clock.now()),
    ),
  ];
}

function dayIn(date: string): DeliveryDay {
  const day = parseDay(date);
  if (day === null || day < FIRST_DAY || day > LAST_DAY) {
    throw fieldProblem('date', 'invalid_format', { key: 'field.date' });
  }
  return day;
}

function calendarOf(day: DeliveryDay, rules: MarketRules, now: number): DeliveryDayCalendar {
  const count = slotCount(day);
  return {
    date: day,
    time_zone: TIME_ZONE,
    slot_count: count,
    clock_change:
      count === ORDINARY_SLOTS
        ? null
        : dayEnd(day) - dayStart(day) < ORDINARY_SLOTS * SLOT_MS
          ? 'forward'
          : 'back',
    slots: Array.from({ length: count }, (_, at) => {
      const start = slotStart(day, at + 1);
      return {
        slot_number: at + 1,
        delivery_start: formatInstant(start),
        delivery_end: formatInstant(start + SLOT_MS),
      };
    }),
    gates: phaseEnds(day, rules).map(({ phase, closesAt }) => ({
      phase,
      closes_at: formatInstant(closesAt),
      open: now < closesAt,
    })),
  };
}
