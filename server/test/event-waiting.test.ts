import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { EventPoller } from '../src/events/poller.ts';
import { appendEvents, type NewEvent } from '../src/events/store.ts';
import { openDatabase, type Primary } from '../src/platform/db/database.ts';
import { temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { type Answer, assertProblem, client, startTestPlatform } from './harness.ts';
import { startProduct } from './product.ts';
import { until } from './until.ts';
import { untilReadersWait, waitingReaders } from './waiting-readers.ts';
import { createWorld } from './world.ts';

const AT_ONCE = 2;
// On a busy machine a request may wait for its turn longer than by default.
const platform = await startTestPlatform({
  environment: { REQUESTS_AT_ONCE: String(AT_ONCE), QUEUE_WAIT_MS: '60000' },
});
const second = await startTestPlatform({ environment: { DATABASE_URL: platform.databaseUrl } });
const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const { db, clock, world } = platform;
const brp = await world.brp();
const ask = client(platform.baseUrl, brp.key);

const created = (brpNo = brp.no): NewEvent => ({
  type: 'contract.created',
  tenants: [`brp/${brpNo}`],
  data: { object: 'contract', id: 'con_x' },
});
const append = (on: typeof db, ...events: NewEvent[]) =>
  on.transaction((tx) => appendEvents(tx, events, clock.now()));

const untilWaiting = (count: number, { adminUrl }: { adminUrl: string } = platform) =>
  untilReadersWait(adminUrl, count);

const types = ({ status, body, text }: Answer) => {
  assert.equal(status, 200, text);
  return body.events.map(({ type }: { type: string }) => type);
};

test('a waiting reader gets an event that any process commits', async () => {
  for (const reading of [platform, second]) {
    const answer = client(reading.baseUrl, brp.key)('/v1/events?after=latest&wait=30');
    await untilWaiting(1, reading);
    await append(db, created());
    assert.deepEqual(types(await answer), ['contract.created']);
    await untilWaiting(0, reading);
  }
});

test('events of others and of other types do not end the waiting', async () => {
  const answer = ask('/v1/events?after=latest&wait=30&types=contract.updated');
  await untilWaiting(1);
  await append(db, created(), created(brp.no + 1));
  const updated = { object: 'contract' as const, id: 'con_x', changed: ['delivery_end'] };
  await append(db, { type: 'contract.updated', tenants: [`brp/${brp.no}`], data: updated });
  assert.deepEqual(types(await answer), ['contract.updated']);
});

test('without an event the answer is empty after the time, and its cursor goes on from there', async () => {
  const { body, status } = await ask('/v1/events?after=latest&wait=1');
  assert.deepEqual([status, body.events, body.pagination.has_more], [200, [], false]);
  await append(db, created());
  assert.deepEqual(types(await ask(`/v1/events?after=${body.pagination.next_cursor}&wait=30`)), [
    'contract.created',
  ]);
});

test('the cursor of a waiting reader does not go back when a late announcement lowers the horizon', async (t) => {
  const start = (await ask('/v1/events?after=latest')).body.pagination.next_cursor;
  for (let count = 0; count < 2; count++) await append(db, created());
  const [first, last] = (await ask(`/v1/events?after=${start}`)).body.events;
  const { sequence } = platform.eventIds.placeOf(`brp/${brp.no}`, first.id) ?? assert.fail();
  // Writers announce themselves with these locks. One may take its lock long after it has read the bound.
  const writer = new pg.Client({ connectionString: platform.databaseUrl });
  await writer.connect();
  t.after(() => writer.end());
  const announce = (how: 'lock' | 'unlock', bound: number) =>
    writer.query(`select pg_advisory_${how}_shared(21316::bigint << 48 | $1::bigint)`, [bound]);
  await announce('lock', sequence - 1);
  const behind = ask(`/v1/events?after=${start}&wait=30`);
  await untilWaiting(1);
  let isAnswered = false;
  const reader = ask(`/v1/events?after=${last.id}&wait=2`).finally(() => {
    isAnswered = true;
  });
  await until(async () => isAnswered || (await waitingReaders(platform.adminUrl)) === 2);
  await announce('lock', sequence);
  await announce('unlock', sequence - 1);
  assert.equal(
    (await behind).body.events[0]?.id,
    first.id,
    'the event of one reader ends the waiting of both',
  );
  const { events, pagination } = (await reader).body;
  await announce('unlock', sequence);
  const next = (await ask(`/v1/events?after=${pagination.next_cursor}`)).body.events;
  assert.deepEqual([events, next], [[], []], 'no event is repeated');
});

test('waiting readers take no place of the overload limit and no connection', async () => {
  const many = Array.from({ length: 100 }, () => ask('/v1/events?after=latest&wait=30'));
  await untilWaiting(many.length);
  assert.equal((await ask('/v1/events?limit=1')).status, 200);
  await append(db, created());
  for (const answer of await Promise.all(many)) assert.deepEqual(types(answer), ['contract.created']);
});

test('the waiting ends when the client closes the connection', async () => {
  const leaving = new AbortController();
  const headers = { 'x-api-key': brp.key };
  const url = `${platform.baseUrl}/v1/events?after=latest&wait=30`;
  const answer = fetch(url, { headers, signal: leaving.signal });
  await untilWaiting(1);
  leaving.abort();
  await assert.rejects(answer, { name: 'AbortError' });
  await untilWaiting(0);
});

test('a key that expires or is revoked during the waiting gets no event', async () => {
  const short = await world.key(brp, ['events:read'], clock.now() + 1000);
  const expiring = client(platform.baseUrl, short.secret)('/v1/events?after=latest&wait=30');
  await untilWaiting(1);
  clock.set(new Date(clock.now() + 1000).toISOString());
  await append(db, created());
  assertProblem(await expiring, 401, 'invalid_api_key');

  const operator = client(platform.baseUrl, await world.operatorKey());
  const owner = { type: 'brp', id: brp.id };
  const body = { owner, name: 'revoked', scopes: ['events:read'] };
  const { id, secret } = (await operator.post('/operator/v1/api-keys', body)).body;
  const asRevoked = client(platform.baseUrl, secret);
  const revoked = asRevoked('/v1/events?after=latest&wait=30');
  await untilWaiting(1);
  assert.equal((await operator.delete(`/operator/v1/api-keys/${id}`)).status, 204);
  await until(async () => (await asRevoked('/v1/events?limit=1')).status === 401);
  await append(db, created());
  assertProblem(await revoked, 401, 'invalid_api_key');
});

test('any number of waiting readers share one poll', async () => {
  let queries = 0;
  const counting = {
    query: async () => {
      queries++;
      return [{ last: 7, horizon: 7 }];
    },
  } as unknown as Primary;
  const poller = new EventPoller(counting, pino({ level: 'silent' }));
  const filter = { tenants: ['brp/1'] as const, types: null };
  const leaving = new AbortController();
  const readers = Array.from({ length: 500 }, () => poller.wait(filter, 7, 60_000, leaving.signal));
  assert.equal(poller.waiting, 500);
  await until(() => queries >= 3);
  assert.ok(queries < 10, `${queries} queries`);
  leaving.abort();
  assert.deepEqual(new Set(await Promise.all(readers)), new Set([null]));
  await poller.stop();
  const done = queries;
  assert.equal(await poller.wait(filter, 7, 60_000, new AbortController().signal), null);
  assert.equal(queries, done, 'no query without a reader');
});

test('a stopping server answers its waiting readers at once', async (t) => {
  const product = await startProduct({ DATA_DIR: folder, DATABASE_URL: databaseUrl, DEMO: 'off' });
  const own = openDatabase(databaseUrl);
  t.after(() => own.close());
  const { key } = await createWorld(own, { now: Date.now }).brp();
  // Without the early answer the grace period of the stop, 20 s, would end before the waiting, and reset the connection.
  const answer = client(product.baseUrl, key)('/v1/events?after=latest&wait=30');
  await untilWaiting(1, product);
  const ended = product.end('SIGTERM');
  assert.deepEqual(types(await answer), []);
  assert.equal(await ended, 0);
});
