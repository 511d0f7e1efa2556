import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atEnd } from './clean-up.ts';
import { type Answer, assertProblem, client, problemOf, startTestPlatform } from './harness.ts';
import { startRedisStandIn } from './redis-stand-in.ts';

const LIMIT = 8;
const WINDOW_S = 3600;
const environment = { RATE_LIMIT: String(LIMIT), RATE_WINDOW_S: String(WINDOW_S) };

const platform = await startTestPlatform({ environment });
const { world } = platform;

// Two processes of one platform: the same database, the same Redis.
const redis = await startRedisStandIn();
atEnd(() => redis.stop());
const shared = { ...environment, REDIS_URL: redis.url };
const first = await startTestPlatform({ environment: shared });
const second = await startTestPlatform({ environment: { ...shared, DATABASE_URL: first.databaseUrl } });

const unreachable = await startRedisStandIn();
await unreachable.stop();
const alone = await startTestPlatform({ environment: { ...environment, REDIS_URL: unreachable.url } });

const limits = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

test('every answer to a known key has the limit, the remaining requests and the reset time', async () => {
  const brp = await world.brp();
  const { secret } = await world.key(brp, ['contracts:read', 'customers:write']);
  const request = client(platform.baseUrl, secret);
  const answers: [status: number, answer: Answer][] = [
    [200, await request('/v1/contracts')],
    [400, await request('/v1/contracts?limit=0')],
    [403, await request('/v1/nominations')],
    [404, await request('/v1/contracts/con_x')],
    [400, await request.patch('/v1/customers/x', '{')],
    [415, await request.patch('/v1/customers/x', '{}', { headers: { 'content-type': 'a/b' } })],
    [404, await request.patch('/v1/customers/x', '{}')],
    [200, await request('/v1/contracts', { method: 'HEAD' })],
    [429, await request('/v1/contracts')],
    [429, await request('/v1/nominations')],
  ];
  for (const [at, [status, answer]] of answers.entries()) {
    assert.equal(answer.status, status);
    const [limit, remaining, reset] = limits(answer);
    assert.deepEqual([limit, remaining], [String(LIMIT), String(Math.max(0, LIMIT - 1 - at))]);
    assert.match(reset ?? '', /^\d+$/);
    assert.ok(Number(reset) > WINDOW_S - 100 && Number(reset) <= WINDOW_S);
  }
});

test('a key beyond its limit gets 429 with Retry-After', async () => {
  const brp = await world.brp();
  const request = client(platform.baseUrl, brp.key);
  for (let i = 0; i < LIMIT; i++) assert.equal((await request('/v1/contracts')).status, 200);
  const answer = await request('/v1/contracts');
  assertProblem(answer, 429, 'rate_limited');
  assert.equal(answer.headers.get('retry-after'), answer.headers.get('x-ratelimit-reset'));
  assert.equal(
    (await request('/v1/contracts/con_x')).status,
    429,
    '429 comes before what is wrong otherwise',
  );
  assert.equal((await request('/v1/nowhere')).status, 404, 'also after an unknown path');
  assert.equal((await request('/openapi.json')).status, 200, 'requests without a key have no limit');
});

test('an unknown path or method counts for a known key of any kind, and stays 404 or 405 beyond the limit', async () => {
  const { key } = await world.brp();
  const { baseUrl, customerUrl } = platform;
  for (const [origin, secret, known] of [
    [baseUrl, key, '/v1/contracts'],
    [baseUrl, await world.operatorKey(), '/operator/v1/brps'],
    [customerUrl, await world.accountKey(), '/v1/assets'],
  ] as const) {
    const request = client(origin, secret);
    const wrong: [status: number, path: string, method: string][] = [
      [404, '/v1/nowhere', 'GET'],
      [404, '/v1/nowhere', 'POST'],
      [404, '/v1/contracts/', 'GET'],
      [405, known, 'DELETE'],
    ];
    for (let at = 0; at < LIMIT + 4; at++) {
      const [status, path, method] = wrong[at % wrong.length]!;
      const answer = await request(path, { method });
      assert.equal(answer.status, status, `${method} ${path}`);
      const remaining = String(Math.max(0, LIMIT - 1 - at));
      assert.deepEqual(limits(answer).slice(0, 2), [String(LIMIT), remaining], `${method} ${path}`);
    }
    assert.equal((await request(known)).status, 429);
  }
  const stranger = await client(baseUrl, 'nonsense')('/v1/nowhere');
  assert.deepEqual([stranger.status, ...limits(stranger)], [404, null, null, null]);
});

test('two keys of one BRP have separate windows', async () => {
  const brp = await world.brp();
  const { secret } = await world.key(brp);
  for (let i = 0; i <= LIMIT; i++) await client(platform.baseUrl, brp.key)('/v1/contracts');
  assert.equal((await client(platform.baseUrl, secret)('/v1/contracts')).status, 200);
});

test('an address with too many invalid keys is limited, and valid keys from it are not', async () => {
  const stranger = client(platform.baseUrl, 'nonsense');
  const statuses = [];
  for (let i = 0; i < LIMIT + 2; i++) statuses.push((await stranger('/v1/contracts')).status);
  assert.deepEqual(statuses, [...Array.from({ length: LIMIT }, () => 401), 429, 429]);
  const answer = await client(platform.baseUrl)('/v1/contracts');
  assert.equal(problemOf(answer).code, 'rate_limited');
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal(answer.headers.get('x-ratelimit-limit'), null);
  const brp = await world.brp();
  assert.equal((await client(platform.baseUrl, brp.key)('/v1/contracts')).status, 200);
});

const remainingAt = async (baseUrl: string, key: string) =>
  Number((await client(baseUrl, key)('/v1/contracts')).headers.get('x-ratelimit-remaining'));

/** Waits for the Redis connections. Before, the second process does not see the counts of the first. */
async function untilTogether(): Promise<void> {
  for (let together = false; !together; ) {
    const { key } = await first.world.brp();
    await remainingAt(first.baseUrl, key);
    together = (await remainingAt(second.baseUrl, key)) === LIMIT - 2;
  }
}

test('through Redis, all processes count together, until the window ends', async () => {
  await untilTogether();
  const { key } = await first.world.brp();
  const remaining: number[] = [];
  for (let i = 0; i < LIMIT; i++)
    remaining.push(await remainingAt((i % 2 === 0 ? first : second).baseUrl, key));
  assert.deepEqual(
    remaining,
    Array.from({ length: LIMIT }, (_, at) => LIMIT - 1 - at),
  );
  for (const { baseUrl } of [first, second])
    assert.equal((await client(baseUrl, key)('/v1/contracts')).status, 429);
  redis.now += WINDOW_S * 1000;
  const answer = await client(first.baseUrl, key)('/v1/contracts');
  assert.deepEqual(limits(answer), [String(LIMIT), String(LIMIT - 1), String(WINDOW_S)]);
});

test('while Redis is stalled or down each process counts by itself, and together again afterwards', async () => {
  const { key } = await first.world.brp();
  assert.equal(await remainingAt(first.baseUrl, key), LIMIT - 1);
  redis.isSilent = true;
  assert.equal(await remainingAt(first.baseUrl, key), LIMIT - 1, 'stalled: counted in memory from zero');
  redis.isSilent = false;
  await redis.stop();
  assert.equal(await remainingAt(first.baseUrl, key), LIMIT - 2, 'gone');
  assert.equal(await remainingAt(second.baseUrl, key), LIMIT - 1, 'down for the other process too');
  await redis.start();
  await untilTogether();
});

test('a platform whose Redis was never reachable starts, answers and limits', async () => {
  const { key } = await alone.world.brp();
  for (let i = 0; i < LIMIT; i++) assert.equal(await remainingAt(alone.baseUrl, key), LIMIT - 1 - i);
  assert.equal((await client(alone.baseUrl, key)('/v1/contracts')).status, 429);
});
