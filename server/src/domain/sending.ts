import { type DeliveryDay, MINUTE_MS } from './delivery-day.ts';
import { type GateRules, gatesOf } from './gates.ts';

/** So long before the day-ahead gate schedules begin to leave: time to react when a TSO rejects one. */
const DAY_AHEAD_LEAD_MS = 30 * MINUTE_MS;
/** Changes that follow each other leave together, since a day has 999 versions and no more. */
const PACE_MS = 5 * MINUTE_MS;

export type SendingPhase =
  /** Changes are gathered until then; whoever asks for it may send earlier. */
  | { phase: 'gathering'; opensAt: number }
  /** The TSOs take nothing until then. */
  | { phase: 'waiting'; opensAt: number }
  | { phase: 'open' }
  /** Every gate of the day is closed. */
  | { phase: 'closed' };

/** Whether what is nominated for a day may leave now. Like gates, phases are half-open. */
export function sendingPhase(day: DeliveryDay, rules: GateRules, now: number): SendingPhase {
  const gates = gatesOf(day, rules);
  const opensAt = gates.dayAhead - DAY_AHEAD_LEAD_MS;
  if (now < opensAt) return { phase: 'gathering', opensAt };
  if (now < gates.dayAhead) return { phase: 'open' };
  if (now < gates.waitEnd) return { phase: 'waiting', opensAt: gates.waitEnd };
  return now < gates.dayAfter ? { phase: 'open' } : { phase: 'closed' };
}

/**
 * Whether a change had better wait for others. The first one after a while leaves at once, and so does one whose gate
 * would close in the meantime.
 */
export function isTooSoon(lastMadeAt: number | null, nextGateAt: number | null, now: number): boolean {
  // A sandbox's clock may have been moved back: a message from the future holds up nothing.
  if (lastMadeAt === null || now < lastMadeAt || now >= lastMadeAt + PACE_MS) return false;
  return nextGateAt === null || nextGateAt > lastMadeAt + PACE_MS;
}
