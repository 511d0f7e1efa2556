import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints } from '@saldo/api';
import { readHorizon } from '../src/events/store.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { hotStatement, type Statement, statement } from '../src/platform/db/statement.ts';
import { replicaRoute } from '../src/platform/http/routes.ts';
import { atEnd } from './clean-up.ts';
import { createDatabase } from './databases.ts';

const databaseUrl = await createDatabase();
const db = openDatabase(databaseUrl);
atEnd(() => db.close());

const NUMBERS = statement(
  'test_numbers',
  'select n, $1::text as label, null::int as nothing, n::bigint * 10 as tenfold from generate_series(1, $2::int) n',
);
const HOT_NUMBERS = hotStatement('test_hot_numbers', NUMBERS.text);
/** Rows that cannot be read: the last one divides by zero. */
const BROKEN = statement('test_broken', 'select 10 / ($1::int - n) from generate_series(1, $1::int) n');
const TERMINATE_OTHERS = statement(
  'test_terminate_others',
  `select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid()`,
);

const numbers = (label: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ n: at + 1, label, nothing: null, tenfold: (at + 1) * 10 }));

test('concurrent reads each get their own rows, the first ones of a statement too', async () => {
  const counts = Array.from({ length: 50 }, (_, at) => at % 4);
  const found = await Promise.all(counts.map((count, at) => db.query(NUMBERS, [`call ${at}`, count])));
  assert.deepEqual(
    found,
    counts.map((count, at) => numbers(`call ${at}`, count)),
  );
});

test('a statement gives the same values as objects and as arrays', async () => {
  const [objects, arrays] = await Promise.all([db.query(NUMBERS, ['x', 3]), db.arrays(NUMBERS, ['x', 3])]);
  assert.deepEqual(
    arrays,
    objects.map((row) => Object.values(row)),
  );
});

test('a read that fails does not affect any other one', async () => {
  const outcomes = await Promise.allSettled([
    db.query(NUMBERS, ['before', 2]),
    db.query(BROKEN, [3]),
    db.arrays(NUMBERS, ['between', 'not a number']),
    db.query(NUMBERS, ['after', 2]),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(await db.query(NUMBERS, ['later', 1]), numbers('later', 1));
});

test('a statement whose first preparation failed can be prepared again', async () => {
  const wrong: Statement = statement('test_wrong', 'select no_such_column from contract');
  for (const _ of [1, 2]) await assert.rejects(db.query(wrong), /no_such_column/);
});

test('reads on lost connections are repeated on new ones, in the pool and in the pipelines', async () => {
  const readAll = (label: string) =>
    Promise.all(
      Array.from({ length: 20 }, () => [
        db.query(NUMBERS, [label, 1]),
        db.hot.query(HOT_NUMBERS, [label, 1]),
      ]).flat(),
    );
  await readAll('before');
  await db.transaction((tx) => tx.query(TERMINATE_OTHERS));
  for (const label of ['first', 'second']) {
    assert.deepEqual(
      await readAll(label),
      Array.from({ length: 40 }, () => numbers(label, 1)),
    );
  }
});

test('a route that may read from a replica cannot follow the order of commits', () => {
  replicaRoute(brpEndpoints.getContract, async (_call, db) =>
    // @ts-expect-error The type checker rejects it: a replica does not know the locks of open transactions.
    readHorizon(db),
  );
});
