import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockContract } from '../src/transactions/actions.ts';
import { untilBlockedFor } from './blocked.ts';
import { startTestPlatform } from './harness.ts';
import { exchange, requestText } from './raw-http.ts';

const SILENCE_S = 1;
const platform = await startTestPlatform({
  environment: { REQUEST_TIMEOUT_S: '1', IMPORT_SILENCE_S: String(SILENCE_S) },
});
const twin = await startTestPlatform({ environment: { DATABASE_URL: platform.databaseUrl } });
const { world } = platform;
const key = await world.operatorKey();
const { producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer, { externalId: 'KNOWN' });

const VOLUMES = '/operator/v1/volumes';
const FILE = 'contract,delivery_date,slot,volume\nKNOWN,2026-10-22,1,1.5\n';
const headers = { 'X-Api-Key': key, 'Content-Type': 'text/csv' };

test('a body that never ends gets 408, and nothing is changed', async () => {
  const json = { 'X-Api-Key': key, 'Content-Type': 'application/json', 'Content-Length': '100' };
  const { status, body } = await exchange(
    platform.baseUrl,
    requestText('POST /operator/v1/brps', json, '{"name":"Half'),
  );
  assert.equal(status, 408);
  assert.match(JSON.parse(body).type, /request_timeout$/);
  assert.match(JSON.parse(body).detail, /after 1 s/);
});

test('a stalled import is aborted, and its place is free for the next one', async () => {
  const silent = { ...headers, 'Content-Length': '1000000' };
  // More than the concurrency limit: waiting imports start when the first ones are aborted.
  const cut = Array.from({ length: 5 }, () =>
    exchange(platform.baseUrl, requestText(`POST ${VOLUMES}`, silent, FILE)).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  for (const status of await Promise.all(cut)) assert.notEqual(status, 200);
  const answer = await fetch(`${platform.baseUrl}${VOLUMES}`, { method: 'POST', headers, body: FILE });
  assert.equal(
    ((await answer.json()) as { created: number }).created,
    1,
    'nothing of an incomplete day was stored',
  );
});

test('an import whose last byte has arrived is answered, however long the database takes', async () => {
  const { answered } = await platform.db.transaction(async (tx) => {
    await lockContract(tx, contract.uuid);
    const request = { method: 'POST', headers, body: FILE.replace('1.5', '1.75') };
    const answered = fetch(`${platform.baseUrl}${VOLUMES}`, request).then(
      (answer) => answer.text(),
      () => 'disconnected',
    );
    await untilBlockedFor(tx, 2 * SILENCE_S * 1000);
    return { answered };
  });
  assert.match(await answered, /"corrected":1,/);
});

test('an import repeated at another process with its key is applied once', async () => {
  const body = FILE.replace('1.5', '2.5');
  const send = (baseUrl: string) =>
    fetch(`${baseUrl}${VOLUMES}`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': 'to-both' },
      body,
    });
  const answers = await Promise.all([send(platform.baseUrl), send(twin.baseUrl)]);
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.equal(texts[0], texts[1]);
  assert.equal(JSON.parse(texts[0] ?? '').corrected, 1);
  const replayed = answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true');
  assert.equal(replayed.length, 1, 'one of the two was applied, the other got its answer');
});
