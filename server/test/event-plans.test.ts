import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventType } from '@saldo/api';
import pg from 'pg';
import { checkpointEvents } from '../src/events/actions.ts';
import { readNumbers } from '../src/events/numbers.ts';
import { EVENTS_PER_ROW, listEvents, readHorizon, tenantsOf } from '../src/events/store.ts';
import { MEASURE } from '../src/health/metrics.ts';
import type { Owner } from '../src/platform/auth/principal.ts';
import { readerConfig } from '../src/platform/db/connection.ts';
import { openDatabase, type Primary } from '../src/platform/db/database.ts';
import type { Statement } from '../src/platform/db/statement.ts';
import { atEnd } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { type Asked, explain, nodesOf, numberIn } from './explain.ts';

/** Explains the statement of a page on a large log, near its beginning, in its middle and at its end. */

const ROWS = 200_000;
const PAGE = 101;
/** The feeds of a BRP, the operator, an account and all accounts, and those of other BRPs. */
const FEEDS = ['brp/1', 'operator', 'account/1', 'accounts'];
const OTHER_BRPS = 36;

const databaseUrl = await createDatabase();
const db = openDatabase(databaseUrl);
atEnd(() => db.close());
const reader = new pg.Client(readerConfig(databaseUrl));
await reader.connect();
atEnd(() => reader.end());

/** Half of the rows have one event and the others as many as a row can have. One row in a hundred is of another type. */
async function fillLog(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into event (tenant, type, occurred_at, data)
     select coalesce((array['${FEEDS.join("','")}'])[1 + n % ${FEEDS.length + OTHER_BRPS}],
         'brp/' || n % ${FEEDS.length + OTHER_BRPS}),
       case when n / ${FEEDS.length + OTHER_BRPS} % 100 = 0 then 'contract.created' else 'customer.updated' end, now(),
       case when n / ${FEEDS.length + OTHER_BRPS} % 2 = 0 then one.data else full_row.data end
     from generate_series(0, ${ROWS - 1}) as n,
       (select json_build_array(json_build_object('object', 'customer', 'id', 'cust_x')) as data) as one,
       (select json_agg(json_build_object('object', 'customer', 'id', 'cust_x')) as data
        from generate_series(1, ${EVENTS_PER_ROW})) as full_row`,
  );
  await client.query('vacuum (analyze) event');
  await client.end();
}
await fillLog();
const { horizon } = await readHorizon(db);

/** The rows of the log that a page reads, by index, and the pages of the database that it touches. */
async function costOf(one: Asked) {
  const root = await explain(reader, one, 'analyze, buffers, ');
  const scans = nodesOf(root)
    .filter((node) => node['Relation Name'] === 'event')
    .map((node) => ({
      index: `${String(node['Node Type'])} of ${String(node['Index Name'])}`,
      loops: numberIn(node, 'Actual Loops'),
      rows: numberIn(node, 'Actual Rows') * numberIn(node, 'Actual Loops'),
    }));
  return { scans, blocks: numberIn(root, 'Shared Hit Blocks') + numberIn(root, 'Shared Read Blocks') };
}

const OWNERS: Readonly<Record<string, Owner>> = {
  brp: { type: 'brp', brpNo: 1 },
  operator: { type: 'operator' },
  account: { type: 'account', accountNo: 1 },
};

const recordingTo = (asked: Asked[]) =>
  ({
    query(statement: Statement, values: readonly unknown[] = []) {
      asked.push({ statement, values });
      return db.query(statement, values);
    },
  }) as Pick<Primary, 'query'> as Primary;

async function pageOf(owner: Owner, types: readonly EventType[] | null, after: number) {
  const asked: Asked[] = [];
  const filter = { tenants: tenantsOf(owner), types };
  const range = { order: 'oldest_first', after, upTo: horizon, count: PAGE } as const;
  const { events, readTo } = await listEvents(recordingTo(asked), filter, range);
  const [one = assert.fail(), ...others] = asked;
  assert.deepEqual(others, [], 'one statement');
  return { events, readTo, ...(await costOf(one)) };
}

for (const [api, owner] of Object.entries(OWNERS)) {
  const feeds = tenantsOf(owner).length;
  for (const after of [0, Math.floor(horizon / 2), horizon - Math.floor(horizon / 50)]) {
    test(`${api}: 100 events after ${after} of ${horizon} are one index scan per feed`, async () => {
      const { events, scans, blocks } = await pageOf(owner, null, after);
      assert.equal(events.length, PAGE);
      assert.deepEqual(
        scans.map(({ index }) => index),
        ['Index Scan of event_of_tenant'],
      );
      // Half of the rows have one event, and a sort takes some rows in advance.
      assert.ok(scans[0]!.rows <= feeds * PAGE, `${scans[0]?.rows} rows`);
      assert.ok(blocks <= feeds * 150, `${blocks} blocks`);
    });
    test(`${api}: 100 events of a type after ${after} of ${horizon} are one index scan per feed`, async () => {
      const { events, scans, blocks } = await pageOf(owner, ['customer.updated'], after);
      assert.equal(events.length, PAGE);
      const done = scans.filter(({ loops }) => loops > 0);
      assert.deepEqual(
        done.map(({ index }) => index),
        ['Index Scan of event_of_tenant'],
      );
      assert.ok(done[0]!.rows <= feeds * PAGE, `${done[0]?.rows} rows`);
      assert.ok(blocks <= feeds * 150, `${blocks} blocks`);
    });
    test(`${api}: a type without events after ${after} of ${horizon} costs a step`, async () => {
      const { events, readTo, scans } = await pageOf(owner, ['nomination.sent'], after);
      assert.equal(events.length, 0);
      assert.ok(readTo > after);
      for (const { index, rows } of scans) {
        assert.match(index, /of event_of_tenant$/);
        assert.ok(rows <= feeds * 1_000, `${rows} rows`);
      }
    });
  }
}

test('the number of an event is counted from a checkpoint, wherever it is', async () => {
  const numberAt = async (place: number) => {
    const asked: Asked[] = [];
    const [[number] = []] = await readNumbers(recordingTo(asked), [{ feeds: ['brp/1'], places: [place] }]);
    const [one = assert.fail()] = asked;
    return { number, blocks: (await costOf(one)).blocks };
  };
  const range = { order: 'newest_first', after: 0, upTo: horizon, count: 1 } as const;
  const { events } = await listEvents(db, { tenants: ['brp/1'], types: null }, range);
  const { sequence: last } = events[0] ?? assert.fail();
  const uncounted = await numberAt(last);
  await checkpointEvents(db);
  const counted = await numberAt(last);
  const rows = ROWS / (FEEDS.length + OTHER_BRPS);
  assert.deepEqual([uncounted.number, counted.number], Array(2).fill((rows / 2) * (1 + EVENTS_PER_ROW)));
  assert.ok(uncounted.blocks > rows / 2, `${uncounted.blocks} blocks`);
  assert.ok(counted.blocks < 1_500, `${counted.blocks} blocks`);
});

test('a scrape of the metrics reads one row of the log by its key', async () => {
  const { scans } = await costOf({ statement: MEASURE, values: ['2026-11-16T12:00:00Z', '2026-11-16'] });
  assert.deepEqual(
    scans.map(({ index, rows }) => `${index}: ${rows}`),
    ['Index Scan of event_pkey: 0', 'Index Scan of event_pkey: 1'],
  );
});
