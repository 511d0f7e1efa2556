import { problem, RETRY_SOON } from './problem.ts';

type Rule = {
  readonly atOnce: number;
  /** Maximum queue length. Without a value the queue is unbounded. */
  readonly waitingAtMost?: number;
};

/** Runs at most `atOnce` pieces of work concurrently. Further work waits in a FIFO queue. */
export function concurrencyLimiter({ atOnce, waitingAtMost = Number.POSITIVE_INFINITY }: Rule) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async function withinLimit<T>(work: () => Promise<T>): Promise<T> {
    if (running < atOnce) running++;
    else if (waiting.length < waitingAtMost) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw problem('unavailable', { key: 'problem.queue_full' }, RETRY_SOON);
    try {
      return await work();
    } finally {
      // Hand the slot over without decrementing `running`, so that a new caller cannot overtake the queue.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
