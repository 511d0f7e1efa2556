import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { LIMITS, REJECTION_CODES, type RejectionCode } from '@saldo/api';
import { addDays } from '@saldo/core/delivery-day.ts';
import { problemOf, startTestPlatform } from './harness.ts';
import { rejections } from './importing.ts';
import { exchange, requestText } from './raw-http.ts';
import { until } from './until.ts';
import { newLocation, valueImporting } from './value-importing.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const key = await platform.world.operatorKey();
const { operator, newPlant, newSeries, send, stored } = await valueImporting(platform);
const { meter } = await newPlant();
const ID = meter.id;
const DAY = '2026-10-22';
const PATH = '/operator/v1/series/values';
const HEADER = 'series,delivery_date,slot,energy_kwh\n';
const csv = (lines: string | Buffer) =>
  send('text/csv', Buffer.concat([Buffer.from(HEADER), Buffer.from(lines)]));
const ndjson = (lines: string | Buffer) => send('application/x-ndjson', lines);

const json = (members: object) => JSON.stringify({ series: ID, delivery_date: DAY, ...members });
const slotLine = (slot: unknown, value: unknown) => json({ slot, energy_kwh: value });
const list = (first: unknown, count = 96) => [first, ...Array.from({ length: count - 1 }, () => 1)];
const latin1 = Buffer.from(`KÖNIG,${DAY},1,1`, 'latin1');
const long = 'x'.repeat(LIMITS.importLineBytes + 1);
const unknownLocation = newLocation();

/** Codes of contracts. */
const OF_CONTRACTS = [
  'unknown_contract',
  'contract_without_volumes',
  'contract_has_source',
  'day_outside_contract',
  'customer_not_active',
] as const satisfies RejectionCode[];
type ValueRejection = Exclude<RejectionCode, (typeof OF_CONTRACTS)[number]>;
const isOfValues = (code: RejectionCode): code is ValueRejection =>
  !OF_CONTRACTS.some((other) => other === code);

/** Lines that are rejected with each code, in both formats. A missing code does not compile. */
const PROVOCATIONS: Record<ValueRejection, { csv: (string | Buffer)[]; ndjson: (string | Buffer)[] }> = {
  malformed_line: {
    csv: [`${ID},${DAY},1`, `${ID},${DAY},1,1,1`, `"${ID},${DAY},1,1`, ' '],
    ndjson: [
      '{',
      '[]',
      '{}',
      json({ slot: 1 }),
      json({ slot: 1, volume: 1 }),
      json({ slot: 1, energy_kwh: 1, power_kw: 4 }),
      json({ slot: 1, energy_kwh: list(1) }),
      json({ energy_kwh: 1 }),
      json({ slot: 1, energy_kwh: 1, delivery_start: '2026-10-21T22:00:00Z' }),
      json({ slot: 1, energy_kwh: 1, kind: 'both' }),
      json({ slot: 1, energy_kwh: 1, kind: null }),
      json({ slot: 1, energy_kwh: 1, resolution: 'PT30M' }),
      json({ slot: 1, energy_kwh: 1, resolution: 60 }),
      json({ energy_kwh: list(1), resolution: 'PT60M' }),
      json({ slot: 1, energy_kwh: 1, series: 7 }),
      json({ slot: 1, energy_kwh: 1, delivery_date: 20261022 }),
      '{"series":"x","delivery_start":1761084000,"energy_kwh":1}',
      `{"series":"${ID}","delivery_date":"${DAY}","slot":1,"energy_kwh":1,"slot":2}`,
    ],
  },
  wrong_encoding: { csv: [latin1], ndjson: [latin1] },
  line_too_long: { csv: [long], ndjson: [long] },
  unknown_series: {
    csv: [
      `${unknownLocation},${DAY},1,1`,
      `,${DAY},1,1`,
      `ser_01jhm3wa2fe5h8x2z6tdq9vn4m,${DAY},1,1`,
      ` ${ID},${DAY},1,1`,
      `${ID}\0,${DAY},1,1`,
    ],
    ndjson: [
      json({ series: unknownLocation, energy_kwh: list(1) }),
      json({ series: '\ud800', energy_kwh: list(1) }),
      json({ kind: 'forecast', slot: 1, energy_kwh: 1 }),
    ],
  },
  invalid_date: {
    csv: [`${ID},2026-02-30,1,1`, `${ID},,1,1`, `${ID},0001-01-01,1,1`, `${ID},9999-12-31,1,1`],
    ndjson: [
      json({ delivery_date: '2026-13-01', energy_kwh: list(1) }),
      JSON.stringify({ series: ID, delivery_start: '2026-10-22', energy_kwh: 1 }),
      JSON.stringify({ series: ID, delivery_start: '2026-10-22T00:00:00', energy_kwh: 1 }),
      JSON.stringify({ series: ID, delivery_start: '9999-12-31T23:00:00Z', energy_kwh: 1 }),
    ],
  },
  invalid_slot: {
    csv: ['0', '97', '-1', '', '1.0'].map((slot) => `${ID},${DAY},${slot},1`),
    ndjson: [
      ...[0, 97, 1.5, '1', null].map((slot) => slotLine(slot, 1)),
      json({ slot: 94, resolution: 'PT60M', energy_kwh: 1 }),
      JSON.stringify({ series: ID, delivery_start: '2026-10-22T00:00:01Z', energy_kwh: 1 }),
    ],
  },
  wrong_slot_count: {
    csv: [],
    ndjson: [[], list(1, 95), list(1, 100)].map((values) => json({ power_mw: values })),
  },
  invalid_volume: {
    csv: ['', 'much', '1e3', '.5', '"1,25"'].map((value) => `${ID},${DAY},1,${value}`),
    ndjson: [slotLine(1, '1'), slotLine(1, null), json({ energy_kwh: list(true) })],
  },
  negative_volume: {
    csv: [`${ID},${DAY},1,-1`, `${ID},${DAY},1,-0.001`],
    ndjson: [slotLine(1, -1), json({ power_kw: list(-0.5) })],
  },
  too_many_decimals: {
    csv: [`${ID},${DAY},1,1.2345`],
    ndjson: [slotLine(1, 1e-7), json({ slot: 1, power_kw: 0.001 }), json({ power_mw: list(0.000_001) })],
  },
  volume_too_large: {
    csv: [`${ID},${DAY},1,2147483.648`, `${ID},${DAY},1,99999999999999999999`],
    ndjson: [slotLine(1, 2_147_483.648), json({ slot: 1, power_mw: 1e300 })],
  },
  duplicate_slot: {
    csv: [`${ID},${DAY},1,1\n${ID},${DAY},1,1`],
    ndjson: [`${slotLine(1, 1)}\n${json({ energy_kwh: list(1) })}`],
  },
};

for (const code of REJECTION_CODES.filter(isOfValues)) {
  test(`${code} is reported with its line, and nothing of the day is stored`, async () => {
    for (const [format, lines] of [
      [csv, PROVOCATIONS[code].csv],
      [ndjson, PROVOCATIONS[code].ndjson],
    ] as const) {
      for (const line of lines) {
        const shown = line.toString().slice(0, 150);
        const answer = await format(line);
        assert.equal(answer.status, 200, answer.text);
        const { rows, created, rejected, rejected_lines } = answer.body;
        assert.deepEqual(rejections(answer), [`${rows + (format === csv ? 1 : 0)} ${code}`], shown);
        assert.deepEqual([created, rejected_lines], [0, 1], shown);
        assert.ok(rejected[0].message.length > 10, shown);
      }
    }
    assert.deepEqual(await stored(meter, DAY), []);
  });
}

test('a rejected line has its sentence in German, too', async () => {
  const body = `${HEADER}${ID},${DAY},1,-1\n`;
  const answer = await send('text/csv', body, { headers: { 'accept-language': 'de' } });
  assert.equal(answer.body.rejected[0].message, 'Der Wert in energy_kwh darf nicht negativ sein');
});

test('a header must have one time and one unit, and no unknown column', async () => {
  const refused = async (header: string, ...errors: string[]) => {
    const answer = await send('text/csv', `${header}\n`);
    assert.deepEqual(problemOf(answer), { code: 'validation', errors: errors.toSorted() }, header);
  };
  await refused('series,delivery_date,slot', 'energy_kwh required');
  await refused('series,energy_kwh', 'delivery_date required', 'slot required');
  await refused('series,delivery_date,energy_kwh', 'slot required');
  await refused('delivery_start,energy_kwh', 'series required');
  await refused('series,delivery_start,slot,energy_kwh', 'slot validation_failed');
  await refused('series,delivery_start,power_mw,power_kw', 'power_kw validation_failed');
  await refused('contract,delivery_start,power_mw', 'contract unknown_field', 'series required');
  await refused('series,delivery_start,volume', 'energy_kwh required', 'volume unknown_field');
  await refused('series,series,delivery_start,power_mw', 'series validation_failed');
  assert.equal((await send('text/csv', 'power_kw;kind;resolution;delivery_start;series\n')).body.rows, 0);
  for (const type of ['text/csv', 'application/x-ndjson']) {
    assert.deepEqual(problemOf(await send(type, '')), { code: 'validation', errors: [' required'] });
  }
  const decimal = await send('application/x-ndjson', slotLine(1, 1), { query: '?decimal=comma' });
  assert.deepEqual(problemOf(decimal).errors, ['decimal validation_failed']);
});

test('other media types are 415, and a caller that is not the operator is rejected before the body is read', async () => {
  for (const type of ['application/json', 'text/plain', 'text/csv; charset=iso-8859-1']) {
    assert.equal((await send(type, HEADER)).status, 415, type);
  }
  const head = { 'Content-Type': 'text/csv', 'Content-Length': '1000000' };
  assert.equal((await exchange(platform.baseUrl, requestText(`POST ${PATH}`, head))).status, 401);
});

test('a large file is read with bounded memory, and every line is counted', async () => {
  const series = await newSeries();
  const [days, before] = [8000, process.memoryUsage.rss()];
  let most = before;
  async function* lines() {
    yield Buffer.from(HEADER);
    for (let at = 0; at < days; at++) {
      // One slot a line, each day again and again, so that the file is large and its values are few.
      const day = addDays('2026-01-01', at % 50);
      yield Buffer.from(
        Array.from({ length: 50 }, (_, slot) => `${series.id},${day},${slot + 1},1\n`).join(''),
      );
      most = Math.max(most, process.memoryUsage.rss());
    }
  }
  const response = await fetch(platform.baseUrl + PATH, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'text/csv' },
    body: Readable.toWeb(Readable.from(lines())),
    duplex: 'half',
  } as RequestInit);
  const answer = (await response.json()) as Record<string, unknown>;
  assert.equal(response.status, 200, JSON.stringify(answer));
  assert.deepEqual(
    [answer['rows'], answer['created'], answer['unchanged']],
    [days * 50, 50 * 50, days * 50 - 50 * 50],
  );
  assert.ok(most - before < 200 * 1e6, `memory grew by ${(most - before) / 1e6} MB`);
});

test('a body that breaks off stores whole days or none, is audited, and never gets a success', async () => {
  const series = await newSeries();
  const days = Array.from({ length: 900 }, (_, at) => addDays('2024-01-01', at));
  const lines = days.flatMap((day) => [1, 2, 3].map((slot) => `${series.id},${day},${slot},1.125\n`));
  const file = HEADER + lines.join('').slice(0, -3);
  const { hostname, port } = new URL(platform.baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (piece: Buffer) => {
    answer += piece.toString();
  });
  const headers = `Host: test\r\nX-Api-Key: ${key}\r\nContent-Type: text/csv\r\nX-Request-Id: values-cut\r\n`;
  socket.write(`POST ${PATH} HTTP/1.1\r\n${headers}Content-Length: 100000000\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(file, () => resolve()));
  socket.end();
  const entry = await until(
    async () => (await operator('/operator/v1/audit?subject=values-cut')).body.entries[0],
  );
  assert.equal(entry.action, 'series_values.import_broken_off');
  assert.equal(entry.address, '127.0.0.1', 'known, although the connection is closed');
  const { created, changed_days: changed } = entry.after;
  assert.ok(created > 0 && created < 2700, String(created));
  assert.deepEqual([changed.count, changed.first.length], [created / 3, 100]);
  assert.doesNotMatch(answer, /^HTTP\/1\.1 200/);
  let found = 0;
  for (const day of days) {
    const values = await stored(series, day);
    assert.ok(values.length === 0 || values.length === 3, day);
    found += values.length;
  }
  assert.equal(found, created);
});
