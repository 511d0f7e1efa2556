import type { BoardArea, ExchangeBoard } from '@saldo/api';
import { type Calendar, closingOf, type Deadline, deadlineOf } from '../calendar/deadlines.ts';

/** What needs a person in a control area on a day, the most urgent first; null if the exchange goes as it should. */
export function problemOf({
  schedule,
  mismatched,
  unsent,
}: BoardArea): 'rejected' | 'mismatch' | 'unsent' | null {
  if (schedule?.state === 'rejected') return 'rejected';
  if (mismatched > 0) return 'mismatch';
  return unsent > 0 ? 'unsent' : null;
}

/** When the problem of a control area has to be solved; null without a problem, or when all gates are closed. */
export function deadlineOfArea(calendar: Calendar, area: BoardArea, now: number): Deadline | null {
  const problem = problemOf(area);
  if (problem === null) return null;
  const { mismatched_slots: slots, gate_closure } = area;
  const isAboutSlots = problem === 'mismatch' && slots.length > 0;
  const closures = gate_closure === null ? [] : [Date.parse(gate_closure)];
  return deadlineOf(calendar, { slots: isAboutSlots ? slots : null, closures }, now);
}

/**
 * The gates that a control room has to notice: the day-ahead and the day-after gates, and any gate for which something is
 * not sent. A quarter-hour closes every 15 minutes, which would be no signal.
 */
export function noticedGates({ days }: ExchangeBoard): number[] {
  const gates = days.flatMap((day) => [
    closingOf(day, 'day_ahead'),
    closingOf(day, 'day_after'),
    ...day.areas.map(({ gate_closure }) => (gate_closure === null ? null : Date.parse(gate_closure))),
  ]);
  return Array.from(new Set(gates.filter((at) => at !== null))).toSorted((one, other) => one - other);
}

const MINUTE_MS = 60_000;
const WARNING_MS = 15 * MINUTE_MS;
/** A machine that has slept, or a clock that was set, does not repeat the signals of the time between. */
const LATEST_MS = MINUTE_MS;

export type Signal = { readonly kind: 'soon' | 'closed'; readonly gate: number };

/** The signal that is due between two readings of the clock; a gate that closes is more important than the next one. */
export function signalBetween(before: number, now: number, gates: readonly number[]): Signal | null {
  const isDue = (at: number) => at > Math.max(before, now - LATEST_MS) && at <= now;
  const closed = gates.find(isDue);
  if (closed !== undefined) return { kind: 'closed', gate: closed };
  const soon = gates.find((gate) => isDue(gate - WARNING_MS));
  return soon === undefined ? null : { kind: 'soon', gate: soon };
}
