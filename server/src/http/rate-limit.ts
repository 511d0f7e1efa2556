import type { Redis } from 'ioredis';

export type RateLimitState = {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window resets: at least 1, at most the whole window. */
  readonly resetS: number;
  readonly exceeded: boolean;
};

/** Counts one request of `subject` and tells where it stands. */
export type RateLimiter = { take(subject: string): RateLimitState | Promise<RateLimitState> };

export type RateRule = { readonly limit: number; readonly windowS: number };

/** Windows that have ended are swept when more than this many are held. */
const SWEEP_ABOVE = 10_000;

const stateOf = (rule: RateRule, count: number, leftMs: number): RateLimitState => ({
  limit: rule.limit,
  remaining: Math.max(0, rule.limit - count),
  // The time left is a difference of fractions, which may exceed the window by the rounding error.
  resetS: Math.min(rule.windowS, Math.max(1, Math.ceil(leftMs / 1000))),
  exceeded: count > rule.limit,
});

/** A fixed window per subject that begins with its first request. `now` is monotonic milliseconds. */
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

/** Count and remaining time in one step, so that a window can never be left without its end. */
const TAKE = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('PTTL', KEYS[1])}`;

/** A count is not worth more waiting than this. */
const ANSWER_MS = 250;

function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Redis did not answer in ${ANSWER_MS} ms`)), ANSWER_MS);
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/**
 * The same windows shared by all processes through Redis. When Redis does not answer, each process counts for
 * itself: a limit that is too generous for a while is better than an API that is down.
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
        const [count, leftMs] = (await inTime(answer)) as [number, number];
        return stateOf(rule, count, leftMs);
      } catch (error) {
        warn(error);
        return fallback.take(subject);
      }
    },
  };
}
