import { problem } from './problem.ts';

/** Somebody who would have to wait behind so many others had better come back. */
const RETRY_AFTER_S = '2';

type Rule = {
  readonly atOnce: number;
  /** How many may wait for their turn; without it, all who come. */
  readonly waitingAtMost?: number;
};

/** Lets only so many do something at once; the others wait in the order in which they came. */
export function concurrencyLimiter({ atOnce, waitingAtMost = Number.POSITIVE_INFINITY }: Rule) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < atOnce) running++;
    else if (waiting.length < waitingAtMost) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw problem('unavailable', 'Too many are waiting for this.', { 'retry-after': RETRY_AFTER_S });
    try {
      return await work();
    } finally {
      // The place is handed over as it is, so that nobody slips in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
