import { setImmediate } from 'node:timers/promises';

/** Runs all steps with a turn of the event loop after each, so that long work does not delay other requests. */
export async function runWithPauses<Result>(steps: Generator<void, Result, void>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
