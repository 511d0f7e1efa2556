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
