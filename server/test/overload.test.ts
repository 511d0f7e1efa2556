import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../src/db/database.ts';
import { assertProblem, client, startTestPlatform } from './harness.ts';
import { createWorld } from './world.ts';

const AT_ONCE = 8;
const platform = await startTestPlatform({ environment: { REQUESTS_AT_ONCE: String(AT_ONCE) } });
const world = createWorld(platform.db, platform.clock);
const brp = await world.brp();
const request = client(platform.baseUrl, brp.key);

/** As problems are told when there is little to do. */
const first404 = await request('/nowhere');
const LOCK = statement('test_lock', 'lock table contract in access exclusive mode');

test('whoever comes too many is turned away at once, those before are answered, and then everybody is again', async () => {
  const { promise: release, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const holding = platform.db.transaction(async (tx) => {
    await tx.query(LOCK);
    isLocked();
    await release;
  });
  await locked;
  // All of them are sent before any can be answered: the first wait for the table, the others do not wait.
  const asked = Array.from({ length: 3 * AT_ONCE }, () => request('/v1/contracts'));
  const first = await Promise.any(
    asked.map(async (answer) => {
      assert.equal((await answer).status, 503);
      return answer;
    }),
  );
  assertProblem(first, 503, 'unavailable');
  assert.equal(first.headers.get('retry-after'), '2');
  await assertTurnedAwayLikeAnyProblem();
  letGo();
  await holding;
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, AT_ONCE);
  assert.equal(statuses.filter((status) => status === 503).length, 2 * AT_ONCE);
  assert.equal((await request('/v1/contracts')).status, 200);
});

/** Reads never become requests then, and changes do; nobody outside can tell. */
async function assertTurnedAwayLikeAnyProblem(): Promise<void> {
  const headers = { 'x-request-id': 'mine-1' };
  for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE']) {
    const answer = await request('/v1/customers/cust_1?a=b', { method, headers });
    assert.equal(answer.status, 503, `${method}, whatever is asked for`);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('x-request-id'), 'mine-1');
    assert.equal(answer.headers.get('vary'), first404.headers.get('vary'));
    assert.equal(answer.headers.get('retry-after'), '2');
    if (method === 'HEAD') continue;
    assert.equal((answer.body as { instance: string }).instance, '/v1/customers/cust_1?a=b');
  }
}

test('clients that leave without their answer make room', async () => {
  for (let round = 0; round < 3; round++) {
    const leaving = new AbortController();
    const gone = Array.from({ length: AT_ONCE }, () =>
      fetch(`${platform.baseUrl}/v1/contracts`, {
        headers: { 'x-api-key': brp.key },
        signal: leaving.signal,
      }).catch(() => null),
    );
    leaving.abort();
    await Promise.all(gone);
  }
  let status = 0;
  for (let tries = 0; tries < 1000 && status !== 200; tries++) ({ status } = await request('/v1/contracts'));
  assert.equal(status, 200);
});
