import type { SaldoEvent } from '@saldo/api';

/** Shorter runs stay single lines. */
const MIN_EVENTS = 10;

export type EventGroup = {
  /** Stays the same while newer events are added before the list, and older ones after it. */
  readonly key: string;
  readonly type: SaldoEvent['type'];
  /** Newest first. */
  readonly events: readonly SaldoEvent[];
};

/** Consecutive events of one type, such as those of an import. Shorter runs are groups of one event each. */
export function groupEvents(events: readonly SaldoEvent[]): EventGroup[] {
  const runs: SaldoEvent[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run?.[0]?.type === event.type) run.push(event);
    else runs.push([event]);
  }
  return runs.flatMap((run, at) => {
    const parts = run.length < MIN_EVENTS ? run.map((event) => [event]) : [run];
    return parts.map((part): EventGroup => {
      const [{ id, type }] = part as [SaldoEvent];
      return { key: part.length > 1 && at === 0 ? `newest ${type}` : id, type, events: part };
    });
  });
}
