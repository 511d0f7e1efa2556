import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, dayOf, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import pg from 'pg';
import { listDaysToSend } from '../src/exchange/process/schedules.ts';
import { MEASURE } from '../src/health/metrics.ts';
import { readerConfig } from '../src/platform/db/connection.ts';
import type { Db } from '../src/platform/db/database.ts';
import type { Statement } from '../src/platform/db/statement.ts';
import { timestamp } from '../src/platform/db/wire-types.ts';
import { type Asked, explain, nodesOf, numberIn } from './explain.ts';
import { client, startTestPlatform } from './harness.ts';
import { confirm, listNominated, only } from './nominated.ts';
import { insertDays, pretendGrowth } from './platform-rows.ts';
import { createRecordedApp } from './recorded-app.ts';

/**
 * A page costs what its days cost, not what the history has. Every page is requested with 3 and with 36 stored months,
 * and its statements are executed with the generic plans of the server's read connections.
 */
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const [DAY, NEXT] = ['2026-10-21', '2026-10-22'];
const LAST_MONTH = new Date('2026-10-01');
/** The first day of the month that is this many months before the last one. */
const firstDayOf = (monthsBefore: number): string =>
  new Date(Date.UTC(LAST_MONTH.getUTCFullYear(), LAST_MONTH.getUTCMonth() - monthsBefore, 1))
    .toISOString()
    .slice(0, 10);
const DAYS_PER_MONTH = 4;
const OTHER_PAIRS = 12;
const LIMIT = 4;

const { world } = platform;
const { seller, buyerGroup, consumer } = await world.pair();
const group = await world.group(seller, ['DE_50HERTZ', 'DE_AMPRION', 'DE_TENNET', 'DE_TRANSNET_BW']);
// With a handful of BRPs, PostgreSQL would skip through indexes that begin with a BRP.
for (let n = 0; n < OTHER_PAIRS; n++) {
  const other = await world.pair();
  await world.contract(other.producer, other.consumer);
}

/** Two days with corrections, invalid transactions, and unsent nominations of which some are superseded or mismatched. */
async function fillYoungDays() {
  const contracts = [];
  for (const tso of ['DE_AMPRION', 'DE_TENNET'] as const) {
    const producer = await world.customer(seller, { group, tso });
    contracts.push(await world.contract(producer, consumer), await world.contract(producer, consumer));
    contracts.push(await world.contract(consumer, producer));
  }
  const request = client(platform.baseUrl, seller.key);
  for (const day of [DAY, NEXT]) {
    for (const contract of contracts) await world.volumes(contract, day, 1000);
    await world.nominate();
    for (const contract of contracts) await world.volumes(contract, day, only(day, [5, 6, 7], 2000, 1000));
    const { transactions } = (await request(`/v1/transactions?delivery_date=${day}&limit=3`)).body;
    for (const { id } of transactions) await world.invalidate(id);
    await world.nominate();
    const [first] = await listNominated(request, `&delivery_date=${day}&status=pending`);
    await confirm(platform, first!, (kw) => kw + 1);
  }
  const { transactions } = (await request(`/v1/transactions?delivery_date=${DAY}&status=superseded`)).body;
  const nominations = await listNominated(request, `&delivery_date=${DAY}`);
  return {
    contract: contracts[0]!.id,
    transaction: String(transactions[0].id),
    transactions: transactions.map(({ id }: { id: string }) => id).join(),
    nomination: nominations.at(-1)!.id,
    nominations: nominations.map(({ id }) => id).join(),
  };
}

const NAMES: Readonly<Record<string, string>> = {
  ...(await fillYoungDays()),
  brp: seller.id,
  late_day: `delivery_date=${firstDayOf(0)}`,
  month: formatInstant(dayStart(firstDayOf(0))),
  last_month: formatInstant(dayStart(firstDayOf(1))),
  sender: group.eic,
  receiver: buyerGroup.eic,
  day: `delivery_date=${DAY}`,
  from: `delivery_start=${formatInstant(dayStart(DAY))}`,
  range: `delivery_start=${formatInstant(dayStart(DAY))}&delivery_end=${formatInstant(dayStart(NEXT))}`,
};
const CALLERS = { brp: seller.key, operator: await world.operatorKey() };
type Caller = keyof typeof CALLERS;

const TRANSACTION_FILTERS = [
  ...['', '&status=valid', '&status=invalid', '&status=superseded', '&type=ppa', '&slot_number_from=96'],
  ...['&contract_id={contract}', '&contract_id={contract}&status=superseded'],
  ...['&sender_eic={sender}', '&receiver_eic={receiver}', '&sender_eic={sender}&receiver_eic={receiver}'],
];
const NOMINATION_FILTERS = [
  ...['', '&status=pending', '&status=partial_match', '&eic={sender}', '&tso=DE_AMPRION', '&direction=out'],
  '&include_slots=true&slot_number_from=1&slot_number_to=1',
];
const listsOf = (path: string, days: readonly string[], filters: readonly string[]) =>
  days.flatMap((day) => filters.map((filter) => `${path}?${day}${filter}&limit=${LIMIT}`));

/** Pages that name their days or their records. */
const PAGES_OF_DAYS: Readonly<Record<Caller, readonly string[]>> = {
  brp: [
    ...listsOf('/v1/transactions', ['{day}'], TRANSACTION_FILTERS),
    ...listsOf('/v1/transactions', ['{day}'], ['&status=superseded&sender_eic={sender}']),
    ...listsOf('/v1/transactions', ['{from}', '{range}'], ['', '&status=superseded', '&sender_eic={sender}']),
    ...listsOf('/v1/contracts/{contract}/transactions', ['{day}', '{range}'], ['', '&status=superseded']),
    '/v1/transactions/{transaction}',
    '/v1/transactions/{transaction}/history',
    '/v1/transactions/bulk?ids={transactions}',
    '/v1/exports/transactions?{day}',
    '/v1/exports/transactions?{range}&contract_id={contract}',
    // The portal's list of what needs attention has a first day and a status.
    ...listsOf('/v1/nominations', ['{day}', '{from}'], NOMINATION_FILTERS),
    ...listsOf('/v1/nominations', ['{day}', '{from}'], ['&eic={sender}&status=superseded']),
    '/v1/nominations/{nomination}',
    '/v1/nominations/{nomination}/history',
    '/v1/nominations/{nomination}/explanation',
    '/v1/nominations/{nomination}/causes',
    '/v1/schedules',
    '/v1/schedules?changed=true',
    '/v1/nominations/{nomination}/schedule',
    '/v1/nominations/{nomination}/reconciliation',
    '/v1/nominations/bulk?ids={nominations}',
    '/v1/nominations/schedule?{day}',
    '/v1/exports/nominations?{day}',
  ],
  operator: [
    ...listsOf('/operator/v1/transactions', ['{day}'], TRANSACTION_FILTERS),
    ...listsOf('/operator/v1/nominations', ['{day}', '{from}'], NOMINATION_FILTERS),
    '/operator/v1/nominations/{nomination}',
    '/operator/v1/nominations/{nomination}/history',
    '/operator/v1/nominations/{nomination}/explanation',
    '/operator/v1/nominations/{nomination}/causes',
    ...listsOf('/operator/v1/exchange/mismatches', ['{day}'], ['', '&tso=DE_AMPRION']),
    ...listsOf('/operator/v1/exchange/unsent', ['{day}'], ['', '&tso=DE_AMPRION']),
    ...listsOf('/operator/v1/nominations/late', ['{late_day}'], ['', '&brp_id={brp}']),
    '/operator/v1/exports/transactions?{day}',
    '/operator/v1/exports/nominations?{day}',
    ...listsOf('/operator/v1/audit', ['since={month}'], ['', '&actor=actor']),
    ...listsOf('/operator/v1/audit', ['until={last_month}&order=newest_first'], ['', '&actor=actor']),
  ],
};

/** Lists from the oldest stored day on. */
const PAGES_WITHOUT_DAYS: Readonly<Record<Caller, readonly string[]>> = {
  brp: [
    ...listsOf('/v1/transactions', [''], TRANSACTION_FILTERS),
    ...listsOf('/v1/contracts/{contract}/transactions', [''], ['', '&status=superseded']),
    ...listsOf('/v1/nominations', [''], NOMINATION_FILTERS),
  ],
  operator: [
    ...listsOf('/operator/v1/transactions', [''], TRANSACTION_FILTERS),
    ...listsOf('/operator/v1/nominations', [''], NOMINATION_FILTERS),
    ...listsOf('/operator/v1/exchange/unsent', [''], ['']),
    ...listsOf('/operator/v1/nominations/late', [''], ['', '&brp_id={brp}']),
  ],
};

const { app, asked } = await createRecordedApp(platform);

/** Requests a page, and the next one if there is one. */
async function request(caller: Caller, address: string): Promise<void> {
  const url = address.replaceAll(/\{(\w+)\}/g, (_, name: string) => NAMES[name] ?? assert.fail(name));
  const answer = await app.inject({ url, headers: { 'x-api-key': CALLERS[caller] } });
  assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`);
  if (url.includes('after=') || !url.includes('limit=')) return;
  const { next_cursor: cursor } = answer.json().pagination;
  if (cursor !== null) await request(caller, `${url}&after=${encodeURIComponent(cursor)}`);
}

const writer = new pg.Client({ connectionString: platform.databaseUrl });
const reader = new pg.Client(readerConfig(platform.databaseUrl));
await writer.connect();
await reader.connect();

/** Tables that grow with time. */
const TABLES = [
  'sheet',
  'sheet_status',
  'invalidation',
  'nomination',
  'anomaly',
  'late_position_day',
  'audit',
];
const COUNTS = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'];

/** Rows that scans of these tables read, blocks that they touch, and how often they descend an index. */
type Reads = { rows: number; blocks: number; searches: number };

async function readsOf(executed: readonly Asked[]): Promise<Reads> {
  const reads = { rows: 0, blocks: 0, searches: 0 };
  for (const one of executed) {
    const plan = await explain(reader, one, 'analyze, buffers, ');
    for (const node of nodesOf(plan)) {
      if (!TABLES.includes(String(node['Relation Name']))) continue;
      const rows = COUNTS.reduce((sum, name) => sum + numberIn(node, name), 0);
      reads.rows += Math.round(rows * numberIn(node, 'Actual Loops'));
      reads.blocks += numberIn(node, 'Shared Hit Blocks') + numberIn(node, 'Shared Read Blocks');
      // PostgreSQL reports the searches of a scan from version 18 on.
      reads.searches += Math.max(numberIn(node, 'Index Searches'), numberIn(node, 'Actual Loops'));
    }
  }
  return reads;
}

async function measure(pages: typeof PAGES_OF_DAYS): Promise<Map<string, Reads>> {
  const found = new Map<string, Reads>();
  for (const [caller, addresses] of Object.entries(pages) as [Caller, readonly string[]][]) {
    for (const address of addresses) {
      asked.length = 0;
      await request(caller, address);
      found.set(`${caller} ${address}`, await readsOf([...asked]));
    }
  }
  return found;
}

/** The statement by which the job finds what it has to send. */
async function askDaysToSend(): Promise<Asked> {
  const found: Asked[] = [];
  const recording = {
    query(statement: Statement, values: readonly unknown[] = []) {
      found.push({ statement, values });
      return platform.db.query(statement, values);
    },
  } as Pick<Db, 'query'> as Db;
  const days = await listDaysToSend(recording, null, platform.clock.now());
  assert.deepEqual(
    days.filter(({ delivery_day: day }) => day >= DAY).map(({ delivery_day: day }) => day),
    [DAY, NEXT],
  );
  return found[0] ?? assert.fail();
}

async function measureAll() {
  const scrape = {
    statement: MEASURE,
    values: [timestamp(platform.clock.now()), dayOf(platform.clock.now())],
  };
  const ofDays = await measure(PAGES_OF_DAYS);
  ofDays.set('metrics', await readsOf([scrape]));
  ofDays.set('job that sends', await readsOf([await askDaysToSend()]));
  return {
    ofDays,
    withoutDays: await measure(PAGES_WITHOUT_DAYS),
  };
}

/** Stores the first days of these months, counted back from the last one. */
async function storeMonths(from: number, to: number): Promise<void> {
  const months = Array.from({ length: to - from }, (_, at) => firstDayOf(from + at));
  const days = months.flatMap((first) =>
    Array.from({ length: DAYS_PER_MONTH }, (_, at) => addDays(first, at)),
  );
  await insertDays(writer, days);
  await writer.query(
    `insert into audit (at, actor, action, subject)
     select day, 'actor', 'action', 'subject' from unnest($1::date[]) day, generate_series(1, 50)`,
    [days],
  );
  await pretendGrowth(writer);
}

await writer.query(
  `insert into message (id, direction, type, tso, delivery_day, version, state, created_at)
   values (gen_random_uuid(), 'in', 'anomaly', 'DE_AMPRION', $1, 1, 'applied', now())`,
  [DAY],
);
await storeMonths(0, 3);
const withFew = await measureAll();
await storeMonths(3, 36);
const withMany = await measureAll();
const { rowCount: nominationsOfDay } = await writer.query('select from nomination where delivery_day = $1', [
  DAY,
]);
await writer.end();
await reader.end();

type Compared = { page: string; few: Reads; many: Reads };

function assertNone(kind: keyof typeof withFew, isWrong: (compared: Compared) => boolean): void {
  const compared = Array.from(withFew[kind], ([page, few]) => ({
    page,
    few,
    many: withMany[kind].get(page)!,
  }));
  const wrong = compared.filter((one) => one.few.rows === 0 || isWrong(one));
  assert.deepEqual(
    wrong.map(({ page, few, many }) => [page, 'with 3 months', few, 'with 36', many]),
    [],
  );
}

test('a page of days or records reads no more rows with 36 stored months than with 3', () => {
  // Except that the planner may choose to read all nominations of the day.
  assertNone('ofDays', ({ few, many }) => many.rows > Math.max(few.rows, nominationsOfDay ?? 0));
});

test('an index scan begins at the first day of its page', () => {
  // Entries that a scan skips are not counted as rows, but are in blocks. An index of 36 months is one level higher.
  assertNone('ofDays', ({ few, many }) => many.blocks > few.blocks + 2 * few.searches);
});

test('a page without days reads rows in proportion to its limit', () => {
  // Two pages, and for each transaction its status and the version that it corrects.
  assertNone('withoutDays', ({ many }) => many.rows > 12 * LIMIT);
});
