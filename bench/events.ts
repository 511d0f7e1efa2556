/** Measures what the event log costs an import. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { FORMATS, importing, operatorKey } from './import.ts';
import { comparisonRow, count, type Row } from './measure.ts';
import type { Run } from './run.ts';
import { createWorld } from './world.ts';

/** Least cost without events, divided by the cost with them: events add less than a tenth. */
const LEAST_WITHOUT_EVENTS = 1 / 1.1;
const OPTIONS = `--import ${new URL('./without-events.ts', import.meta.url).href}`;

/** Two servers import market days alternately, one of them without events. Neither nets by itself. */
export async function* measureEvents(run: Run): AsyncGenerator<Row> {
  const { sizes, databases, processes, bench } = run;
  const { contracts } = sizes;
  const url = await databases.create('events');
  await createWorld(url, { contracts, days: 0 });
  const key = await operatorKey(url);
  const start = (name: string, without: string) =>
    processes.product(name, url, { NODE_OPTIONS: OPTIONS, BENCH_WITHOUT: without });
  const [full, bare] = [await start('with events', 'netting'), await start('no events', 'netting events')];
  const comparison = await bench.compare(
    importing(full, key, contracts, '2027-05-01', FORMATS.days),
    importing(bare, key, contracts, '2027-06-01', FORMATS.days),
  );
  const what = `import of a market day of ${count(contracts)} contracts with its events`;
  yield comparisonRow(what, 'without events', comparison, LEAST_WITHOUT_EVENTS);
  await processes.end(full);
  await processes.end(bare);
  await assertMonths(url, ['2027-05']);
}

/** The months of the days that have events: only one of the servers appends them. */
async function assertMonths(url: string, expected: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ month: string }>(
    `select distinct left(one ->> 'delivery_date', 7) as month from event, json_array_elements(data) as one
     where type = 'transactions.created'`,
  );
  await client.end();
  assert.deepEqual(
    rows.map(({ month }) => month),
    expected,
  );
}
