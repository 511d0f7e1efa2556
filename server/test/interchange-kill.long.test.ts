import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { addDays, dayOf } from '@saldo/core/delivery-day.ts';
import pg from 'pg';
import { interchange, message, profile } from '../../core/test/mscons-documents.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { bodyOf, client } from './harness.ts';
import { INTERCHANGES, meteringOf, newMalo } from './interchanging.ts';
import { startProduct } from './product.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const KEY = 'operator-key-of-this-test';
const environment = {
  DATA_DIR: path.join(folder, 'data'),
  DATABASE_URL: databaseUrl,
  DEMO: 'off',
  SALDO_OPERATOR_KEY: KEY,
};
const holder = new pg.Client({ connectionString: databaseUrl });
await holder.connect();
atEnd(() => holder.end());
let product = await startProduct(environment);
atEnd(() => product.end('SIGKILL'));
const db = openDatabase(databaseUrl);
atEnd(() => db.close());
const world = createWorld(db, { now: () => Date.now() });
const metering = () => meteringOf({ world }, client(product.baseUrl, KEY));
const stored = async () => (await bodyOf(client(product.baseUrl, KEY)(INTERCHANGES))).interchanges;
const WAITING =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

test('after a kill between storing and reading, the next start reads the interchange once, from the message that was left', async () => {
  const [first, second] = [newMalo(), newMalo()];
  const series = [await metering().createMeter(first), await metering().createMeter(second)];
  const today = dayOf(Date.now());
  const days = Array.from({ length: 250 }, (_, at) => addDays(today, -1 - at));
  const text = interchange([
    // Fills the first transaction.
    ...days.map((day, at) => message(profile(first, '2.29.0', day, () => '1').slice(0, 7), `M${at}`)),
    message(
      profile(second, '2.29.0', today, () => '2'),
      'LAST',
    ),
  ]);
  await holder.query('begin');
  await holder.query('select from series where market_location = $1 for no key update', [second]);
  const sent = metering()
    .send(text)
    .catch(() => null);
  await until(async () => (await holder.query(WAITING)).rowCount === 1);
  await product.end('SIGKILL');
  assert.equal(await sent, null);
  await holder.query('rollback');

  product = await startProduct(environment);
  const [read] = await until(async () => {
    const all = await stored();
    return all.every(({ state }: { state: string }) => state === 'applied') && all;
  });
  assert.deepEqual([read.messages, read.rejected_messages, read.unknown], [251, 0, []]);
  assert.equal(Object.keys(await metering().valuesOf(series[1]!, today)).length, 96);
  for (const day of [days[0]!, days[249]!])
    assert.deepEqual(await metering().valuesOf(series[0]!, day), { 1: 1000 });
  const { rows } = await holder.query(
    'select max(revision) as revision, count(*)::int as sheets from series_sheet',
  );
  assert.deepEqual(rows, [{ revision: 1, sheets: 251 }]);
  // The sender tries again, as a gateway does without an answer.
  assert.equal((await bodyOf(metering().send(text))).id, read.id);
  assert.equal((await stored()).length, 1);
});
