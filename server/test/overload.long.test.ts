import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import type { Database } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { assertProblem, client, startTestPlatform, type TestPlatform } from './harness.ts';
import { parseAnswer, requestText } from './raw-http.ts';
import { until } from './until.ts';

/** Fewer than the readers of the database, so that a scrape gets a connection while all of them are blocked. */
const AT_ONCE = 6;
/** Lines of an import. */
const SLOTS = 10;
const ORIGIN = 'https://portal.example';
const environment = { REQUESTS_AT_ONCE: String(AT_ONCE), CORS_ORIGINS: ORIGIN };

/** Longer than any test takes. */
const patient = await startTestPlatform({ environment: { ...environment, QUEUE_WAIT_MS: '60000' } });
const log: { msg: string; requests: number }[] = [];
const impatient = await startTestPlatform({
  environment: { ...environment, QUEUE_WAIT_MS: '100' },
  logger: pino({ level: 'warn' }, { write: (line) => void log.push(JSON.parse(line)) }),
});

const LOCK = statement('test_lock', 'lock table contract in access exclusive mode');

/** Blocks all reads of contracts until it is released. */
async function stallContracts(db: Database): Promise<{ release: () => Promise<void> }> {
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.query(LOCK);
    isLocked();
    await released;
  });
  await locked;
  return {
    release: () => {
      letGo();
      return holding;
    },
  };
}

async function gauge({ adminUrl }: TestPlatform, name: string): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1]);
}

test('requests beyond the concurrency limit wait, and are answered in turn', async () => {
  const { key } = await patient.world.brp();
  const request = client(patient.baseUrl, key);
  const { release } = await stallContracts(patient.db);
  // The limits of exports do not count their HEAD.
  const asked = Array.from({ length: 3 * AT_ONCE }, (_, at) =>
    at < AT_ONCE / 2
      ? request('/v1/exports/transactions?delivery_date=2026-10-20', { method: 'HEAD' })
      : request('/v1/contracts'),
  );
  await until(async () => (await gauge(patient, 'saldo_http_requests_waiting')) === 2 * AT_ONCE);
  assert.equal(await gauge(patient, 'saldo_http_requests_in_work'), AT_ONCE);
  await release();
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
  assert.equal(await gauge(patient, 'saldo_http_requests_waiting'), 0);
});

test('a request that has waited too long gets a problem, and requests in progress are answered', async () => {
  const { key } = await impatient.world.brp();
  const request = client(impatient.baseUrl, key);
  const usual = await request('/nowhere', { headers: { origin: ORIGIN } });
  const { release } = await stallContracts(impatient.db);
  const inWork = Array.from({ length: AT_ONCE }, () => request('/v1/contracts'));
  await until(async () => (await gauge(impatient, 'saldo_http_requests_in_work')) === AT_ONCE);
  const methods = ['GET', 'HEAD', 'PATCH', 'DELETE'];
  for (const method of methods) {
    const headers = { 'x-request-id': 'mine-1', origin: ORIGIN, 'accept-language': 'de' };
    const answer = await request('/v1/customers/cust_1?a=b', { method, headers });
    assert.equal(answer.status, 503, `${method}, whatever is asked for`);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('x-request-id'), 'mine-1');
    assert.equal(answer.headers.get('retry-after'), '2');
    assert.equal(answer.headers.get('content-language'), 'de');
    for (const name of ['vary', 'access-control-allow-origin', 'access-control-expose-headers']) {
      assert.equal(answer.headers.get(name), usual.headers.get(name), name);
    }
    assert.equal(answer.headers.get('access-control-allow-origin'), ORIGIN);
    if (method === 'HEAD') continue;
    assertProblem(answer, 503, 'unavailable');
    assert.equal(answer.body.instance, '/v1/customers/cust_1?a=b');
    assert.match(answer.body.detail, /^Der Server ist überlastet\./);
  }
  assert.equal((await fetch(`${impatient.adminUrl}/healthz`)).status, 200, 'the admin port has no queue');
  await release();
  for (const { status } of await Promise.all(inWork)) assert.equal(status, 200);
  assert.equal((await request('/v1/contracts')).status, 200);
  await until(() => log.reduce((sum, { requests }) => sum + requests, 0) === methods.length);
  for (const { msg, requests } of log) {
    assert.equal(
      msg,
      `overload: rejected ${requests} requests in the last second (REQUESTS_AT_ONCE=${AT_ONCE})`,
    );
  }
});

test('a request whose body completes under overload waits for a place, and is rejected like others', async () => {
  const { seller, producer } = await impatient.world.pair();
  const { key } = seller;
  const body = JSON.stringify({ metadata: { note: 'late' } });
  const headers = {
    'X-Api-Key': key,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
  };
  const text = requestText(`PATCH /v1/customers/${producer.id}`, headers, body);
  const { hostname, port } = new URL(impatient.baseUrl);
  const late = connect(Number(port), hostname);
  let received = '';
  late.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  late.write(text.slice(0, -1));
  await until(async () => (await gauge(impatient, 'saldo_http_bodies_arriving')) === 1);
  const before = await gauge(impatient, 'saldo_http_overload_rejections_total');
  const { release } = await stallContracts(impatient.db);
  const inWork = Array.from({ length: AT_ONCE }, () => client(impatient.baseUrl, key)('/v1/contracts'));
  await until(async () => (await gauge(impatient, 'saldo_http_requests_in_work')) === AT_ONCE);
  late.write(text.slice(-1));
  await until(() => late.closed);
  assert.equal(parseAnswer(received).status, 503);
  assert.equal(await gauge(impatient, 'saldo_http_overload_rejections_total'), before + 1);
  await release();
  for (const { status } of await Promise.all(inWork)) assert.equal(status, 200);
});

test('imports start and end under overload, and do not count as requests in progress', async () => {
  const world = patient.world;
  const operatorKey = await world.operatorKey();
  const { seller, producer, consumer } = await world.pair();
  await world.contract(producer, consumer, { externalId: 'UNDER-LOAD' });
  const request = client(patient.baseUrl, seller.key);
  const over = new AbortController();
  const load = Array.from({ length: 3 * AT_ONCE }, async () => {
    while (!over.signal.aborted) assert.equal((await request('/v1/contracts')).status, 200);
  });
  await until(async () => (await gauge(patient, 'saldo_http_requests_waiting')) > AT_ONCE);
  /** More imports than places, each with a body that ends only after ordinary requests were answered. */
  const importing = Array.from({ length: AT_ONCE + 1 }, async (_, at) => {
    async function* lines() {
      yield 'contract,delivery_date,slot,volume\n';
      for (let slot = 1; slot <= SLOTS; slot++) {
        assert.equal((await request('/v1/delivery-days/2026-10-22')).status, 200);
        yield `UNDER-LOAD,2026-10-2${at % 5},${slot},${at + 1}\n`;
      }
    }
    const answer = await fetch(`${patient.baseUrl}/operator/v1/volumes?dry_run=true`, {
      method: 'POST',
      headers: { 'x-api-key': operatorKey, 'content-type': 'text/csv' },
      body: Readable.toWeb(Readable.from(lines())),
      duplex: 'half',
    } as RequestInit);
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { rows: number }).rows, SLOTS);
  });
  await Promise.all(importing);
  over.abort();
  await Promise.all(load);
});

test('clients that disconnect before their answer free their places', async () => {
  const { key } = await patient.world.brp();
  const { release } = await stallContracts(patient.db);
  const leaving = new AbortController();
  const gone = Array.from({ length: 3 * AT_ONCE }, () =>
    fetch(`${patient.baseUrl}/v1/contracts`, {
      headers: { 'x-api-key': key },
      signal: leaving.signal,
    }).catch(() => null),
  );
  await until(async () => (await gauge(patient, 'saldo_http_requests_waiting')) === 2 * AT_ONCE);
  leaving.abort();
  await Promise.all(gone);
  await until(async () => (await gauge(patient, 'saldo_http_requests_in_work')) === 0);
  assert.equal((await client(patient.baseUrl, key)('/v1/delivery-days/2026-10-22')).status, 200);
  await release();
});
