import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../src/platform/db/database.ts';
import { insertRow, updateRow } from '../src/platform/db/rows.ts';
import { statement } from '../src/platform/db/statement.ts';
import { atEnd } from './clean-up.ts';
import { createDatabase } from './databases.ts';

const db = openDatabase(await createDatabase());
atEnd(() => db.close());
const CREATE = statement(
  'test_create_rows',
  'create temporary table test_row (id int unique, a text, b text)',
);
const PREPARED = statement(
  'test_prepared_rows',
  "select name from pg_prepared_statements where name ~ '_test_row_' order by name",
);
const READ = statement('test_read_rows', 'select id, a, b from test_row order by id');

test('rows are written by the names of their columns, whichever and in any order', async () => {
  const rows = await db.rolledBack(async (tx) => {
    await tx.query(CREATE);
    await insertRow(tx, 'test_row', { id: 1, a: 'one', b: undefined });
    await insertRow(tx, 'test_row', { b: 'two', id: 2 });
    assert.deepEqual(await insertRow(tx, 'test_row', { id: 2 }, 'on conflict do nothing returning id'), []);
    await insertRow(tx, 'test_row', { id: 3, a: 'three', b: 'three' });
    const updated = await updateRow(
      tx,
      'test_row',
      { id: 3, a: 'three' },
      { b: null, a: 'other' },
      'returning id',
    );
    assert.deepEqual(updated, [{ id: 3 }]);
    assert.deepEqual(await updateRow(tx, 'test_row', { id: 3, a: 'three' }, { b: 'x' }, 'returning id'), []);
    return tx.query(READ);
  });
  assert.deepEqual(rows, [
    { id: 1, a: 'one', b: null },
    { id: 2, a: null, b: 'two' },
    { id: 3, a: 'other', b: null },
  ]);
});

test('the order of the members of a row makes no other statement', async () => {
  await db.rolledBack(async (tx) => {
    await tx.query(CREATE);
    await insertRow(tx, 'test_row', { id: 1, a: 'one', b: 'two' });
    await updateRow(tx, 'test_row', { id: 1, a: 'one' }, { a: 'x', b: 'y' });
    const prepared = await tx.query(PREPARED);
    await insertRow(tx, 'test_row', { b: 'two', a: 'one', id: 2 });
    await updateRow(tx, 'test_row', { a: 'one', id: 2 }, { b: 'y', a: 'x' });
    assert.deepEqual(await tx.query(PREPARED), prepared);
    assert.deepEqual(await tx.query(READ), [
      { id: 1, a: 'x', b: 'y' },
      { id: 2, a: 'x', b: 'y' },
    ]);
  });
});

test('a name that could be anything but a column is refused', async () => {
  const name = 'a) values (1); drop table contract; --';
  await assert.rejects(
    db.rolledBack(async (tx) => insertRow(tx, 'contract', { [name]: 1 })),
    /constants/,
  );
  await assert.rejects(
    db.rolledBack(async (tx) => updateRow(tx, 'contract', { no: 1 }, { [name]: 1 })),
    /constants/,
  );
});
