import { hash } from 'node:crypto';
import { assert } from '@saldo/core/assert.ts';
import type { Tx } from './database.ts';
import { statement } from './statement.ts';

/** Values by the names of their columns. Instants and JSON are text, as Postgres reads them. */
type Columns = Readonly<Record<string, unknown>>;

/** Sorted, so that rows with the same columns in any order share one prepared statement. */
const namesOf = (columns: Columns): string[] => {
  const names = Object.keys(columns).sort();
  assert(
    names.every((name) => /^[a-z_]+$/.test(name)),
    'the names of columns are constants',
  );
  return names;
};

const valuesOf = (columns: Columns): unknown[] => namesOf(columns).map((name) => columns[name]);

/** The name depends on the text, because a name is prepared for one text only. */
const prepared = (stem: string, text: string) => statement(`${stem}_${hash('sha1', text).slice(0, 8)}`, text);

/** Inserts a row. `then` follows its values: `on conflict …`, `returning …`. */
export function insertRow<Returned extends Record<string, unknown>>(
  tx: Tx,
  table: string,
  row: Columns,
  then = '',
): Promise<Returned[]> {
  const names = namesOf(row);
  const values = names.map((_, at) => `$${at + 1}`);
  const text = `insert into ${table} (${names.join(', ')}) values (${values.join(', ')}) ${then}`;
  return tx.query<Returned>(prepared(`insert_${table}`, text), valuesOf(row));
}

/** Updates the columns of the row that `key` identifies, unless there is none. */
export function updateRow<Returned extends Record<string, unknown>>(
  tx: Tx,
  table: string,
  key: Columns,
  row: Columns,
  then = '',
): Promise<Returned[]> {
  const keys = namesOf(key).map((name, at) => `${name} = $${at + 1}`);
  const changes = namesOf(row).map((name, at) => `${name} = $${keys.length + at + 1}`);
  const text = `update ${table} set ${changes.join(', ')} where ${keys.join(' and ')} ${then}`;
  return tx.query<Returned>(prepared(`update_${table}`, text), [...valuesOf(key), ...valuesOf(row)]);
}
