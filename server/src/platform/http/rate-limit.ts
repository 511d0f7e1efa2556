import type { Redis } from 'ioredis';
import { within } from '../timeout.ts';

export type RateLimitState = {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window resets: at least 1, at most the whole window. */
  readonly resetS: number;
  readonly exceeded: boolean;
};

/** Counts one request of `subject` and returns the state of its window. */
export type RateLimiter = { take(subject: string): RateLimitState | Promise<RateLimitState> };

export type RateRule = { readonly limit: number; readonly windowS: number };

/** Number of windows in memory above which expired ones are removed. */
const SWEEP_ABOVE = 10_000;

const stateOf = (rule: RateRule, count: number, leftMs: number): RateLimitState => ({
  limit: rule.limit,
  remaining: Math.max(0, rule.limit - count),
  // Floating point rounding can make the remaining time slightly longer than the window.
  resetS: Math.min(rule.windowS, Math.max(1, Math.ceil(leftMs / 1000))),
  exceeded: count > rule.limit,
});

/** A fixed window per subject that starts with its first request. `now` returns monotonic milliseconds. */
export function memoryRateLimiter(rule: RateRule, now: () => number): RateLimiter {
  const windows = new Map<string, { count: number; endsAt: number }>();
  let sweepAbove = SWEEP_ABOVE;

  function sweep(at: number): void {
    for (const [subject, window] of windows) if (window.endsAt <= at) windows.delete(subject);
    sweepAbove = Math.max(SWEEP_ABOVE, windows.size * 2);
  }

  return {
    take(subject) {
      const at = now();
      let window = windows.get(subject);
      if (!window || window.endsAt <= at) {
        if (windows.size >= sweepAbove) sweep(at);
        window = { count: 0, endsAt: at + rule.windowS * 1000 };
        windows.set(subject, window);
      }
      window.count++;
      return stateOf(rule, window.count, window.endsAt - at);
    },
  };
}

/** Atomic, so that a crash between INCR and PEXPIRE cannot leave a counter that never expires. */
const TAKE = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('PTTL', KEYS[1])}`;

/** Timeout for Redis. After it the process counts in memory. */
const ANSWER_MS = 250;

function giveUp(): never {
  throw new Error(`Redis did not answer in ${ANSWER_MS} ms`);
}

/**
 * The same windows, shared by all processes through Redis. Without Redis each process falls back to its own memory: a
 * limit that is temporarily too generous is better than an unavailable API.
 */
export function redisRateLimiter(
  rule: RateRule,
  redis: Redis,
  fallback: RateLimiter,
  warn: (error: unknown) => void,
): RateLimiter {
  return {
    async take(subject) {
      try {
        const answer = redis.eval(TAKE, 1, `saldo:rate:${subject}`, rule.windowS * 1000);
        const [count, leftMs] = (await within(ANSWER_MS, answer, giveUp)) as [number, number];
        return stateOf(rule, count, leftMs);
      } catch (error) {
        warn(error);
        return fallback.take(subject);
      }
    },
  };
}
