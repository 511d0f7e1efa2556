import { setFlagsFromString } from 'node:v8';

/**
 * By default V8 lets the heap grow to several times the live size before a major garbage collection. An import produces
 * mostly short-lived objects: collecting more often costs it a few percent of time and halves the memory. For ordinary
 * requests the cost would be much higher than the benefit, so they collect less often.
 */
const DEFAULT_GROWTH = '--heap-growing-percent=100';
const SMALL_GROWTH = '--heap-growing-percent=30';
setFlagsFromString(DEFAULT_GROWTH);

let running = 0;

/** Runs work that allocates much memory and keeps little of it. */
export async function withSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  if (++running === 1) setFlagsFromString(SMALL_GROWTH);
  try {
    return await work();
  } finally {
    if (--running === 0) setFlagsFromString(DEFAULT_GROWTH);
  }
}
