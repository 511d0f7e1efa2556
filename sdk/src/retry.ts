import { SaldoConnectionError } from './problem.ts';

/** Retry policy: exponential backoff with full jitter, so that clients do not retry at the same time. */
export type RetryOptions = {
  /** Includes the first attempt; 1 turns retries off. */
  readonly maxAttempts: number;
  /** The upper bound of the first delay. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** No attempt begins later than this after the first one, even if `Retry-After` asks for it. */
  readonly maxElapsedMs: number;
};

export const DEFAULT_RETRY: RetryOptions = {
  maxAttempts: 4,
  baseDelayMs: 250,
  maxDelayMs: 8_000,
  maxElapsedMs: 120_000,
};

/** Time and randomness; tests replace them. */
export type Dependencies = {
  readonly fetch: typeof globalThis.fetch;
  /** Resolves after that time, or rejects with the signal's reason. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly now: () => number;
};

export const REAL_DEPENDENCIES: Dependencies = {
  // Bound late, so that a `fetch` that is replaced later (by a test, by tracing) is used.
  fetch: (input, init) => globalThis.fetch(input, init),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal.addEventListener('abort', stop, { once: true });
    }),
  random: Math.random,
  now: Date.now,
};

/** Full jitter: a random delay from 0 to the whole bound. */
export function backoffMs(attempt: number, retry: RetryOptions, random: () => number): number {
  return random() * Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (attempt - 1));
}

/** `Retry-After` is a number of seconds or an HTTP date; other values are ignored. */
export function retryAfterMs(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  // A date contains letters; without this check `Date.parse` would accept numbers like -1 as years.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The result of one attempt: a value to return, or an error that a retry may fix. */
export type Attempt<T> =
  | { readonly done: T }
  | { readonly failed: Error; readonly again: boolean; readonly retryAfterMs: number | null };

/** Retries until success, a permanent error, or the time limit; then throws the last error. */
export async function withRetries<T>(
  attemptOnce: () => Promise<Attempt<T>>,
  retry: RetryOptions,
  { sleep, random, now }: Dependencies,
  signal: AbortSignal | undefined,
): Promise<T> {
  const startedAt = now();
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const result = await attemptOnce();
    if ('done' in result) return result.done;
    if (!result.again || attempt >= retry.maxAttempts) throw result.failed;
    const delay = Math.max(backoffMs(attempt, retry, random), result.retryAfterMs ?? 0);
    if (now() + delay - startedAt > retry.maxElapsedMs) throw result.failed;
    await sleep(delay, signal ?? NEVER);
  }
}

const NEVER = new AbortController().signal;

/**
 * Runs an attempt with an idle timeout (0: none). A long upload continues as long as it makes progress, which it
 * reports with `touch`.
 */
export async function withTimeout<T>(
  timeoutMs: number,
  { sleep, now }: Dependencies,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal, touch: () => void) => Promise<T>,
): Promise<T> {
  let touchedAt = now();
  const touch = () => {
    touchedAt = now();
  };
  const attempt = new AbortController();
  const watch = new AbortController();
  const stop = () => attempt.abort(signal?.reason);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop, { once: true });
  const giveUp = async () => {
    for (let left = timeoutMs; left > 0; left = touchedAt + timeoutMs - now())
      await sleep(left, watch.signal);
    const seconds = timeoutMs / 1000;
    attempt.abort(new SaldoConnectionError('timeout', `There was no answer within ${seconds} s.`));
  };
  // Aborting the timer after the attempt has ended is not an error.
  if (timeoutMs > 0) giveUp().catch(() => {});
  try {
    return await run(attempt.signal, touch);
  } finally {
    watch.abort();
    signal?.removeEventListener('abort', stop);
  }
}
