import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  EXPORT_MEDIA_TYPES,
  NOMINATION_COLUMNS,
  NOMINATION_STATUSES,
  type Nomination,
  TRANSACTION_COLUMNS,
  TRANSACTION_STATUSES,
  type Transaction,
} from '@saldo/api';
import { addDays, dayOf, formatInstant, slotCount } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { statement } from '../src/platform/db/statement.ts';
import { temporaryFolder } from './clean-up.ts';
import {
  type Answer,
  assertRefused,
  type Client,
  client,
  problemOf,
  startTestPlatform,
  walk,
} from './harness.ts';
import { confirm, listNominated } from './nominated.ts';

const platform = await startTestPlatform({ now: '2026-03-20T08:00:00Z' });
const { world } = platform;
const { seller: brp, buyer: partner, sellerGroup, buyerGroup, producer, consumer } = await world.pair();
const own = await world.customer(brp, { group: await world.group(brp, ['DE_TENNET']), tso: 'DE_TENNET' });
const { uuid: assetUuid } = await world.asset();
const sold = await world.contract(producer, consumer, { assetUuid });
const bought = await world.contract(consumer, own);
const internal = await world.contract(producer, own);
const request = client(platform.baseUrl, brp.key);
const operator = client(platform.baseUrl, await world.operatorKey());

/** The two days on which the clock changes, and enough ordinary ones for several batches. */
const [SPRING, AUTUMN] = ['2026-03-29', '2026-10-25'];
const DAYS = [SPRING, ...Array.from({ length: 14 }, (_, at) => addDays('2026-03-30', at)), AUTUMN];
const kwhAt = (seed: number) => (day: string) =>
  Array.from({ length: slotCount(day) }, (_, at) => (seed * 7919 + at * at * 31) % 9973);
for (const [at, day] of DAYS.entries()) {
  await world.volumes(sold, day, kwhAt(at + 1)(day));
  await world.volumes(bought, day, kwhAt(at + 101)(day));
  // Sheets with gaps.
  if (at % 3 === 0)
    await world.volumes(
      internal,
      day,
      kwhAt(at)(day).map((kwh, slot) => (slot % 5 === 0 ? kwh : null)),
    );
}
await world.nominate();
// The largest volume, and versions of one slot in many sheets.
platform.clock.set('2026-03-20T09:00:00.750Z');
for (const day of [SPRING, AUTUMN, DAYS[3]!]) {
  for (const kwh of [2_147_483_647, 1, 0, 20])
    await world.volumes(
      sold,
      day,
      kwhAt(1)(day)
        .map((_, slot) => (slot % 7 === 1 ? kwh + slot : null))
        .map((one) => (one === null ? null : Math.min(one, 2_147_483_647))),
    );
}
await world.nominate();
for (const { id, slot_number } of (await walk(
  request,
  `/v1/transactions?status=valid&delivery_date=${SPRING}`,
  'transactions',
  100,
)) as Transaction[])
  if (slot_number % 11 === 0) await world.invalidate(id);
// A customer moves: its transactions get versions with another receiver.
const moved = await request.patch(`/v1/customers/${own.id}`, {
  balance_group: { eic: sellerGroup.eic, tso: 'DE_AMPRION' },
});
assert.equal(moved.status, 200, moved.text);
await world.nominate();
const nominated = await listNominated(request, `&delivery_date=${SPRING}&status=pending`);
await confirm(platform, nominated[0]!, (kw, at) => Math.max(0, kw - (at % 3) * 4));

const folder = await temporaryFolder();
const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
after(() => duckdb.closeSync());
await duckdb.run("set TimeZone = 'UTC'");

const WHOLE = `delivery_start=${encodeURIComponent('2026-03-28T23:00:00Z')}&delivery_end=2026-10-25T23:00:00Z`;
const day = (date: string) => `delivery_date=${date}`;
const TRANSACTION_FILTERS = [
  WHOLE,
  day(SPRING),
  day(AUTUMN),
  day('2026-04-01'),
  day('2027-01-01'),
  ...TRANSACTION_STATUSES.map((status) => `${WHOLE}&status=${status}`),
  `${WHOLE}&sender_eic=${sellerGroup.eic}`,
  `${WHOLE}&receiver_eic=${sellerGroup.eic}`,
  `${WHOLE}&sender_eic=${sellerGroup.eic}&receiver_eic=${buyerGroup.eic}&status=valid`,
  `${WHOLE}&contract_id=${sold.id}`,
  `${WHOLE}&contract_id=${bought.id}&status=superseded`,
  `${WHOLE}&contract_id=con_x`,
  `${WHOLE}&type=ppa&slot_number_from=97`,
  `${day(AUTUMN)}&slot_number_from=9&slot_number_to=12`,
  'delivery_start=2026-03-29T00:10:00%2B01:00&delivery_end=2026-03-30T03:05:00Z',
];
const NOMINATION_FILTERS = [
  WHOLE,
  day(SPRING),
  day(AUTUMN),
  day('2027-01-01'),
  ...NOMINATION_STATUSES.map((status) => `${WHOLE}&status=${status}`),
  `${WHOLE}&eic=${sellerGroup.eic}`,
  `${WHOLE}&tso=DE_TENNET`,
  `${WHOLE}&direction=in`,
  `${WHOLE}&slot_number_from=97`,
  `${day(SPRING)}&slot_number_from=8&slot_number_to=9`,
];

type Format = 'csv' | 'ndjson' | 'parquet';
const exported = async (ask: Client, subject: string, format: Format, query: string) => {
  const prefix = ask === operator ? '/operator/v1' : '/v1';
  const answer = await ask(`${prefix}/exports/${subject}?${query}&format=${format}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
};

const VIEWERS = [
  { name: 'BRP', ask: request, prefix: '/v1' },
  { name: 'operator', ask: operator, prefix: '/operator/v1' },
];

test('an NDJSON export is the walk of the list, byte for byte, for every filter and viewer', async () => {
  let records = 0;
  for (const { name, ask, prefix } of VIEWERS) {
    for (const query of TRANSACTION_FILTERS) {
      const listed = await walk(ask, `${prefix}/transactions?${query}`, 'transactions', 100);
      const text = await exported(ask, 'transactions', 'ndjson', query);
      assert.equal(text, listed.map((one) => `${JSON.stringify(one)}\n`).join(''), `${name} ${query}`);
      records = Math.max(records, listed.length);
    }
    for (const query of NOMINATION_FILTERS) {
      const listed = await walk(ask, `${prefix}/nominations?include_slots=true&${query}`, 'nominations', 100);
      const text = await exported(ask, 'nominations', 'ndjson', query);
      assert.equal(text, listed.map((one) => `${JSON.stringify(one)}\n`).join(''), `${name} ${query}`);
    }
  }
  assert.ok(records > 3000, `${records} are more than one batch`);
});

/** A record of the list as a row of CSV or Parquet: texts, and null for nothing. */
type Row = (string | null)[];
const textOf = (value: string | number | null | undefined) => (value == null ? null : String(value));
const dateOf = (start: string) => dayOf(Date.parse(start));

const transactionRow = (one: Transaction): Row =>
  [
    ...[one.id, one.type, one.contract_id, one.status, one.version, one.previous_transaction_id],
    ...[one.sender.eic, one.sender.asset_id, one.sender.tso, one.receiver.eic, one.receiver.tso],
    ...[dateOf(one.delivery_start), one.delivery_start, one.delivery_end, one.slot_number],
    ...[one.volume, one.created_at],
  ].map(textOf);

const nominationRows = ({ slots = [], ...one }: Nomination): Row[] =>
  slots.map((slot) =>
    [
      ...[one.id, one.status, one.version, one.previous_nomination_id, one.gate_closure, one.confirmed_at],
      ...[one.direction, one.eic, one.tso, one.sent_at, one.counterparty.eic],
      ...[dateOf(slot.delivery_start), slot.delivery_start, slot.delivery_end, slot.slot_number],
      ...[slot.amount, slot.matched_amount, one.created_at],
    ].map(textOf),
  );

const SUBJECTS = [
  {
    subject: 'transactions',
    columns: TRANSACTION_COLUMNS,
    filters: TRANSACTION_FILTERS,
    rows: async (query: string): Promise<Row[]> =>
      (await walk(request, `/v1/transactions?${query}`, 'transactions', 100)).map(transactionRow),
  },
  {
    subject: 'nominations',
    columns: NOMINATION_COLUMNS,
    filters: NOMINATION_FILTERS,
    rows: async (query: string): Promise<Row[]> =>
      (await walk(request, `/v1/nominations?include_slots=true&${query}`, 'nominations', 100)).flatMap(
        nominationRows,
      ),
  },
];

test('a CSV export has a line per quarter-hour with the values of the list, for every filter', async () => {
  for (const { subject, columns, filters, rows } of SUBJECTS) {
    for (const query of filters) {
      const expected = (await rows(query)).map((row) => `${row.map((value) => value ?? '').join(',')}\n`);
      const text = await exported(request, subject, 'csv', query);
      assert.equal(text, [`${columns}\n`, ...expected].join(''), `${subject} ${query}`);
    }
  }
});

const select = async (sql: string) => (await duckdb.runAndReadAll(sql)).getRowsJson() as Row[];

let files = 0;

async function parquetFile(subject: string, query: string): Promise<string> {
  // DuckDB caches files by name, and a rewritten one may have the same time and size.
  const file = path.join(folder, `${++files}.parquet`);
  const answer = await fetch(`${platform.baseUrl}/v1/exports/${subject}?${query}&format=parquet`, {
    headers: { 'x-api-key': brp.key },
  });
  assert.equal(answer.status, 200, query);
  assert.equal(answer.headers.get('content-type'), 'application/vnd.apache.parquet');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  return `'${file}'`;
}

/** DuckDB writes decimals with all digits and instants in its own form. */
const sameText = (value: string | number | null, column: string): string | null => {
  if (value === null) return null;
  if (/^(volume|amount|matched_amount)$/.test(column)) return String(Number(value));
  return /_at$|_start$|_end$|_closure$/.test(column)
    ? formatInstant(Date.parse(String(value)))
    : String(value);
};

test('a Parquet export has the same rows, as another implementation reads them', async () => {
  for (const { subject, columns, filters, rows } of SUBJECTS) {
    const names = columns.split(',');
    for (const query of filters) {
      const file = await parquetFile(subject, query);
      const read = (await select(`select * from ${file}`)).map((row) =>
        row.map((value, at) => sameText(value, names[at]!)),
      );
      assert.deepEqual(read, await rows(query), `${subject} ${query}`);
      const described = await select(`describe select * from ${file}`);
      assert.deepEqual(
        described.map(([name]) => name),
        names,
      );
    }
  }
});

const hideReasons = (from: string, to: string) =>
  platform.db.transaction((tx) =>
    tx.query(statement(`test_rename_${from}`, `alter table invalidation rename column ${from} to ${to}`)),
  );

test('files without a column for it do not look up why transactions are invalid', async () => {
  await hideReasons('reason', 'hidden');
  try {
    for (const [format, status] of Object.entries({ csv: 200, parquet: 200, ndjson: 500 })) {
      const path = `/operator/v1/exports/transactions?delivery_date=${SPRING}&format=${format}`;
      assert.equal((await operator(path)).status, status, format);
    }
  } finally {
    await hideReasons('hidden', 'reason');
  }
});

test('in Parquet volumes are exact decimals, times are instants and the delivery day is a date', async () => {
  const file = await parquetFile('transactions', WHOLE);
  const types = new Map((await select(`describe select * from ${file}`)).map(([name, type]) => [name, type]));
  assert.equal(types.get('volume'), 'DECIMAL(18,3)');
  assert.equal(types.get('delivery_start'), 'TIMESTAMP WITH TIME ZONE');
  assert.equal(types.get('delivery_date'), 'DATE');
  assert.equal(types.get('slot_number'), 'INTEGER');
  const listed: Transaction[] = await walk(request, `/v1/transactions?${WHOLE}`, 'transactions', 100);
  const sumOf = (of: Transaction[]) => of.reduce((sum, { volume }) => sum + BigInt(kwhFromMwh(volume)), 0n);
  const [[sum] = []] = await select(`select (sum(volume) * 1000)::hugeint from ${file}`);
  assert.equal(sum, String(sumOf(listed)));
  assert.ok(sumOf(listed) > 2n ** 36n, 'the largest volume is among them');
  // Row groups are skipped by their statistics.
  const ofAutumn = listed.filter(({ delivery_start }) => dateOf(delivery_start) === AUTUMN);
  const [[autumn, count] = []] = await select(
    `select (sum(volume) * 1000)::hugeint, count(*) from ${file} where delivery_date = '${AUTUMN}'`,
  );
  assert.deepEqual([autumn, count], [String(sumOf(ofAutumn)), String(ofAutumn.length)]);
});

test('a BRP exports its own records only', async () => {
  const stranger = client(platform.baseUrl, (await world.brp()).key);
  for (const subject of ['transactions', 'nominations']) {
    assert.equal(await exported(stranger, subject, 'ndjson', WHOLE), '');
    const [header, ...lines] = (await exported(stranger, subject, 'csv', WHOLE)).split('\n');
    assert.ok(header?.startsWith('id,'));
    assert.deepEqual(lines, ['']);
  }
  const lacking = client(platform.baseUrl, (await world.key(partner, ['nominations:read'])).secret);
  const refused = await lacking(`/v1/exports/transactions?${day(SPRING)}`);
  assert.deepEqual([refused.status, problemOf(refused).code], [403, 'insufficient_scopes']);
  assert.equal((await lacking(`/v1/exports/nominations?${day(SPRING)}`)).status, 200);
});

test('an export needs a delivery time of at most 366 days, and takes no paging', async () => {
  for (const subject of ['transactions', 'nominations']) {
    const ask = (query: string) => request(`/v1/exports/${subject}?${query}`);
    assertRefused(await ask(''), 'delivery_end required', 'delivery_start required');
    assertRefused(await ask('delivery_start=2026-01-01T00:00:00Z'), 'delivery_end required');
    const year = 'delivery_start=2025-12-31T23:00:00Z&delivery_end=';
    assert.equal((await ask(`${year}2027-01-01T23:00:00Z`)).status, 200, '366 days');
    assertRefused(await ask(`${year}2027-01-01T23:15:00Z`), 'delivery_end value_too_large');
    assertRefused(
      await ask(`${year}9999-12-31T23:00:00Z&limit=10`),
      'delivery_end value_too_large',
      'limit unknown_field',
    );
    assertRefused(await ask('delivery_date=2026-02-30'), 'delivery_date invalid_format');
    assertRefused(
      await ask('delivery_start=2026-02-01T00:00:00Z&delivery_end=2026-01-01T00:00:00Z'),
      'delivery_end validation_failed',
    );
    const paging = 'after=x&include_assets=true&include_slots=true&format=xlsx';
    assertRefused(
      await ask(`${day(SPRING)}&${paging}`),
      'after unknown_field',
      'format invalid_enum_value',
      'include_assets unknown_field',
      'include_slots unknown_field',
    );
    assert.equal((await ask(`${day(SPRING)}&delivery_start=2020-01-01T00:00:00Z`)).status, 200);
  }
});

test('the format follows from the parameter, else from Accept, and the file has a name', async () => {
  const heads = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await request(`/v1/exports/nominations?${query}`, { headers });
    return ['content-type', 'content-disposition', 'vary'].map((name) => answer.headers.get(name));
  };
  const vary = 'X-Api-Key, Accept-Encoding';
  const fileOf = (name: string) => `attachment; filename="${name}"`;
  assert.deepEqual(await heads(`${day(SPRING)}&format=csv`, { accept: 'application/x-ndjson' }), [
    'text/csv; charset=utf-8',
    fileOf('nominations_2026-03-29.csv'),
    vary,
  ]);
  assert.deepEqual(await heads(WHOLE, { accept: 'image/png, application/x-ndjson;q=1, text/csv' }), [
    'application/x-ndjson; charset=utf-8',
    fileOf('nominations_2026-03-29_2026-10-25.ndjson'),
    `${vary}, Accept`,
  ]);
  assert.deepEqual(await heads(day(SPRING), { accept: 'application/vnd.apache.parquet' }), [
    'application/vnd.apache.parquet',
    fileOf('nominations_2026-03-29.parquet'),
    `${vary}, Accept`,
  ]);
  assert.equal((await heads(day(SPRING), { accept: '*/*' }))[0], 'text/csv; charset=utf-8');
});

test('the weights in Accept decide: the highest wins, and a format with weight 0 is not sent', async () => {
  const [csv, ndjson, parquet] = Object.values(EXPORT_MEDIA_TYPES);
  const cases = [
    [`${csv};q=0, ${ndjson}`, ndjson],
    [`${csv};q=0.1, ${parquet};q=0.2`, parquet],
    [`${csv};q=0`, ndjson],
    [`${csv};q=0, ${ndjson};q=0`, parquet],
    [`*/*;q=0.5, ${parquet};q=0.4`, csv],
    [`application/*, ${csv};q=0.9`, ndjson],
  ] as const;
  for (const path of ['/v1/exports/transactions', '/v1/exports/nominations'])
    for (const [accept, type] of cases) {
      const { headers } = await request(`${path}?${day(SPRING)}`, { headers: { accept } });
      assert.equal(headers.get('content-type')?.split(';', 1)[0], type, `${path} ${accept}`);
      const asked = await request(`${path}?${day(SPRING)}&format=csv`, { headers: { accept } });
      assert.equal(asked.headers.get('content-type')?.split(';', 1)[0], csv, `format=csv ${accept}`);
    }
});

/** Without the headers of one request, and those of the connection, which `fetch` closes after HEAD. */
const sharedHeaders = ({ headers }: Answer) =>
  [...headers].filter(
    ([name]) => !/^(date|x-request-id|x-ratelimit-.*|connection|keep-alive|transfer-encoding)$/.test(name),
  );

test('HEAD has the status and the headers of an export without its rows', async () => {
  const answer = await request(`/v1/exports/transactions?${WHOLE}&format=ndjson`, { method: 'HEAD' });
  assert.deepEqual([answer.status, answer.text], [200, '']);
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  for (const list of ['transactions', 'nominations']) {
    for (const query of [WHOLE, `${WHOLE}&eic=11XUNKNOWN`, 'delivery_date=2031-01-01']) {
      for (const accept of [...Object.values(EXPORT_MEDIA_TYPES), '*/*']) {
        const path = `/v1/exports/${list}?${query}`;
        const get = await request(path, { headers: { accept } });
        const head = await request(path, { method: 'HEAD', headers: { accept } });
        assert.equal(head.text, '');
        assert.deepEqual(
          [head.status, sharedHeaders(head)],
          [get.status, sharedHeaders(get)],
          `${path} ${accept}`,
        );
      }
    }
  }
});

test('CSV and NDJSON are compressed when asked for, Parquet is not compressed again', async () => {
  const plain = await exported(request, 'transactions', 'ndjson', WHOLE);
  for (const [encoding, decode] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const) {
    // `fetch` would decompress it.
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const headers = { 'x-api-key': brp.key, 'accept-encoding': encoding };
    get(`${platform.baseUrl}/v1/exports/transactions?${WHOLE}&format=ndjson`, { headers }, (answer) => {
      assert.equal(answer.headers['content-encoding'], encoding);
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks)));
      answer.on('error', reject);
    }).on('error', reject);
    const bytes = await promise;
    assert.ok(bytes.length < plain.length / 10);
    assert.equal(decode(bytes).toString(), plain);
  }
  const headers = { 'accept-encoding': 'gzip' };
  const parquet = await request(`/v1/exports/transactions?${WHOLE}&format=parquet`, { headers });
  assert.equal(parquet.headers.get('content-encoding'), null);
});
