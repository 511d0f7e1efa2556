import type { Tso } from '@saldo/api';
import { addDays, type DeliveryDay, localInstant, slotCount } from '@saldo/core/delivery-day.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { type CustomerName, MOVES } from './cast.ts';

const MINUTE_MS = 60_000;
const HOUR = 60;
const PAST_DAYS = 7;

/** From this day on, contracts with a share follow their series; their volumes are imported until then. */
export const firstSourcedDay = (today: DeliveryDay): DeliveryDay => addDays(today, -PAST_DAYS);

type Routine = {
  at: number;
  kind: 'sources' | 'volumes' | 'meters' | 'send' | 'confirm' | 'finalise';
  day: DeliveryDay;
};
/** Concerns the slots `from` to `to` of the contract with this index. */
export type Change = {
  at: number;
  kind: 'correct' | 'invalidate';
  day: DeliveryDay;
  contract: number;
  from: number;
  to: number;
};

export type Move = { at: number; kind: 'move'; customer: CustomerName; to: { eic: string; tso: Tso } };
type DemoEvent = Routine | Change | Move;

/** The events around each delivery day in chronological order, without those after `now`. */
export function timeline(today: DeliveryDay, rules: MarketRules, now: number): DemoEvent[] {
  const events: DemoEvent[] = [];
  for (const day of demoDays(today)) {
    const { dayAhead, waitEnd, dayAfter } = gatesOf(day, rules);
    // Volumes of future days are entered early, so that there is data to see.
    events.push({ at: Math.min(localInstant(addDays(day, -1), 9 * HOUR), now), kind: 'volumes', day });
    // Send before the day-ahead gate, and send later changes after the wait phase.
    events.push({ at: dayAhead - 25 * MINUTE_MS, kind: 'send', day });
    events.push({ at: waitEnd, kind: 'send', day });
    events.push({ at: waitEnd + 20 * MINUTE_MS, kind: 'confirm', day });
    events.push({ at: dayAfter + 30 * MINUTE_MS, kind: 'finalise', day });
  }
  const ago = (days: number) => addDays(today, -days);
  const firstSourced = firstSourcedDay(today);
  events.push({ at: localInstant(addDays(firstSourced, -1), 8 * HOUR), kind: 'sources', day: firstSourced });
  for (let day = firstSourced; day < today; day = addDays(day, 1)) {
    const at = localInstant(addDays(day, 1), 8 * HOUR);
    events.push({ at, kind: 'meters', day }, { at: at + MINUTE_MS, kind: 'send', day });
    events.push({ at: at + 60 * MINUTE_MS, kind: 'confirm', day });
  }
  const correct = (day: DeliveryDay, at: number, contract: number, from: number, to: number) => {
    events.push({ at, kind: 'correct', day, contract, from, to });
    events.push({ at: at + MINUTE_MS, kind: 'send', day }, { at: at + 60 * MINUTE_MS, kind: 'confirm', day });
  };
  // Corrections before the gate, during the day, on the next day, and too late to be nominated.
  correct(ago(6), localInstant(ago(7), 11 * HOUR), 2, 30, 60);
  correct(ago(5), localInstant(ago(5), 6 * HOUR + 40), 0, 61, 84);
  correct(ago(3), localInstant(ago(2), 10 * HOUR), 4, 40, 43);
  correct(ago(7), localInstant(ago(2), 15 * HOUR), 3, 1, 8);
  events.push({
    at: localInstant(ago(2), 8 * HOUR),
    kind: 'invalidate',
    day: ago(2),
    contract: 6,
    from: 57,
    to: 57,
  });
  for (const { customer, daysAgo, to } of MOVES)
    events.push({ at: localInstant(ago(daysAgo), 11 * HOUR + 20), kind: 'move', customer, to });
  for (const day of clockChanges(today)) correct(day, localInstant(addDays(day, -1), 15 * HOUR), 7, 9, 12);
  return events.filter((event) => event.at <= now).sort((one, other) => one.at - other.at);
}

const clockChanges = (today: DeliveryDay): DeliveryDay[] => {
  const days: DeliveryDay[] = [];
  const year = today.slice(0, 4);
  for (let day = `${year}-01-01`; day.startsWith(year); day = addDays(day, 1)) {
    if (slotCount(day) !== slotCount(`${year}-01-01`)) days.push(day);
  }
  return days;
};

function demoDays(today: DeliveryDay): DeliveryDay[] {
  const around = Array.from({ length: PAST_DAYS + 2 }, (_, at) => addDays(today, at - PAST_DAYS));
  return [...new Set([...clockChanges(today), ...around])].sort();
}
