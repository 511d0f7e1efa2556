import { AssertionError } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';

/** Upper bound of every wait of a test. It only catches hangs, and is shorter than the limit of a test: its error says more. */
export const HANG_MS = 100_000;
const POLL_MS = 20;

/** The descriptions of the waits that have not ended, for the message about a file that hangs. */
export const pendingWaits = new Set<() => string>();

type Found<T> = T | null | undefined | false;

/** Polls until `find` returns a value. `explain` describes the state in the error of a wait that does not end. */
export async function until<T>(
  find: () => Found<T> | Promise<Found<T>>,
  explain: () => string = () => String(find),
): Promise<T> {
  const wait = () => explain();
  pendingWaits.add(wait);
  try {
    for (const endsAt = performance.now() + HANG_MS; ; await delay(POLL_MS)) {
      const found = await find();
      if (found !== null && found !== undefined && found !== false) return found;
      if (performance.now() > endsAt) throw new Error(`It did not happen within ${HANG_MS} ms: ${explain()}`);
    }
  } finally {
    pendingWaits.delete(wait);
  }
}

/** Repeats a check until it passes, for what changes some time after its cause. A check that never passes fails the test. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  let failure: AssertionError | null = null;
  await until(
    async () => {
      try {
        await check();
        return true;
      } catch (error) {
        if (!(error instanceof AssertionError)) throw error;
        failure = error;
        return false;
      }
    },
    () => failure?.message ?? String(check),
  );
}
