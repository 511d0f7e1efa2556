import { type DeliveryDay, MINUTE_MS } from '../delivery-day.ts';
import type { WaitPhase } from '../enums.ts';
import { gatesOf } from '../gates.ts';
import type { MarketRules } from '../market-rules.ts';

/** Schedules are sent from this time before the day-ahead gate, so that a rejection can still be corrected. */
const DAY_AHEAD_LEAD_MS = 30 * MINUTE_MS;
/** Debounce: changes within this time are sent together, because a day has at most 999 versions. */
const DEBOUNCE_MS = 5 * MINUTE_MS;

export type SendingPhase =
  /** Changes are collected until `opensAt`; an operator may send earlier. */
  | { phase: 'gathering'; opensAt: number }
  /** Changes are held until TSOs process them, at `opensAt`. */
  | { phase: 'waiting'; opensAt: number }
  | { phase: 'open' }
  /** Every gate of the day is closed. */
  | { phase: 'closed' };

/** Whether schedules of a day may be sent to a TSO now. Phases are half-open, like gates. */
export function sendingPhase(
  day: DeliveryDay,
  rules: MarketRules,
  waitPhase: WaitPhase,
  now: number,
): SendingPhase {
  const gates = gatesOf(day, rules);
  const opensAt = gates.dayAhead - DAY_AHEAD_LEAD_MS;
  if (now < opensAt) return { phase: 'gathering', opensAt };
  if (now < gates.dayAhead) return { phase: 'open' };
  if (now < gates.waitEnd && waitPhase === 'hold') return { phase: 'waiting', opensAt: gates.waitEnd };
  return now < gates.dayAfter ? { phase: 'open' } : { phase: 'closed' };
}

/**
 * Whether a change waits to be sent together with later ones. A change after a quiet period is sent immediately, and so
 * is one whose gate would close during the wait.
 */
export function isTooSoon(lastMadeAt: number | null, nextGateAt: number | null, now: number): boolean {
  // The clock of a sandbox can be set back, so a message may be from the future; it does not delay anything.
  if (lastMadeAt === null || now < lastMadeAt || now >= lastMadeAt + DEBOUNCE_MS) return false;
  return nextGateAt === null || nextGateAt > lastMadeAt + DEBOUNCE_MS;
}
