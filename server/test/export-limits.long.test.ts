import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { addDays } from '@saldo/core/delivery-day.ts';
import { statement } from '../src/platform/db/statement.ts';
import { untilBlockedFor } from './blocked.ts';
import { assertProblem, client, startTestPlatform } from './harness.ts';
import { startSevered } from './severed.ts';
import { until } from './until.ts';

/** Few places for ordinary requests: exports must not take any of them. */
const platform = await startTestPlatform({ environment: { REQUESTS_AT_ONCE: '2', RATE_LIMIT: '1000' } });
const { world } = platform;
const { seller, buyer, producer, consumer } = await world.pair();
const FIRST = '2026-01-01';
const DAYS = 200;
const contracts = [await world.contract(producer, consumer), await world.contract(consumer, producer)];
for (const contract of contracts)
  for (let at = 0; at < DAYS; at++) await world.volumes(contract, addDays(FIRST, at), 1000 + at);

/** 18 MB as NDJSON, much more than the sockets of both sides hold. */
const LARGE =
  '/v1/exports/transactions?format=ndjson&delivery_start=2025-12-31T23:00:00Z&delivery_end=2026-12-31T23:00:00Z';
const SMALL = '/v1/exports/transactions?format=ndjson&delivery_date=2026-01-01';
const SILENCE_S = 1;
const impatient = await startTestPlatform({
  environment: { DATABASE_URL: platform.databaseUrl, EXPORT_SILENCE_S: String(SILENCE_S) },
});
const severed = await startSevered(platform.databaseUrl);

const opened = new Set<IncomingMessage>();
after(() => {
  for (const answer of opened) answer.destroy();
});

/** An export whose reader takes its first bytes and then stops. */
async function stoppedReader(baseUrl: string, key: string, path = LARGE): Promise<IncomingMessage> {
  const sent = get(`${baseUrl}${path}`, { headers: { 'x-api-key': key }, agent: false });
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  // A connection that the server breaks is an error of the response.
  answer.on('error', () => {});
  opened.add(answer);
  await once(answer, 'readable');
  assert.equal(answer.statusCode, 200);
  return answer;
}

/** Reads the rest. `isWhole` is false when the connection broke before the end. */
async function readRest(answer: IncomingMessage): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  // `once` of node:events would reject with the error of a broken connection.
  await new Promise((resolve) => answer.once('close', resolve));
  opened.delete(answer);
  return { text: Buffer.concat(chunks).toString(), isWhole: answer.complete };
}

async function close(answer: IncomingMessage): Promise<void> {
  const closed = once(answer, 'close');
  answer.destroy();
  await closed;
  opened.delete(answer);
}

test('a key has four exports at once, the fifth gets 429 and none of them a second request', async () => {
  const { secret } = await world.key(seller);
  const request = client(platform.baseUrl, secret);
  const remaining = async () =>
    Number((await request('/v1/delivery-days/2026-01-01')).headers.get('x-ratelimit-remaining'));
  const before = await remaining();
  const readers = [];
  for (let at = 0; at < LIMITS.exports.atOnce; at++)
    readers.push(await stoppedReader(platform.baseUrl, secret));
  assert.equal(before - (await remaining()), LIMITS.exports.atOnce + 1, 'one export is one request');
  const refused = await request(SMALL);
  assertProblem(refused, 429, 'too_many_exports');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(
    (await client(platform.baseUrl, seller.key)(SMALL)).status,
    200,
    'another key of the same BRP',
  );
  const operator = client(platform.baseUrl, await world.operatorKey());
  assert.equal((await operator(`/operator${SMALL}`)).status, 200);
  assert.equal((await request(SMALL, { method: 'HEAD' })).status, 200, 'HEAD takes no place');
  await close(readers[0]!);
  await until(
    async () => (await request(SMALL)).status === 200,
    () => 'a closed export frees its place',
  );
  for (const reader of readers.slice(1)) await close(reader);
});

const CONNECTIONS = statement(
  'test_connections',
  `select count(*) filter (where state <> 'idle')::int as busy from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid()`,
);

test('readers that stop hold no place, connection or transaction, and can go on', async () => {
  const keys = [];
  for (let at = 0; at < 3; at++) keys.push((await world.key(seller)).secret);
  const whole = (await client(platform.baseUrl, seller.key)(LARGE)).text;
  const readers = [];
  for (const key of keys)
    for (let at = 0; at < LIMITS.exports.atOnce; at++)
      readers.push(await stoppedReader(platform.baseUrl, key));
  await until(
    async () => {
      const [found] = await platform.db.query<{ busy: number }>(CONNECTIONS);
      return found?.busy === 0;
    },
    () => 'no connection of the database is busy or in a transaction',
  );
  const request = client(platform.baseUrl, buyer.key);
  for (let page = 0; page < 20; page++)
    assert.equal((await request('/v1/transactions?limit=100')).status, 200);
  for (const { text, isWhole } of await Promise.all(readers.map(readRest))) {
    assert.ok(isWhole);
    assert.equal(text, whole);
  }
});

test('an export that volumes are corrected during has every earlier record once, and later days as corrected', async () => {
  const path = LARGE.replace('ndjson', 'csv');
  const before = (await client(platform.baseUrl, buyer.key)(path)).text.trimEnd().split('\n').slice(1);
  const reader = await stoppedReader(platform.baseUrl, buyer.key, path);
  const [first, last] = [FIRST, addDays(FIRST, DAYS - 1)];
  for (const day of [first, last]) await world.volumes(contracts[0]!, day, 77);
  const { text, isWhole } = await readRest(reader);
  assert.ok(isWhole);
  const lines = text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  const idsOf = (all: readonly string[][]) => all.map(([id]) => id);
  assert.equal(new Set(idsOf(lines)).size, lines.length, 'each once');
  const earlier = new Set(idsOf(before.map((line) => line.split(','))));
  assert.deepEqual(
    idsOf(lines.filter(([id]) => earlier.has(id))),
    [...earlier],
    'all earlier ones, in order',
  );
  const corrected = lines.filter(([id]) => !earlier.has(id));
  assert.deepEqual([...new Set(corrected.map((line) => line[11]))], [last], 'the first day was sent already');
  assert.equal(corrected.length, 96);
});

test('a reader that takes nothing for a while is disconnected, and its place is free again', async () => {
  const readers = [];
  for (let at = 0; at < LIMITS.exports.atOnce; at++)
    readers.push(await stoppedReader(impatient.baseUrl, seller.key));
  const request = client(impatient.baseUrl, seller.key);
  await until(
    async () => (await request(SMALL)).status === 200,
    () => 'the places are free again',
  );
  const rest = await Promise.all(readers.map(readRest));
  // The others may go on before their time is over.
  assert.ok(rest.some(({ isWhole }) => !isWhole));
});

const LOCK = statement('test_lock', 'lock table contract in access exclusive mode');

test('a reader that waits for the database is not disconnected', async () => {
  const request = client(impatient.baseUrl, seller.key);
  const expected = (await client(platform.baseUrl, seller.key)(SMALL)).text;
  const exportSlowly = () =>
    platform.db.transaction(async (tx) => {
      await tx.query(LOCK);
      const answered = request(SMALL).catch(() => null);
      await untilBlockedFor(tx, 1.5 * SILENCE_S * 1000);
      return { answered };
    });
  const answer = await until(async () => {
    const answered = await (await exportSlowly()).answered;
    assert.ok(answered, 'it was disconnected');
    // On a busy machine the lock may outlast the time limit of the statement.
    return answered.status === 503 ? null : answered;
  });
  assert.deepEqual([answer.status, answer.text], [200, expected]);
});

test('a failure breaks the connection, so that no part is taken for the whole', async () => {
  const formats = ['ndjson', 'csv'];
  const readers = await Promise.all(
    formats.map((format) => stoppedReader(severed.baseUrl, seller.key, LARGE.replace('ndjson', format))),
  );
  await severed.cut();
  for (const { text, isWhole } of await Promise.all(readers.map(readRest))) {
    assert.ok(text.length > 0);
    assert.equal(isWhole, false);
  }
  // Before the first row the failure is still an ordinary answer.
  for (const format of [...formats, 'parquet'])
    assertProblem(
      await client(severed.baseUrl, seller.key)(SMALL.replace('ndjson', format)),
      503,
      'unavailable',
    );
});
