import type pg from 'pg';
import { KEY_ID_BYTES, type Sealer, SecretUnreadable } from './sealed-secrets.ts';

type Row = Readonly<Record<string, unknown>>;

/** A column of the database with sealed text, and what its rows need apart from it. */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** The column that had the secret in clear text in earlier versions, if there was one. */
  readonly plain: string | null;
  /** The columns that `useOf` reads. */
  readonly key: readonly string[];
  useOf(row: Row): string;
  /** Statement without a condition, for rows whose key is lost. It sets `plain`, or removes what cannot be used any more. */
  readonly replace: string;
  /** What the operator has to do after it. */
  readonly consequence: string;
};

/** Rows per statement. */
const BATCH = 500;

const keyIdIn = (column: string) => `substring(${column} from 1 for ${KEY_ID_BYTES})`;

/**
 * The ids of the keys that the database needs, with the number of texts that each has sealed. Columns that later migrations
 * add are left out, so that it can be called before them.
 */
export async function countByKey(
  client: pg.ClientBase,
  columns: readonly SealedColumn[],
): Promise<ReadonlyMap<string, number>> {
  const { rows: existing } = await client.query<{ table: string; column: string }>(
    `select given.table, given.column from unnest($1::text[], $2::text[]) as given ("table", "column")
     join pg_attribute on attrelid = to_regclass(given.table) and attname = given.column`,
    [columns.map(({ table }) => table), columns.map(({ column }) => column)],
  );
  const counts = new Map<string, number>();
  for (const { table, column } of existing) {
    const { rows } = await client.query<{ id: string; count: number }>(
      `select encode(${keyIdIn(column)}, 'hex') as id, count(*)::int as count from ${table}
       where ${column} is not null group by 1`,
    );
    for (const { id, count } of rows) counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}

export type Rewritten = { readonly count: number; readonly unreadable: readonly string[] };

/**
 * Replaces texts in batches. A text is replaced only if it is still the same, so that nothing has to be locked. Texts that
 * cannot be opened stay as they are.
 */
async function rewrite(
  client: pg.ClientBase,
  { table, key, useOf }: SealedColumn,
  { from, where, set }: { from: string; where: string; set: string },
  convert: (text: Buffer, use: string) => Buffer,
): Promise<Rewritten> {
  const unreadable = new Map<string, string>();
  let count = 0;
  for (;;) {
    const { rows } = await client.query<Row & { tid: string; text: Buffer }>(
      `select ctid::text as tid, ${from} as text, ${key.join(', ')} from ${table}
       where ${where} and ctid <> all($1::tid[]) limit ${BATCH}`,
      [[...unreadable.keys()]],
    );
    if (rows.length === 0) return { count, unreadable: [...unreadable.values()] };
    const converted: { tid: string; text: Buffer; sealed: Buffer }[] = [];
    for (const row of rows) {
      try {
        converted.push({ tid: row.tid, text: row.text, sealed: convert(row.text, useOf(row)) });
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        unreadable.set(row.tid, useOf(row));
      }
    }
    const { rowCount } = await client.query(
      `update ${table} t set ${set} from unnest($1::tid[], $2::bytea[], $3::bytea[]) as new (tid, text, sealed)
       where t.ctid = new.tid and t.${from} = new.text`,
      [
        converted.map(({ tid }) => tid),
        converted.map(({ text }) => text),
        converted.map(({ sealed }) => sealed),
      ],
    );
    count += rowCount ?? 0;
  }
}

/** Seals the secrets of earlier versions, which are in clear text. */
export async function sealPlain(
  client: pg.ClientBase,
  columns: readonly SealedColumn[],
  sealer: Sealer,
): Promise<number> {
  let count = 0;
  for (const column of columns) {
    const { plain } = column;
    if (plain === null) continue;
    const change = {
      from: plain,
      where: `${plain} is not null`,
      set: `${column.column} = new.sealed, ${plain} = null`,
    };
    count += (await rewrite(client, column, change, (text, use) => sealer.seal(text, use))).count;
  }
  return count;
}

/** Seals everything again that another key than `keyId` has sealed. `keyId` is the first key of the sealer. */
export async function reseal(
  client: pg.ClientBase,
  columns: readonly SealedColumn[],
  sealer: Sealer,
  keyId: string,
): Promise<Rewritten> {
  const results: Rewritten[] = [];
  for (const column of columns) {
    const where = `${keyIdIn(column.column)} <> '\\x${keyId}'::bytea`;
    const change = { from: column.column, where, set: `${column.column} = new.sealed` };
    const again = (text: Buffer, use: string) => sealer.seal(sealer.open(text, use), use);
    results.push(await rewrite(client, column, change, again));
  }
  return {
    count: results.reduce((sum, { count }) => sum + count, 0),
    unreadable: results.flatMap(({ unreadable }) => unreadable),
  };
}

/** Replaces what was sealed with other keys than these. Returns the uses by what they mean for the operator. */
export async function replaceLost(
  client: pg.ClientBase,
  columns: readonly SealedColumn[],
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const replaced = new Map<string, string[]>();
  for (const { column, key, useOf, replace, consequence } of columns) {
    const { rows } = await client.query<Row>(
      `${replace} where ${keyIdIn(column)} <> all($1::bytea[]) returning ${key.join(', ')}`,
      [keyIds.map((id) => Buffer.from(id, 'hex'))],
    );
    const uses = rows.map((row) => useOf(row));
    if (uses.length > 0) replaced.set(consequence, [...(replaced.get(consequence) ?? []), ...uses]);
  }
  return replaced;
}
