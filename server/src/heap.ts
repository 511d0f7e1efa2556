import { setFlagsFromString } from 'node:v8';

/**
 * Left to itself the heap grows to several times of what is in use before it is looked through. What an import leaves
 * behind is short-lived: looking sooner costs it a few percent and halves the memory. For pages it would cost far more
 * than it saves, so they look less often.
 */
const USUAL = '--heap-growing-percent=100';
const SPARING = '--heap-growing-percent=30';
setFlagsFromString(USUAL);

let underWay = 0;

/** Work that goes through a lot of memory and keeps little of it. */
export async function sparingly<T>(work: () => Promise<T>): Promise<T> {
  if (++underWay === 1) setFlagsFromString(SPARING);
  try {
    return await work();
  } finally {
    if (--underWay === 0) setFlagsFromString(USUAL);
  }
}
