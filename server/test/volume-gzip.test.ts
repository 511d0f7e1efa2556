import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { addDays } from '@saldo/core/delivery-day.ts';
import { problemOf, startTestPlatform } from './harness.ts';
import { importing } from './importing.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const { operator, newContract, send: sendFile, stored } = await importing(platform);
const send = (body: Buffer, { type = 'text/csv', encoding = 'gzip', query = '', headers = {} } = {}) =>
  sendFile(type, body, { query, headers: { 'content-encoding': encoding, ...headers } });

const HEADER = 'contract,delivery_date,slot,volume\n';
const csvDay = (name: string, day: string) =>
  Array.from({ length: 92 }, (_, at) => `${name},${day},${at + 1},${at}.125\n`).join('');

test('a file in gzip is imported like the file itself, and so is one of several members', async () => {
  const contract = await newContract();
  const file = Buffer.from(HEADER + csvDay(contract.externalId, '2026-10-22'));
  const dry = await send(gzipSync(file), { query: '?dry_run=true' });
  assert.deepEqual([dry.status, dry.body.created, dry.body.incomplete_days.count], [200, 92, 1]);
  assert.deepEqual(await stored(contract), []);
  const members = Buffer.concat([gzipSync(file.subarray(0, 1000)), gzipSync(file.subarray(1000))]);
  for (const [body, encoding, created] of [
    [gzipSync(file), 'gzip', 92],
    [members, 'GZIP', 0],
    [file, 'identity', 0],
  ] as const) {
    const answer = await send(body, { encoding });
    assert.deepEqual([answer.status, answer.body.created, answer.body.rows], [200, created, 92], encoding);
  }
  const line = { contract: contract.externalId, delivery_date: '2026-10-22', slot: 96, volume: 1 };
  const ndjson = await send(gzipSync(JSON.stringify(line)), { type: 'application/x-ndjson' });
  assert.equal(ndjson.body.created, 1);
});

test('gzip that ends early or is damaged is 400, and nothing of the day it broke in is stored', async () => {
  const contract = await newContract();
  const packed = gzipSync(HEADER + csvDay(contract.externalId, '2026-10-22'));
  const damaged = (at: number) => {
    const copy = Buffer.from(packed);
    copy[at < 0 ? copy.length + at : at]! ^= 0xff;
    return copy;
  };
  for (const [name, body, message] of [
    ['empty', Buffer.alloc(0), /ends too early|required/],
    ['one byte', packed.subarray(0, 1), /ends too early/],
    ['the head only', packed.subarray(0, 10), /ends too early/],
    ['half', packed.subarray(0, packed.length / 2), /ends too early/],
    ['without its check sum', packed.subarray(0, -8), /ends too early/],
    ['one byte short', packed.subarray(0, -1), /ends too early/],
    ['a wrong check sum', damaged(-6), /not valid gzip/],
    ['a wrong length', damaged(-1), /not valid gzip/],
    ['no gzip at all', Buffer.from(HEADER), /not valid gzip/],
  ] as const) {
    const answer = await send(body);
    assert.equal(answer.status, 400, `${name}: ${answer.text}`);
    assert.equal(problemOf(answer).code, 'validation', name);
    assert.match(answer.body.errors[0].message, message, name);
  }
  assert.deepEqual(await stored(contract), []);
  assert.equal((await send(packed)).body.created, 92);
});

test('a large file whose gzip breaks off keeps whole days only, is audited, and can be sent again', async () => {
  const [one, two] = [await newContract(), await newContract()];
  const days = Array.from({ length: 300 }, (_, at) => addDays('2026-01-01', at));
  const file =
    HEADER + [one, two].flatMap(({ externalId }) => days.map((day) => csvDay(externalId, day))).join('');
  const packed = gzipSync(file);
  const headers = { 'x-request-id': 'packed-cut', 'idempotency-key': 'packed-cut' };
  const cut = await send(packed.subarray(0, -50), { headers });
  assert.deepEqual([cut.status, problemOf(cut).code], [400, 'validation']);
  const { entries } = (await operator('/operator/v1/audit?subject=packed-cut')).body;
  assert.equal(entries[0].action, 'volumes.import_broken_off');
  const kept = [...(await stored(one)), ...(await stored(two))];
  assert.equal(kept.length, entries[0].after.created);
  assert.ok(kept.length > 0 && kept.length < 600 * 92);
  assert.equal(kept.length % 92, 0);
  const whole = await send(packed);
  assert.equal(whole.body.created + kept.length, 600 * 92);
});

test('other encodings are 415', async () => {
  const file = Buffer.from(HEADER);
  for (const [encoding, body] of [
    ['br', brotliCompressSync(file)],
    ['deflate', deflateSync(file)],
    ['gzip, gzip', gzipSync(gzipSync(file))],
    ['zstd', file],
  ] as const) {
    const answer = await send(body, { encoding });
    assert.deepEqual([answer.status, problemOf(answer).code], [415, 'unsupported_media_type'], encoding);
  }
});

test('with an Idempotency-Key a repeated file in gzip is imported once', async () => {
  const contract = await newContract();
  const headers = { 'idempotency-key': 'packed-once' };
  const file = (volume: number) => gzipSync(`${HEADER}${contract.externalId},2026-10-22,1,${volume}\n`);
  const first = await send(file(1), { headers });
  const again = await send(file(1), { headers });
  assert.deepEqual([first.body.created, again.text], [1, first.text]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal((await send(file(2), { headers })).status, 409);
});

test('a small file that expands without end is refused, with bounded memory', async () => {
  const contract = await newContract();
  const start = gzipSync(`${HEADER}${contract.externalId},2026-10-22,1,1\n`);
  const member = gzipSync(Buffer.alloc(32 * 1024 * 1024, 'x'));
  const before = process.memoryUsage.rss();
  let most = before;
  let sent = 0;
  async function* bomb() {
    yield start;
    for (; sent < 1000; sent++) {
      yield member;
      most = Math.max(most, process.memoryUsage.rss());
    }
  }
  const response = await fetch(`${platform.baseUrl}/operator/v1/volumes`, {
    method: 'POST',
    headers: {
      'x-api-key': await world.operatorKey(),
      'content-type': 'text/csv',
      'content-encoding': 'gzip',
    },
    body: Readable.toWeb(Readable.from(bomb())),
    duplex: 'half',
  } as RequestInit);
  const { type } = (await response.json()) as { type: string };
  assert.deepEqual([response.status, type.split('/').at(-1)], [413, 'payload_too_large']);
  assert.ok(most - before < 120 * 1e6, `memory grew by ${(most - before) / 1e6} MB`);
  assert.deepEqual(await stored(contract), []);
});
