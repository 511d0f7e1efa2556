import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { countByKey } from '../platform/auth/stored-secrets.ts';
import { readChecksums } from '../platform/db/migrate.ts';
import { SEALED_COLUMNS } from '../start/sealed-columns.ts';
import { estimateRows, listSequences, listTables } from './catalogue.ts';
import { begin, withConnection } from './connection.ts';
import { writeBackupFile } from './file.ts';
import {
  type BackupHeader,
  type BackupTable,
  copyLine,
  copyTarget,
  END_OF_ROWS,
  quoteName,
  RowDigest,
  type TableTotals,
  totalsLine,
} from './format.ts';
import type { Progress } from './progress.ts';

/** The database or the file is unsuitable. The message is one sentence for the operator. */
export class BackupError extends Error {
  override name = 'BackupError';
}

export type BackupResult = {
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  readonly secretsKeys: readonly string[];
};

/** Writes all rows of one snapshot to a file. Does not block concurrent reads and writes. */
export const backUp = (
  url: string,
  file: string,
  { saldo, progress, signal }: { saldo: string; progress: Progress; signal: AbortSignal },
): Promise<BackupResult> =>
  withConnection(url, signal, async (client) => {
    const tables = await beginSnapshot(client);
    const secretsKeys = [...(await countByKey(client, SEALED_COLUMNS)).keys()].toSorted();
    const header: BackupHeader = {
      createdAt: new Date().toISOString(),
      saldo,
      postgres: await serverVersion(client),
      migrations: await appliedMigrations(client),
      tables,
      secretsKeys,
    };
    let expectedRows = 0;
    for (const table of tables) expectedRows += await estimateRows(client, table);
    const totals: TableTotals[] = [];
    progress.start('Backing up', expectedRows);
    const bytes = await writeBackupFile(file, header, body(client, tables, totals, progress), signal);
    await client.query('commit');
    const rows = totals.reduce((sum, { rows }) => sum + rows, 0);
    return { tables: tables.length, rows, bytes, secretsKeys };
  });

/**
 * Locks the tables against migrations before taking the snapshot: a table that is rewritten between snapshot and lock
 * would look empty. Lists the tables again afterwards, to find tables created in between.
 */
async function beginSnapshot(client: pg.Client): Promise<BackupTable[]> {
  for (;;) {
    const before = await listTables(client);
    if (!before.some(({ name }) => name === 'migration')) {
      throw new BackupError('The database has no table "migration", so it is not a Saldo database.');
    }
    await begin(client, 'isolation level repeatable read, read only');
    await client.query(
      `lock table ${before.map(({ name }) => quoteName(name)).join(', ')} in access share mode`,
    );
    const tables = await listTables(client);
    if (JSON.stringify(tables) === JSON.stringify(before)) return tables;
    await client.query('rollback');
  }
}

async function serverVersion(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  return rows[0]?.server_version ?? '';
}

async function appliedMigrations(client: pg.Client): Promise<BackupHeader['migrations']> {
  const files = await readChecksums();
  const { rows } = await client.query<{ name: string }>('select name from migration order by run_on, id');
  return rows.map(({ name }) => {
    const sha256 = files.get(name);
    if (sha256 !== undefined) return { name, sha256 };
    throw new BackupError(
      `The database has the migration ${name}, which this version of Saldo does not have. ` +
        'Back it up with the version that runs on it.',
    );
  });
}

/** The compressed part of the file. Appends the totals of each table to `totals`. */
async function* body(
  client: pg.Client,
  tables: readonly BackupTable[],
  totals: TableTotals[],
  progress: Progress,
): AsyncGenerator<Buffer> {
  for (const table of tables) {
    yield Buffer.from(`${copyLine(table)}\n`);
    const digest = new RowDigest();
    yield* tableRows(client, table, digest, progress);
    yield Buffer.from(END_OF_ROWS);
    totals.push({ name: table.name, rows: digest.rows, digest: digest.digest() });
  }
  const sequences = await listSequences(client);
  yield Buffer.from(`${totalsLine({ tables: totals, sequences })}\n`);
}

/** Streams the rows of a table in COPY's text format, and counts and digests them. */
export async function* tableRows(
  client: pg.Client,
  table: BackupTable,
  digest: RowDigest,
  progress: Progress,
): AsyncGenerator<Buffer> {
  for await (const chunk of client.query(
    copyTo(`copy ${copyTarget(table)} to stdout`),
  ) as AsyncIterable<Buffer>) {
    const before = digest.rows;
    digest.update(chunk);
    const rows = digest.rows - before;
    progress.add({ done: rows, rows, bytes: chunk.length });
    yield chunk;
  }
}
