import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { memoryRateLimiter, type RateLimiter, type RateLimitState, redisRateLimiter } from './rate-limit.ts';

const RULE = { limit: 3, windowS: 60 };

function inMemory() {
  const clock = { now: 0 };
  const limiter = memoryRateLimiter(RULE, () => clock.now);
  return { clock, take: (subject: string) => limiter.take(subject) as RateLimitState, limiter };
}

test('a window begins with its first request, ends on time, and reports the seconds until then', () => {
  const { take, clock } = inMemory();
  const resetAt = (at: number) => {
    clock.now = at;
    const { resetS, remaining } = take('a');
    return { resetS, remaining };
  };
  assert.deepEqual(resetAt(1_000), { resetS: 60, remaining: 2 });
  assert.deepEqual(resetAt(1_001), { resetS: 60, remaining: 1 });
  assert.deepEqual(resetAt(31_000), { resetS: 30, remaining: 0 });
  assert.deepEqual(
    resetAt(60_999),
    { resetS: 1, remaining: 0 },
    'never zero, which would mean an immediate retry',
  );
  assert.deepEqual(resetAt(61_000), { resetS: 60, remaining: 2 });
});

test('the time until a window resets is never zero and never exceeds the window, for any clock', () => {
  const instant = fc.double({ min: 0, max: 2 ** 45, noNaN: true });
  const step = fc.double({ min: 0, max: 130_000, noNaN: true });
  fc.assert(
    fc.property(instant, fc.array(step, { maxLength: 20 }), (start, steps) => {
      const { take, clock } = inMemory();
      clock.now = start;
      for (const wait of [0, ...steps]) {
        clock.now += wait;
        const { resetS } = take('a');
        assert.ok(Number.isInteger(resetS) && resetS >= 1 && resetS <= RULE.windowS, `${resetS} s`);
      }
    }),
  );
});

test('a longer window in Redis, begun under another setting, is reported as a full window', async () => {
  for (const [leftMs, resetS] of [
    [60_001, 60],
    [3_600_000, 60],
    [60_000, 60],
    [1, 1],
    [-2, 1],
  ]) {
    const { limiter } = limiterOn(async () => [1, leftMs]);
    assert.equal((await limiter.take('a')).resetS, resetS);
  }
});

test('no window admits more than the limit, for any sequence of requests', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30_000), fc.constantFrom('a', 'b')), { maxLength: 60 }), (steps) => {
      const { take, clock } = inMemory();
      const windows = new Map<string, { endsAt: number; allowed: number }>();
      for (const [wait, subject] of steps) {
        clock.now += wait;
        const known = windows.get(subject);
        const window = known && known.endsAt > clock.now ? known : { endsAt: clock.now + 60_000, allowed: 0 };
        windows.set(subject, window);
        const { exceeded } = take(subject);
        assert.equal(exceeded, window.allowed >= RULE.limit);
        if (!exceeded) window.allowed++;
      }
    }),
  );
});

/** A Redis that returns the given counts. */
const redisThat = (answers: () => Promise<unknown>) => ({ eval: answers }) as unknown as Redis;

function limiterOn(answers: () => Promise<unknown>): { limiter: RateLimiter; warnings: string[] } {
  const warnings: string[] = [];
  const warn = (error: unknown) => warnings.push(String(error));
  return { limiter: redisRateLimiter(RULE, redisThat(answers), inMemory().limiter, warn), warnings };
}

test('while Redis fails, each process counts by itself', async () => {
  const { limiter, warnings } = limiterOn(() => Promise.reject(new Error('no connection')));
  const remaining: number[] = [];
  for (let i = 0; i < 4; i++) remaining.push((await limiter.take('a')).remaining);
  assert.deepEqual(remaining, [2, 1, 0, 0]);
  assert.equal((await limiter.take('a')).exceeded, true);
  assert.match(warnings[0] ?? '', /no connection/);
});

test('a Redis that does not answer delays no request', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { limiter, warnings } = limiterOn(() => new Promise(() => {}));
  const taken = limiter.take('a');
  t.mock.timers.tick(500);
  assert.deepEqual(await taken, { limit: 3, remaining: 2, resetS: 60, exceeded: false });
  assert.match(warnings[0] ?? '', /did not answer/);
});
