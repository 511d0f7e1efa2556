import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { LIMITS, REJECTION_CODES, type RejectionCode } from '@saldo/api';
import { addDays } from '@saldo/core/delivery-day.ts';
import { problemOf, startTestPlatform } from './harness.ts';
import { importing, rejections } from './importing.ts';
import { exchange, requestText } from './raw-http.ts';
import { sourcing } from './sourcing.ts';
import { until } from './until.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const key = await world.operatorKey();
const { operator, consumer, newContract, send, stored: storedOf } = await importing(platform);
const contract = await newContract({ externalId: 'KNOWN' });
const { seller: owner, sellerGroup } = await world.pair();
const pending = await world.customer(owner, { group: sellerGroup });
await world.contract(pending, consumer, { externalId: 'INACTIVE', isActivated: false });
await newContract({ externalId: 'SPOT', type: 'day_ahead' });
await newContract({ externalId: 'UNDATED', last: null });
const sources = await sourcing(platform);
const asset = await world.asset();
const sourced = await newContract({ externalId: 'SOURCED', assetUuid: asset.uuid });
const forecast = await sources.series('forecast', { asset });
await operator.patch(`/operator/v1/contracts/${sourced.id}`, { source: { forecast: forecast.id, share: 1 } });

const HEADER = 'contract,delivery_date,slot,volume\n';
const PATH = '/operator/v1/volumes';
const csv = (lines: string | Buffer) =>
  send('text/csv', Buffer.concat([Buffer.from(HEADER), Buffer.from(lines)]));
const ndjson = (lines: string | Buffer) => send('application/x-ndjson', lines);
const stored = (day: string) => storedOf(contract, day);

const dayLine = (volumes: unknown, contractName: unknown = 'KNOWN', day: unknown = '2026-10-22') =>
  JSON.stringify({ contract: contractName, delivery_date: day, volumes });
const slotLine = (slot: unknown, volume: unknown) =>
  JSON.stringify({ contract: 'KNOWN', delivery_date: '2026-10-22', slot, volume });
const volumes = (first: unknown, count = 96) => [first, ...Array.from({ length: count - 1 }, () => 1)];
const latin1 = Buffer.from('KÖNIG,2026-10-22,1,1', 'latin1');
const long = 'x'.repeat(LIMITS.importLineBytes + 1);

/** The other code is for values of series. */
const CODES = REJECTION_CODES.filter((code) => code !== 'unknown_series');
type VolumeRejection = Exclude<RejectionCode, 'unknown_series'>;

/** Lines that are rejected with each code, in both formats. A missing code does not compile. */
const PROVOCATIONS: Record<VolumeRejection, { csv: (string | Buffer)[]; ndjson: (string | Buffer)[] }> = {
  malformed_line: {
    csv: [
      'KNOWN,2026-10-22,1',
      'KNOWN,2026-10-22,1,1,1',
      'KNOWN,2026-10-22,1,1,25',
      'KNOWN;2026-10-22;1;1',
      '"KNOWN,2026-10-22,1,1',
      '"KNOWN"x,2026-10-22,1,1',
      'KNO"WN,2026-10-22,1,1',
      ' ',
    ],
    ndjson: [
      '{',
      'null',
      '[]',
      '"text"',
      '{}',
      ' ',
      dayLine(volumes(1), 7),
      dayLine(volumes(1), 'KNOWN', 20261022),
      dayLine('all'),
      '{"contract":"KNOWN","delivery_date":"2026-10-22","slot":1}',
      '{"contract":"KNOWN","delivery_date":"2026-10-22","slot":1,"volume":1,"note":""}',
      '{"contract":"KNOWN","delivery_date":"2026-10-22","slot":1,"volume":1,"volumes":[]}',
      '{"contract":"KNOWN","delivery_date":"2026-10-22","slot":1,"volume":1,"__proto__":{}}',
      '{"contract":"KNOWN","delivery_date":"2026-10-22","slot":1,"volume":1,"volume":2}',
      '{"contract":"UNKNOWN","delivery_date":"2026-10-22","volumes":[],"contract":"KNOWN"}',
    ],
  },
  wrong_encoding: { csv: [latin1, Buffer.from([0xc3]), Buffer.from([0xff, 0xfe])], ndjson: [latin1] },
  line_too_long: { csv: [long, `${long}${long}`], ndjson: [long] },
  unknown_contract: {
    csv: [
      'UNKNOWN,2026-10-22,1,1',
      ',2026-10-22,1,1',
      'known,2026-10-22,1,1',
      ' KNOWN,2026-10-22,1,1',
      'con_01jhm3wa2fe5h8x2z6tdq9vn4m,2026-10-22,1,1',
      'KNOWN\0,2026-10-22,1,1',
    ],
    ndjson: [dayLine(volumes(1), 'UNKNOWN'), dayLine(volumes(1), 'KNOWN\0'), dayLine(volumes(1), '\ud800')],
  },
  contract_without_volumes: {
    csv: ['SPOT,2026-10-22,1,1', 'UNDATED,2026-10-22,1,1'],
    ndjson: [dayLine(volumes(1), 'SPOT')],
  },
  invalid_date: {
    csv: [
      'KNOWN,2026-02-30,1,1',
      'KNOWN,22.10.2026,1,1',
      'KNOWN,,1,1',
      'KNOWN,2026-10-22T00:00:00Z,1,1',
      'KNOWN,0000-01-01,1,1',
    ],
    ndjson: [dayLine(volumes(1), 'KNOWN', '2026-13-01')],
  },
  day_outside_contract: {
    csv: ['KNOWN,2025-12-31,1,1', 'KNOWN,2027-01-01,1,1', 'KNOWN,9999-12-31,1,1', 'KNOWN,0001-01-01,1,1'],
    ndjson: [dayLine(volumes(1), 'KNOWN', '2027-01-01')],
  },
  customer_not_active: {
    csv: ['INACTIVE,2026-10-22,1,1', 'INACTIVE,2026-01-01,1,1'],
    ndjson: [dayLine(volumes(1), 'INACTIVE')],
  },
  contract_has_source: {
    csv: ['SOURCED,2026-10-22,1,1'],
    ndjson: [dayLine(volumes(1), 'SOURCED')],
  },
  invalid_slot: {
    csv: ['0', '97', '-1', '', 'one', '1.0', '1e1', '+1', ' 1', '99999999999999999999'].map(
      (slot) => `KNOWN,2026-10-22,${slot},1`,
    ),
    ndjson: [0, 97, -1, 1.5, '1', null, true].map((slot) => slotLine(slot, 1)),
  },
  wrong_slot_count: {
    csv: [],
    ndjson: [
      dayLine([]),
      dayLine(volumes(1, 95)),
      dayLine(volumes(1, 100)),
      dayLine(volumes(1, 96), 'KNOWN', '2026-10-25'),
    ],
  },
  invalid_volume: {
    csv: ['', 'much', '1e3', '.5', '5.', '+1', ' 1', '0x10', 'NaN', '--1', '"1,25"'].map(
      (volume) => `KNOWN,2026-10-22,1,${volume}`,
    ),
    ndjson: [
      ...['1', true, {}, []].map((volume) => dayLine(volumes(volume))),
      slotLine(1, '1'),
      slotLine(1, null),
    ],
  },
  negative_volume: {
    csv: ['KNOWN,2026-10-22,1,-1', 'KNOWN,2026-10-22,1,-0.001'],
    ndjson: [dayLine(volumes(-0.5)), slotLine(1, -1)],
  },
  too_many_decimals: {
    csv: ['KNOWN,2026-10-22,1,1.2345', 'KNOWN,2026-10-22,1,0.0001'],
    ndjson: [dayLine(volumes(1.2345)), slotLine(1, 1e-7)],
  },
  volume_too_large: {
    csv: ['KNOWN,2026-10-22,1,2147483.648', 'KNOWN,2026-10-22,1,99999999999999999999'],
    ndjson: [dayLine(volumes(2_147_483.648)), slotLine(1, 1e300), slotLine(1, 2).replace(':2}', ':1e999}')],
  },
  duplicate_slot: {
    csv: ['KNOWN,2026-10-22,1,1\nKNOWN,2026-10-22,1,1'],
    ndjson: [`${slotLine(1, 1)}\n${dayLine(volumes(1))}`, `${dayLine(volumes(1))}\n${slotLine(96, 1)}`],
  },
};

for (const code of CODES) {
  test(`${code} is reported with its line, and nothing of the day is stored`, async () => {
    const { csv: csvLines, ndjson: jsonLines } = PROVOCATIONS[code];
    for (const [format, lines] of [
      [csv, csvLines],
      [ndjson, jsonLines],
    ] as const) {
      for (const line of lines) {
        const shown = line.toString().slice(0, 100);
        const answer = await format(line);
        assert.equal(answer.status, 200, answer.text);
        const { rows, created, rejected, rejected_lines } = answer.body;
        const header = format === csv ? 1 : 0;
        assert.deepEqual(rejections(answer), [`${rows + header} ${code}`], shown);
        assert.deepEqual([created, rejected_lines], [0, 1], shown);
        assert.ok(rejected[0].message.length > 10, shown);
      }
    }
    assert.deepEqual(await stored('2026-10-22'), []);
  });
}

test('every rejected line of a day is listed, up to a thousand, and all are counted', async () => {
  const lines = Array.from({ length: 96 * 20 }, (_, at) => {
    const day = addDays('2026-03-01', Math.floor(at / 96));
    return `UNKNOWN,${day},${(at % 96) + 1},1\n`;
  });
  const answer = await csv(`${lines.join('')}KNOWN,2026-10-22,1,x\n`);
  assert.equal(answer.body.rejected.length, LIMITS.rejectedLines);
  assert.deepEqual(
    answer.body.rejected.map(({ line }: { line: number }) => line),
    Array.from({ length: LIMITS.rejectedLines }, (_, at) => at + 2),
  );
  assert.equal(answer.body.rejected_lines, 1921);
  assert.equal(answer.body.rejected_days, 21);
  assert.equal(answer.body.rows, 1921);
});

test('a header that cannot be used, or no body at all, is a validation problem', async () => {
  const refused = async (body: string | Buffer, ...errors: string[]) => {
    const answer = await send('text/csv', body);
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: errors.toSorted() });
  };
  await refused('', ' required');
  await refused('\ufeff', ' required');
  await refused('contract,delivery_date,slot\nKNOWN,2026-10-22,1', 'volume required');
  await refused('contract,delivery_date,slot,volume,slot\n', 'slot validation_failed');
  await refused('contract,delivery_date,slot,volume,unit\n', 'unit unknown_field');
  await refused(
    'contract:delivery_date:slot:volume\n',
    'contract:delivery_date:slot:volume unknown_field',
    ...['contract required', 'delivery_date required', 'slot required', 'volume required'],
  );
  await refused(
    'contract;delivery_date,slot;volume\n',
    'contract;delivery_date unknown_field',
    'slot;volume unknown_field',
    ...['contract required', 'delivery_date required', 'slot required', 'volume required'],
  );
  await refused('"contract,delivery_date,slot,volume\n', ' invalid_format');
  await refused(Buffer.from('contract,delivery_date,slot,größe\n', 'latin1'), ' invalid_format');
  await refused(`${'contract,'.repeat(LIMITS.importLineBytes)}\n`, ' value_too_large');
  const empty = await send('application/x-ndjson', '');
  assert.deepEqual(problemOf(empty), { code: 'validation', errors: [' required'] });
  const bodiless = await operator.post(PATH);
  assert.deepEqual(problemOf(bodiless), { code: 'validation', errors: [' required'] });
  assert.deepEqual((await csv('')).body.rows, 0);
  assert.deepEqual((await ndjson('\n\r\n')).body.rows, 0);
});

test('only CSV and NDJSON in UTF-8 are accepted', async () => {
  const body = `${HEADER}KNOWN,2026-10-23,1,1\n`;
  for (const type of [
    'text/plain',
    'application/json',
    'text/csvx',
    'application/octet-stream',
    'text/csv; charset=iso-8859-1',
    'application/x-ndjson;charset=utf-16',
    'multipart/form-data; boundary=x',
  ]) {
    const answer = await send(type, body);
    assert.deepEqual([answer.status, problemOf(answer).code], [415, 'unsupported_media_type'], type);
  }
  const untyped = { 'X-Api-Key': key, 'Content-Length': String(body.length) };
  assert.equal((await exchange(platform.baseUrl, requestText(`POST ${PATH}`, untyped, body))).status, 415);
  const packed = { headers: { 'content-encoding': 'br' } };
  assert.equal((await send('text/csv', body, packed)).status, 415);
  assert.deepEqual(await stored('2026-10-23'), []);
  for (const type of ['text/csv', 'Text/CSV; charset="utf-8"', 'text/csv; header=present; charset=UTF8']) {
    assert.equal((await send(type, body)).status, 200, type);
  }
  const query = await send('text/csv', body, { query: '?dry_run=yes&mode=fast' });
  assert.deepEqual(problemOf(query).errors, ['dry_run invalid_enum_value', 'mode unknown_field']);
});

test('a body may be far larger than those of other operations', async () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => `KNOWN,2026-11-${10 + (at % 20)},5,1.5\n`);
  const answer = await csv(lines.join(''));
  assert.ok(lines.join('').length > LIMITS.bodyBytes);
  assert.equal(answer.status, 200);
  assert.deepEqual([answer.body.rows, answer.body.created, answer.body.unchanged], [60_000, 20, 59_980]);
});

const head = (extra: string) =>
  `POST ${PATH} HTTP/1.1\r\nHost: test\r\nX-Api-Key: ${key}\r\nContent-Type: text/csv\r\n${extra}\r\n\r\n`;

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(platform.baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** The audit event of an aborted import, which is written when the server has noticed. */
const brokenOff = (requestId: string) =>
  until(async () => (await operator(`/operator/v1/audit?subject=${requestId}`)).body.entries[0]);

test('an interrupted stream stores whole days or none, and never gets a success', async () => {
  const days = Array.from({ length: 300 }, (_, at) => addDays('2026-01-01', at));
  const slots = Array.from({ length: 92 }, (_, at) => at + 1);
  const lines = days.flatMap((day) => slots.map((slot) => `CUT,${day},${slot},1.125\n`)).join('');
  for (const [round, framing] of ['Transfer-Encoding: chunked', 'Content-Length: 100000000'].entries()) {
    const name = `CUT-${round}`;
    const cut = await newContract({ externalId: name });
    // The last line is truncated within a day that would otherwise be complete.
    const file = Buffer.from(
      HEADER + lines.replaceAll('CUT', name) + lines.replaceAll('CUT', name).slice(0, -3),
    );
    const socket = await open();
    let answer = '';
    socket.on('data', (piece: Buffer) => {
      answer += piece.toString();
    });
    const chunk = round === 0 ? `${file.length.toString(16)}\r\n` : '';
    socket.write(head(`${framing}\r\nX-Request-Id: cut-${round}`) + chunk);
    await new Promise<void>((resolve) => socket.write(file, () => resolve()));
    socket.end();
    const entry = await brokenOff(`cut-${round}`);
    assert.equal(entry.action, 'volumes.import_broken_off');
    assert.ok(entry.after.created > 0 && entry.after.created < 92 * 300 + 1, JSON.stringify(entry.after));
    assert.doesNotMatch(answer, /^HTTP\/1\.1 200/);
    const transactions = await storedOf(cut);
    assert.equal(transactions.length, entry.after.created);
    assert.equal(transactions.length % 92, 0);
  }
});

test('a stream interrupted within its first day stores nothing, and its key may be used again', async () => {
  await newContract({ externalId: 'FIRST' });
  const headers = 'Transfer-Encoding: chunked\r\nIdempotency-Key: cut-early';
  const part = `${HEADER}FIRST,2026-10-22,1,1\nFIRST,2026-10-22,2,1\n`;
  const socket = await open();
  await new Promise<void>((resolve) =>
    socket.write(`${head(headers)}${part.length.toString(16)}\r\n${part}\r\n`, () => resolve()),
  );
  socket.destroy();
  const again = await send('text/csv', part, { headers: { 'idempotency-key': 'cut-early' } });
  assert.deepEqual([again.status, again.body.created], [200, 2]);
});

test('broken chunked encoding is never a success', async () => {
  const answer = await exchange(
    platform.baseUrl,
    `${head('Transfer-Encoding: chunked\r\nConnection: close')}5\r\n${HEADER}`,
  );
  assert.equal(answer.status, 400);
});

test('an endless line is rejected without buffering it, and later lines are read', async () => {
  const megabyte = Buffer.alloc(1 << 20, 'x');
  const [before, size] = [process.memoryUsage.rss(), 200];
  let most = before;
  async function* body() {
    yield Buffer.from(HEADER);
    for (let sent = 0; sent < size; sent++) {
      yield megabyte;
      most = Math.max(most, process.memoryUsage.rss());
    }
    yield Buffer.from('\nKNOWN,2026-12-01,1,1\n');
  }
  const response = await fetch(platform.baseUrl + PATH, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'text/csv' },
    body: Readable.toWeb(Readable.from(body())),
    duplex: 'half',
  } as RequestInit);
  const answer = (await response.json()) as Record<string, unknown>;
  assert.deepEqual([answer['rows'], answer['created'], answer['rejected_lines']], [2, 1, 1]);
  assert.ok(most - before < 120 * 1e6, `memory grew by ${(most - before) / 1e6} MB`);
});

test('a caller that is not the operator is rejected before the body is read', async () => {
  const answer = await exchange(
    platform.baseUrl,
    requestText(`POST ${PATH}`, { 'Content-Type': 'text/csv', 'Content-Length': '1000000' }),
  );
  assert.equal(answer.status, 401);
});
