import { pipeline } from 'node:stream/promises';
import { PG_MIGRATE_LOCK_ID } from 'node-pg-migrate';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrateInTransaction, readChecksums } from '../platform/db/migrate.ts';
import { BackupError, tableRows } from './backup.ts';
import { countObjects, listSequences, listTables } from './catalogue.ts';
import { begin, withConnection } from './connection.ts';
import { takeDown } from './dependents.ts';
import type { BackupFile } from './file.ts';
import {
  type BackupHeader,
  type BackupTable,
  type BackupTotals,
  BodyReader,
  copyLine,
  copyTarget,
  parseTotals,
  quoteName,
  RowDigest,
} from './format.ts';
import type { Progress } from './progress.ts';
import {
  checkUnreleased,
  convertUnreleased,
  isUnreleased,
  rejectArchivedMonths,
  tablesOfUnreleased,
} from './unreleased.ts';

export type RestoreResult = { readonly tables: number; readonly rows: number };

type Options = {
  /** Tables of the backup to skip. */
  readonly without: readonly string[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Another folder of migrations, for tests. */
  readonly migrations?: string;
};

/** Memory for building indexes. Large, because no server uses the database during a restore. */
const LOAD_SETTINGS = { maintenance_work_mem: '256MB' };

/** Rejects a backup of a newer version, or one whose migrations differ from those of this version. */
export async function checkMigrations(header: BackupHeader): Promise<void> {
  if (isUnreleased(header)) return checkUnreleased(header);
  const { migrations, saldo } = header;
  const known = [...(await readChecksums())];
  for (const [at, { name, sha256 }] of migrations.entries()) {
    if (known[at]?.[0] === name && known[at][1] === sha256) continue;
    const reason = known.some(([own]) => own === name)
      ? `its migration ${name} differs from the one of this version`
      : `it has the migration ${name}, which this version does not have`;
    throw new BackupError(
      `The backup was made by another version of Saldo (${saldo}): ${reason}. ` +
        'Restore it with the version that made it or a newer one.',
    );
  }
}

/**
 * Restores a backup into an empty database in one transaction: after a failure or a kill the database is empty again.
 * The rows are loaded and verified with the schema of the backup. Newer migrations are applied afterwards.
 */
export const restore = (url: string, file: BackupFile, options: Options): Promise<RestoreResult> =>
  withConnection(url, options.signal, async (client) => {
    const { header } = file;
    const { progress, migrations } = options;
    const unreleased = isUnreleased(header);
    await begin(client, 'isolation level read committed, read write', LOAD_SETTINGS);
    await rejectUsedDatabase(client);
    await migrateInTransaction(client, unreleased ? 1 : header.migrations.length, migrations);
    const own = unreleased ? tablesOfUnreleased(header) : header.tables;
    const tables = await chooseTables(client, own, options.without);

    const rebuild = await takeDown(client);
    const totals = await load(client, file, tables, progress);
    if (unreleased) rejectArchivedMonths(totals);
    progress.start('Building indexes and checking constraints', 0);
    await rebuild();
    await setSequences(client, totals);
    progress.start(
      'Verifying',
      totals.tables.reduce((sum, { rows }) => sum + rows, 0),
    );
    await verify(client, tables, totals, progress);
    if (unreleased) await convertUnreleased(client, totals);

    progress.start('Applying newer migrations and collecting statistics', 0);
    await migrateInTransaction(client, Number.POSITIVE_INFINITY, migrations);
    await client.query(`analyze ${(await listTables(client)).map(({ name }) => quoteName(name)).join(', ')}`);
    await client.query('commit');
    const rows = totals.tables.reduce((sum, table) => (tables.has(table.name) ? sum + table.rows : sum), 0);
    return { tables: tables.size, rows };
  });

async function rejectUsedDatabase(client: pg.Client): Promise<void> {
  // Take the lock of migrations, so that a server that starts now does not see an incomplete schema.
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
    PG_MIGRATE_LOCK_ID,
  ]);
  if (rows[0]?.locked !== true) {
    throw new BackupError(
      'Another restore or a starting server is using the database. Wait until it has ended, and try again.',
    );
  }
  if ((await countObjects(client)) > 0) {
    throw new BackupError(
      'The database is not empty. Restore into an empty one: a new DATA_DIR, or a new database for DATABASE_URL.',
    );
  }
}

/** The tables to restore. Every table of the backup must exist in the schema or be skipped by name. */
async function chooseTables(
  client: pg.Client,
  tables: readonly BackupTable[],
  without: readonly string[],
): Promise<Map<string, BackupTable>> {
  const own = new Set((await listTables(client)).map(({ name }) => name));
  for (const name of without) {
    if (!tables.some((table) => table.name === name))
      throw new BackupError(`The backup has no table ${name} that could be left out.`);
    if (own.has(name)) throw new BackupError(`The table ${name} belongs to Saldo and cannot be left out.`);
  }
  const chosen = tables.filter(({ name }) => !without.includes(name));
  const foreign = chosen.filter(({ name }) => !own.has(name)).map(({ name }) => name);
  if (foreign.length > 0) {
    throw new BackupError(
      `The backup has tables that Saldo does not create: ${foreign.join(', ')}. ` +
        `Leave them out with ${foreign.map((name) => `--without ${name}`).join(' ')}.`,
    );
  }
  return new Map(chosen.map((table) => [table.name, table]));
}

async function load(
  client: pg.Client,
  file: BackupFile,
  tables: ReadonlyMap<string, BackupTable>,
  progress: Progress,
): Promise<BackupTotals> {
  progress.start('Loading', file.bytes);
  const body = new BodyReader(file.body((bytes) => progress.add({ done: bytes, bytes })));
  for (const table of file.header.tables) {
    if ((await body.line()) !== copyLine(table)) throw new Error(`the rows of ${table.name} are missing`);
    if (!tables.has(table.name)) {
      for await (const _ of body.rows());
      continue;
    }
    // Migrations may have inserted rows that the backup contains as well.
    await client.query(`truncate ${quoteName(table.name)}`);
    await pipeline(body.rows(), client.query(copyFrom(`copy ${copyTarget(table)} from stdin (freeze)`)));
  }
  const totals = await body.line();
  if (totals === null) throw new Error('the totals are missing');
  return parseTotals(totals);
}

async function setSequences(client: pg.Client, { sequences }: BackupTotals): Promise<void> {
  const own = new Set((await listSequences(client)).map(({ name }) => name));
  for (const { name, value, isCalled } of sequences) {
    if (own.has(name))
      await client.query('select setval($1::regclass, $2, $3)', [quoteName(name), value, isCalled]);
  }
}

/** Reads all rows back from the database and compares them with the totals of the backup. */
async function verify(
  client: pg.Client,
  tables: ReadonlyMap<string, BackupTable>,
  totals: BackupTotals,
  progress: Progress,
): Promise<void> {
  for (const { name, rows, digest: expected } of totals.tables) {
    const table = tables.get(name);
    if (table === undefined) continue;
    const digest = new RowDigest();
    for await (const _ of tableRows(client, table, digest, progress));
    if (digest.rows !== rows || digest.digest() !== expected) {
      throw new BackupError(
        `The rows of ${name} are not those of the backup (${digest.rows} of ${rows} rows).`,
      );
    }
  }
  const wanted = new Map(totals.sequences.map((sequence) => [sequence.name, JSON.stringify(sequence)]));
  for (const sequence of await listSequences(client)) {
    if (JSON.stringify(sequence) !== wanted.get(sequence.name))
      throw new Error(`the sequence ${sequence.name} differs from the backup`);
  }
}
