/** Measures what the event log and the ledger cost an import. */
import assert from 'node:assert/strict';
import pg from 'pg';
import { FORMATS, importing, operatorKey } from './import.ts';
import { comparisonRow, count, type Row } from './measure.ts';
import type { Run } from './run.ts';
import { createWorld } from './world.ts';

type Format = (typeof FORMATS)[keyof typeof FORMATS];

/** Least cost without events or ledger, divided by the cost with them: each adds less than a tenth. */
const LEAST_WITHOUT = 1 / 1.1;
const OPTIONS = `--import ${new URL('./without-events.ts', import.meta.url).href}`;

/** Two servers import market days alternately, one of them without a part. Neither nets by itself. */
async function compareWithout({ sizes, databases, processes, bench }: Run, part: string, format: Format) {
  const { contracts } = sizes;
  const url = await databases.create(part);
  await createWorld(url, { contracts, days: 0 });
  const key = await operatorKey(url);
  const start = (name: string, without: string) =>
    processes.product(name, url, { NODE_OPTIONS: OPTIONS, BENCH_WITHOUT: without });
  const full = await start(`with ${part}`, 'netting');
  const bare = await start(`no ${part}`, `netting ${part}`);
  const comparison = await bench.compare(
    importing(full, key, contracts, '2027-05-01', format),
    importing(bare, key, contracts, '2027-06-01', format),
  );
  await processes.end(full);
  await processes.end(bare);
  const what = `import of a market day of ${count(contracts)} contracts as ${format.name} with its ${part}`;
  return { url, row: comparisonRow(what, `without ${part}`, comparison, LEAST_WITHOUT) };
}

export async function* measureEvents(run: Run): AsyncGenerator<Row> {
  const { url, row } = await compareWithout(run, 'events', FORMATS.days);
  yield row;
  await assertMonths(url, EVENTS);
}

export async function* measureLedger(run: Run): AsyncGenerator<Row> {
  const { url, row } = await compareWithout(run, 'ledger', FORMATS.csv);
  yield row;
  await assertMonths(url, ENTRIES);
}

/** Months of the days that have events. */
const EVENTS = `
  select distinct left(one ->> 'delivery_date', 7) as month from event, json_array_elements(data) as one
  where type = 'transactions.created'`;
/** Months of the sheets whose instant is that of a batch. */
const ENTRIES = `
  select distinct to_char(s.delivery_day, 'YYYY-MM') as month
  from sheet s join ledger_batch b on b.committed_at = s.created_at and position(uuid_send(s.id) in b.records) > 0`;

/** Only the server with the part writes it. */
async function assertMonths(url: string, months: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ month: string }>(months);
  await client.end();
  assert.deepEqual(
    rows.map(({ month }) => month),
    ['2027-05'],
  );
}
