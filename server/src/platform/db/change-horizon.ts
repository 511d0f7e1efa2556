import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Primary } from './database.ts';
import { statement } from './statement.ts';

const OLDEST_CHANGE = statement('oldest_change', 'select oldest_change() as oldest');

/** The clocks of all servers of a platform must agree by this number of milliseconds. */
const MAX_CLOCK_SKEW_MS = 100;
const POLL_MS = 5;
const MAX_WAIT_MS = 10_000;

export type ChangeHorizon = {
  /** Resolves when no change can still become visible with an instant at or before this one. False if it takes too long. */
  untilPassed(instant: number): Promise<boolean>;
};

export function createChangeHorizon(db: Primary, clock: Clock): ChangeHorizon {
  // No change with an instant up to this one can still become visible: later transactions announce later instants.
  let passedMs = -Infinity;
  return {
    async untilPassed(instant) {
      if (instant <= passedMs) return true;
      // Another server, whose clock is behind, may still begin a change at this instant.
      const skewMs = instant + MAX_CLOCK_SKEW_MS - clock.now();
      if (skewMs > 0) await delay(Math.min(skewMs, MAX_CLOCK_SKEW_MS));
      const end = performance.now() + MAX_WAIT_MS;
      for (;;) {
        const [row] = await db.query<{ oldest: number | null }>(OLDEST_CHANGE);
        const oldest = row?.oldest ?? Infinity;
        if (oldest > instant) {
          passedMs = Math.max(passedMs, instant);
          return true;
        }
        if (performance.now() > end) return false;
        await delay(POLL_MS);
      }
    },
  };
}
