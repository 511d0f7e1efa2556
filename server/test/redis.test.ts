import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Redis } from 'ioredis';
import { redisRateLimiter } from '../src/platform/http/rate-limit.ts';
import { startRedisServer } from './redis-server.ts';
import { startRedisStandIn } from './redis-stand-in.ts';

/** The script of the rate limiter, run by the stand-in and, if installed, by a real Redis. */

const RULE = { limit: 3, windowS: 60 };
const WINDOW_MS = RULE.windowS * 1000;
const KEY = 'saldo:rate:a';

async function connect(url: string): Promise<Redis> {
  const redis = new Redis(url, { lazyConnect: true, enableOfflineQueue: false });
  await redis.connect();
  return redis;
}

const standIn = await startRedisStandIn();
const server = await startRedisServer();
const setups = [
  { name: 'the stand-in', redis: await connect(standIn.url) },
  ...(server ? [{ name: 'redis-server', redis: await connect(server.url) }] : []),
];
after(async () => {
  // Close the clients before the servers stop, or they would try to reconnect.
  for (const { redis } of setups) redis.disconnect();
  await standIn.stop();
  await server?.stop();
});

for (const { name, redis } of setups) {
  test(`${name}: a window counts its subject's requests, ends on time, and starts again`, async (t) => {
    // The limiter has a timeout for Redis, which a slow test machine must not reach.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const fallback = { take: () => assert.fail('counted in memory instead') };
    const limiter = redisRateLimiter(RULE, redis, fallback, assert.ifError);
    const take = async (subject: string) => {
      const { remaining, exceeded, resetS } = await limiter.take(subject);
      return { remaining, exceeded, isNewWindow: resetS === RULE.windowS };
    };
    assert.deepEqual(await take('a'), { remaining: 2, exceeded: false, isNewWindow: true });
    const leftMs = await redis.pttl(KEY);
    assert.ok(leftMs > 0 && leftMs <= WINDOW_MS, `the window ends in ${leftMs} ms`);
    // Simulates that half of the window has passed.
    assert.equal(await redis.pexpire(KEY, WINDOW_MS / 2), 1);
    assert.deepEqual(await take('a'), { remaining: 1, exceeded: false, isNewWindow: false });
    assert.ok((await redis.pttl(KEY)) <= WINDOW_MS / 2, 'a later request does not prolong the window');
    assert.deepEqual(await take('b'), { remaining: 2, exceeded: false, isNewWindow: true });
    assert.deepEqual(await take('a'), { remaining: 0, exceeded: false, isNewWindow: false });
    assert.deepEqual(await take('a'), { remaining: 0, exceeded: true, isNewWindow: false });
    // Simulates that the whole window has passed.
    assert.equal(await redis.pexpire(KEY, 0), 1);
    assert.deepEqual(await take('a'), { remaining: 2, exceeded: false, isNewWindow: true });
  });
}
