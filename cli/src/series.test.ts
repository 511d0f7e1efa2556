import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { json, standIn } from '../../sdk/test/stand-in.ts';
import { runCommand, type Setting } from '../test/run-command.ts';

const ENV = { SALDO_URL: 'https://saldo.test', SALDO_KEY: 'saldo_operator_x' };
const home = await mkdtemp(path.join(tmpdir(), 'saldo-cli-'));
after(() => rm(home, { recursive: true, force: true }));

const saldo = (command: string | string[], setting: Setting = {}) =>
  runCommand(home, command, { env: ENV, ...setting });
const file = (name: string, content: string | Uint8Array) => writeFile(path.join(home, name), content);

const SERIES = {
  id: 'ser_1',
  kind: 'meter',
  owner: { type: 'asset', id: 'ast_1' },
  name: 'Uckermark Nord',
  market_location: '51238696781',
  created_at: '2026-01-14T12:31:07Z',
};

test('series are listed by their filters, and shown', async () => {
  const list = { series: [SERIES], pagination: { limit: 20, has_more: false, next_cursor: null } };
  const { options, requests } = standIn(json(list), json(SERIES));
  const { code, out } = await saldo('series list --kind meter --owner-id ast_1', { fetch: options.fetch });
  assert.equal(code, 0);
  assert.deepEqual(out.split('\n'), [
    'ID     KIND   NAME            MARKET LOCATION  OWNER',
    'ser_1  meter  Uckermark Nord  51238696781      ast_1',
    '',
  ]);
  const shown = await saldo('series show ser_1', { fetch: options.fetch });
  assert.match(shown.out, /\nowner\.type +asset\nowner\.id +ast_1\n/);
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['/operator/v1/series?kind=meter&owner_id=ast_1&limit=20', '/operator/v1/series/ser_1'],
  );
});

test('a series is created for a plant or a customer, and changed', async () => {
  const { options, requests } = standIn(json(SERIES));
  const { fetch } = options;
  const { out } = await saldo('series create --kind forecast --asset ast_1 --name Nord --quiet', { fetch });
  assert.equal(out, 'ser_1\n');
  await saldo('series create --kind meter --customer cust_1 --name Werk --market-location 51238696781', {
    fetch,
  });
  await saldo('series update ser_1 --name Süd', { fetch });
  assert.deepEqual(
    requests.map(({ method, url, body }) => [method, url, JSON.parse(body)]),
    [
      [
        'POST',
        '/operator/v1/series',
        { kind: 'forecast', name: 'Nord', owner: { type: 'asset', id: 'ast_1' } },
      ],
      [
        'POST',
        '/operator/v1/series',
        {
          kind: 'meter',
          name: 'Werk',
          market_location: '51238696781',
          owner: { type: 'customer', id: 'cust_1' },
        },
      ],
      ['PATCH', '/operator/v1/series/ser_1', { name: 'Süd' }],
    ],
  );
});

test('a day of values is written from a file in its unit, and shown with its German times', async () => {
  await file('day.json', '[1250, null]');
  const result = { created: 1, corrected: 0, unchanged: 0, revision: 1 };
  const values = { values: [{ slot_number: 13, energy_wh: 1_250_500, version: 2 }] };
  const { options, requests } = standIn(json(result), json(result), json(values));
  const { fetch } = options;
  assert.match((await saldo('series put ser_1 2026-10-25 --file day.json', { fetch })).out, /created +1\n/);
  await saldo('series put ser_1 2026-10-25 --file - --unit power_mw', { fetch, stdin: '[5]' });
  const { out } = await saldo('series values ser_1 2026-10-25 --slot-number 13', { fetch });
  assert.deepEqual(out.split('\n'), [
    'SLOT  START                  KWH  VERSION',
    '  13  2026-10-25 02:00  1250.500        2',
    '',
  ]);
  assert.deepEqual(
    requests.map(({ method, url, body }) => [method, url, body]),
    [
      ['PUT', '/operator/v1/series/ser_1/days/2026-10-25', '{"energy_kwh":[1250,null]}'],
      ['PUT', '/operator/v1/series/ser_1/days/2026-10-25', '{"power_mw":[5]}'],
      ['GET', '/operator/v1/series/ser_1/values?slot_number=13&delivery_date=2026-10-25', ''],
    ],
  );
});

test('the deviation of a meter from its forecast is a line per day', async () => {
  const day = {
    delivery_date: '2026-10-25',
    forecast_kwh: 1200.5,
    meter_kwh: 1180.25,
    error_kwh: -20.25,
    absolute_error_kwh: 44.75,
    slots_present: 0.99,
  };
  const { options, requests } = standIn(json({ days: [day] }));
  const { out } = await saldo('series deviation ser_1 --from 2026-10-25 --to 2026-10-26', {
    fetch: options.fetch,
  });
  assert.deepEqual(out.split('\n'), [
    'DAY         FORECAST KWH  METER KWH  ERROR KWH  ABSOLUTE ERROR KWH  SLOTS',
    '2026-10-25      1200.500   1180.250    -20.250              44.750   99 %',
    '',
  ]);
  assert.equal(requests[0]?.url, '/operator/v1/series/ser_1/deviation?from=2026-10-25&to=2026-10-26');
});

const IMPORTED = {
  rows: 3,
  created: 2,
  corrected: 0,
  unchanged: 0,
  rejected: [{ line: 3, code: 'unknown_series', message: 'no series 4711' }],
  rejected_lines: 1,
  rejected_days: 1,
  incomplete_days: { count: 1, days: [{ series: 'ser_1', delivery_date: '2026-10-25', missing: 98 }] },
  dry_run: true,
};

test('an import of values prints rejected lines and days with gaps, and exits with 1', async () => {
  await file('values.csv', 'series,delivery_date,slot,energy_kwh\n');
  const { options, requests } = standIn(json(IMPORTED));
  const { code, out } = await saldo('import values values.csv --dry-run', { fetch: options.fetch });
  assert.equal(code, 1);
  assert.match(out, /^3 lines in \d+\.\d s \(dry run: nothing was changed\)\n/);
  assert.match(out, /\n {2}1 line rejected, in 1 series-day\n {2}1 series-day with slots without a value\n/);
  assert.match(out, /\n {3}3 {2}unknown_series {2}no series 4711\n/);
  assert.match(out, /\nSERIES {2}DELIVERY DATE {2}MISSING SLOTS\nser_1 {3}2026-10-25 {16}98\n/);
  assert.equal(requests[0]?.url, '/operator/v1/series/values?dry_run=true');
  assert.equal(requests[0]?.headers.get('content-type'), 'text/csv');
});

const INTERCHANGE = {
  id: 'icg_1',
  messages: 3,
  rejected: [{ message: 2, segment: 14, reason: 'the quantity has four decimals' }],
  rejected_messages: 1,
  unknown: ['51238696781', '51238696790'],
  unknown_locations: 2,
};

test('MSCONS is found by its content, whatever the name and the compression, and its messages are listed', async () => {
  const una = "UNA:+.? '\nUNB+UNOC:3+9900000000018:500'";
  await file('lastgang.txt', `\n${una}`);
  await file('lastgang.csv.gz', gzipSync(`UNB+UNOC:3${'+x'.repeat(100_000)}`));
  const { options, requests } = standIn(json(INTERCHANGE));
  const { fetch } = options;
  const { code, out } = await saldo('import values lastgang.txt', { fetch });
  assert.equal(code, 1);
  assert.match(
    out,
    /^icg_1: 3 messages in \d+\.\d s\n {2}1 message rejected\n {2}2 market locations without a series: 51238696781, 51238696790\n\n/,
  );
  assert.match(out, /\n {6}2 {7}14 {2}the quantity has four decimals\n$/);
  await saldo('import values lastgang.csv.gz --quiet', { fetch });
  assert.equal(
    (await saldo('import values - --format mscons --quiet', { fetch, stdin: una })).out,
    'icg_1\n',
  );
  assert.deepEqual(
    requests.map(({ headers }) => [headers.get('content-type'), headers.get('content-encoding')]),
    [
      ['application/edifact', null],
      ['application/edifact', 'gzip'],
      ['application/edifact', null],
    ],
  );
  const withoutFaults = standIn(json({ ...INTERCHANGE, rejected: [], rejected_messages: 0 })).options;
  assert.equal((await saldo('import values lastgang.txt', { fetch: withoutFaults.fetch })).code, 0);
});

test('an interchange with more faults than its answer lists is counted by the totals', async () => {
  const totals = { messages: 5000, rejected_messages: 1200, unknown_locations: 1500 };
  const large = { ...INTERCHANGE, ...totals, received_at: '2026-10-26T08:00:00Z' };
  const pagination = { limit: 20, has_more: false, next_cursor: null };
  const { fetch } = standIn(json(large), json({ interchanges: [large], pagination })).options;
  await file('large.edi', 'UNB+UNOC:3');
  const { code, out, err } = await saldo('import values large.edi', { fetch });
  assert.equal(code, 1);
  assert.match(out, /\n {2}1,200 messages rejected\n/);
  assert.match(out, /\n {2}1,500 market locations without a series: 51238696781, 51238696790, …\n/);
  assert.match(err, /These are the first 1 of 1200 rejected messages\./);
  assert.match((await saldo('interchanges list', { fetch })).out, / 5000 +1200 +1500 /);
});

test('an explanation names forecast or meter for the operator, and has no such column for a BRP', async () => {
  const part = { id: 'txn_1', contract_id: 'con_1', role: 'sender', volume: 1.25 };
  const explanationOf = (...transactions: object[]) => ({
    ...{ id: 'nom_1', eic: '11XSONNENFELD--F', tso: 'DE_50HERTZ', direction: 'out', version: 1 },
    slots: [{ slot_number: 53, delivery_start: '2026-10-25T12:00:00Z', amount: 2.5, transactions }],
  });
  const imported = { ...part, id: 'txn_2', source: null };
  const { fetch } = standIn(
    json(explanationOf({ ...part, source: 'meter' }, imported)),
    json(explanationOf(part)),
  ).options;
  const { out } = await saldo('explain nom_1', { fetch });
  assert.match(out, / TRANSACTION +CONTRACT +SOURCE\n53 /);
  assert.match(out, / 1\.250 +txn_1 +con_1 +meter\n +1\.250 +txn_2 +con_1 +–\n$/);
  assert.match((await saldo('explain nom_1', { fetch })).out, / TRANSACTION +CONTRACT\n/);
});

test('interchanges are listed and shown with their reasons, and their bytes are printed unchanged', async () => {
  const interchange = {
    ...INTERCHANGE,
    sender: '9900000000018',
    reference: 'REF1',
    received_at: '2026-10-26T08:00:00Z',
    state: 'applied',
    reason: null,
    remarks: [{ message: 3, segment: null, text: 'product 1.29.0 is not of a plant' }],
  };
  const bytes = Buffer.from("UNB+UNOC:3+Stadtwerke Süd'", 'latin1');
  const { options } = standIn(
    json({
      interchanges: [interchange],
      pagination: { limit: 20, has_more: false, next_cursor: null },
    }),
    json(interchange),
    new Response(bytes, { headers: { 'content-type': 'application/edifact' } }),
  );
  const { fetch } = options;
  const list = await saldo('interchanges list', { fetch });
  assert.match(
    list.out,
    /\nicg_1 {2}2026-10-26 09:00 {2}9900000000018 {2}REF1 {7}applied {9}3 {9}1 {8}2 {2}–\n$/,
  );
  const { out } = await saldo('interchanges show icg_1', { fetch });
  assert.match(out, /\nMESSAGE {2}SEGMENT {2}REASON\n {6}2 {7}14 {2}the quantity has four decimals\n/);
  assert.match(out, /\nMESSAGE {2}SEGMENT {2}REMARK\n {6}3 {8}– {2}product 1\.29\.0 is not of a plant\n$/);
  const raw = await saldo('interchanges raw icg_1', { fetch, encoding: 'latin1' });
  assert.deepEqual([raw.code, raw.out], [0, "UNB+UNOC:3+Stadtwerke Süd'"]);
});

test('a contract is created with its source, and its source is replaced or ended', async () => {
  const { options, requests } = standIn(json({ id: 'con_1' }));
  const { fetch } = options;
  await saldo(
    'contracts create --external-id X --type ppa --ppa-type produced --seller a --buyer b --source-forecast ser_1 --source-meter ser_2 --source-share 0.5 --source-max-power 20',
    { fetch },
  );
  await saldo('contracts update con_1 --source-forecast ser_1 --source-share 1', { fetch });
  await saldo('contracts update con_1 --no-source --last-day 2026-10-25', { fetch });
  assert.deepEqual(
    requests.map(({ method, body }) => [method, JSON.parse(body)]),
    [
      [
        'POST',
        {
          external_id: 'X',
          type: 'ppa',
          ppa_type: 'produced',
          seller_customer_id: 'a',
          buyer_customer_id: 'b',
          source: { forecast: 'ser_1', meter: 'ser_2', share: 0.5, max_power_mw: 20 },
        },
      ],
      ['PATCH', { source: { forecast: 'ser_1', meter: null, share: 1, max_power_mw: null } }],
      ['PATCH', { delivery_end: '2026-10-25T23:00:00Z', source: null }],
    ],
  );
});

test('wrong usage of series exits with 2 and the reason, without any request', async () => {
  await file('notes.txt', 'series,slot\n');
  await file('broken.edi.gz', 'not compressed');
  await file('day.json', '[1250');
  await file('lastgang.edi', 'UNB+UNOC:3');
  const wrong: [string, RegExp][] = [
    ['series create --kind meter --name x', /give one of --asset and --customer/],
    ['series create --kind meter --name x --asset a --customer b', /give one of --asset and --customer/],
    ['series create --kind wind --name x --asset a', /Allowed choices are forecast, meter/],
    ['series update ser_1', /give at least one change/],
    ['series put ser_1 2026-10-25', /required option '--file/],
    ['series put ser_1 2026-02-30 --file day.json', /is not a day/],
    ['series put ser_1 2026-10-25 --file day.json', /day\.json is not JSON/],
    ['series put ser_1 2026-10-25 --file x --unit kwh', /Allowed choices are energy_kwh, energy_mwh/],
    ['series values ser_1 soon', /is not a day/],
    ['series deviation ser_1 --from 2026-10-25', /required option '--to/],
    ['import values nowhere.csv', /cannot be read/],
    ['import values notes.txt', /give --format/],
    ['import values -', /give --format/],
    ['import values broken.edi.gz', /cannot be read: incorrect header check/],
    ['import values lastgang.edi --dry-run', /--dry-run is not possible with an MSCONS interchange/],
    ['contracts update con_1', /give at least one change/],
    ['contracts update con_1 --source-forecast ser_1', /a source needs --source-share/],
    ['contracts update con_1 --source-share 1', /a source needs --source-forecast or --source-meter/],
    ['contracts update con_1 --no-source --source-meter ser_1 --source-share 1', /--no-source excludes/],
  ];
  for (const [command, reason] of wrong) {
    const { code, out, err } = await saldo(command);
    assert.equal(code, 2, command);
    assert.match(err, reason, command);
    assert.equal(out, '', command);
  }
});
