/**
 * Reads the schema from the system catalogue, so that tables of later migrations need no change here. Objects of
 * extensions are excluded.
 */
import type pg from 'pg';
import { type BackupTable, quoteName, type Sequence } from './format.ts';

/** The schemas of the search path, as in all statements of the server. */
const SCHEMAS = 'select oid from pg_namespace where nspname = any(current_schemas(false))';
const OF_THE_SCHEMA = `c.relnamespace in (${SCHEMAS}) and pg_table_is_visible(c.oid)
  and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')`;

/** The log of requests has addresses of clients and may be larger than all other tables, and nothing depends on it. */
const NOT_BACKED_UP = 'request_batch';

/** Lists tables of a backup with their writable columns. Postgres computes generated columns from the others. */
export async function listTables(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select relname as name, array(
       select attname::text from pg_attribute
       where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
       order by attnum
     ) as columns
     from pg_class c where relkind = 'r' and relname <> '${NOT_BACKED_UP}' and ${OF_THE_SCHEMA} order by relname`,
  );
  return rows;
}

/**
 * Sequences are not part of a snapshot. Read after the snapshot was taken, they are at or beyond the highest value of
 * any row in it.
 */
export async function listSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class c where relkind = 'S' and ${OF_THE_SCHEMA} order by relname`,
  );
  const sequences: Sequence[] = [];
  for (const { name } of rows) {
    const { rows: state } = await client.query<Omit<Sequence, 'name'>>(
      `select last_value::text as value, is_called as "isCalled" from ${quoteName(name)}`,
    );
    sequences.push(...state.map((one) => ({ name, ...one })));
  }
  return sequences;
}

/** The planner's estimate: accurate enough for a percentage, without reading the table. */
export async function estimateRows(client: pg.Client, table: BackupTable): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    `explain (format json) select from ${quoteName(table.name)}`,
  );
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/** The number of tables, views, sequences, types and functions. */
export async function countObjects(client: pg.Client): Promise<number> {
  const own = (catalogue: string, namespace: string) =>
    `(select count(*) from ${catalogue} c where ${namespace} in (${SCHEMAS}) and not exists (
       select from pg_depend d
       where d.objid = c.oid and d.classid = '${catalogue}'::regclass and d.deptype in ('e', 'i')))`;
  const { rows } = await client.query<{ count: number }>(
    `select (${own('pg_class', 'relnamespace')} + ${own('pg_type', 'typnamespace')}
       + ${own('pg_proc', 'pronamespace')})::int as count`,
  );
  return rows[0]?.count ?? 0;
}

/** A constraint, an index or a trigger. After re-creation its `state` must be the same as before. */
export type Dependent = { kind: string; table: string; name: string; state: string; definition: string };

/**
 * Lists constraints, indexes and triggers. A trigger is only disabled, so its definition is its state. The first letter
 * of a constraint's kind equals `pg_constraint.contype`.
 */
export async function listDependents(client: pg.Client): Promise<Dependent[]> {
  const { rows } = await client.query<Dependent>(
    `select 'constraint ' || contype::text as kind, relname::text as table, conname::text as name,
       pg_get_constraintdef(k.oid) as definition, concat(convalidated, pg_get_constraintdef(k.oid)) as state
     from pg_constraint k join pg_class c on c.oid = conrelid where ${OF_THE_SCHEMA}
     union all
     select 'index', c.relname, x.relname, pg_get_indexdef(indexrelid),
       concat(indisvalid, indisready, indisclustered, indisreplident, pg_get_indexdef(indexrelid))
     from pg_index i join pg_class c on c.oid = indrelid join pg_class x on x.oid = indexrelid
     where ${OF_THE_SCHEMA} and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
     union all
     select 'trigger', relname, tgname, '', concat(tgenabled, pg_get_triggerdef(t.oid))
     from pg_trigger t join pg_class c on c.oid = tgrelid
     where ${OF_THE_SCHEMA} and not tgisinternal
     order by 1, 2, 3`,
  );
  return rows;
}
