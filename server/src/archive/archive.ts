import { pipeline } from 'node:stream/promises';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { MONTH_LOCK_KEY } from '../archived-days/changes.ts';
import {
  ARCHIVABLE_AFTER_MONTHS,
  addMonths,
  firstDayOf,
  firstKeptMonth,
  type Month,
  monthNumber,
  monthOf,
} from '../archived-days/months.ts';
import { BackupError } from '../backup/backup.ts';
import { begin } from '../backup/connection.ts';
import type { Progress } from '../backup/progress.ts';
import { readChecksums } from '../platform/db/migrate.ts';
import {
  type Archive,
  type ArchivedFile,
  checkArchiveFile,
  readArchiveFile,
  writeArchiveFile,
  writeManifest,
} from './files.ts';
import {
  type ArchiveTable,
  copyIntoTemporary,
  countRows,
  createTemporary,
  daysOf,
  deleteRows,
  FORMAT,
  insertRows,
  selectRows,
  TABLES,
  temporaryTable,
} from './tables.ts';

export type Archiving = {
  /** Where the files are. */
  readonly folder: string;
  readonly progress: Progress;
  /** Called before the commit. A connection that breaks after that leaves its result unknown. */
  readonly onCommit: () => void;
};

const READ_COMMITTED = 'isolation level read committed, read write';

/** The database must have the schema of this version, whose columns the files have. */
export async function checkSchema(client: pg.Client): Promise<void> {
  const known = [...(await readChecksums()).keys()];
  const { rows } = await client.query<{ name: string }>('select name from migration order by run_on, id');
  if (JSON.stringify(rows.map(({ name }) => name)) === JSON.stringify(known)) return;
  throw new BackupError(
    'The database has another schema than this version of Saldo. Run the version of the server, after it has started once.',
  );
}

/** Rejects a month that may still change. */
export function checkBefore(before: Month): void {
  const limit = firstKeptMonth();
  if (before <= limit) return;
  throw new BackupError(
    `A month can be archived ${ARCHIVABLE_AFTER_MONTHS} months after its end: --before is ${limit} at most.`,
  );
}

const NEXT_DAY = `select least(
    (select delivery_day from sheet where revision > 0 and delivery_day >= $1 order by delivery_day limit 1),
    (select delivery_day from nomination where delivery_day >= $1 order by delivery_day limit 1))::text as day`;

/** The first month from this one on with rows, which may just be archived by another process. */
export async function findNextMonth(client: pg.Client, from: Month): Promise<Month | null> {
  const { rows } = await client.query<{ day: DeliveryDay | null }>(NEXT_DAY, [firstDayOf(from)]);
  const day = rows[0]?.day ?? null;
  return day === null ? null : monthOf(day);
}

const SELECT_ARCHIVE = `select to_char(month, 'YYYY-MM') as month, format, files,
    to_char(archived_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "archivedAt" from archive`;

export async function listArchives(client: pg.Client): Promise<Archive[]> {
  return (await client.query<Archive>(`${SELECT_ARCHIVE} order by archive.month`)).rows;
}

/**
 * Archives a month in one transaction, so that every reader sees it whole or archived: writes the files, loads them again,
 * and deletes the rows that the files have with the same values. Fails if a row is left. Returns null if there is none.
 */
export async function archiveMonth(
  client: pg.Client,
  month: Month,
  { folder, progress, onCommit }: Archiving,
): Promise<Archive | null> {
  const days = daysOf(firstDayOf(month), firstDayOf(addMonths(month, 1)));
  await begin(client, READ_COMMITTED);
  await lockMonth(client, month, progress);
  if ((await findNextMonth(client, month)) !== month) {
    await client.query('rollback');
    return null;
  }
  await rejectUnsettled(client, month);
  progress.start(`Archiving ${month}: writing the files`, days.length * TABLES.length);
  const files: ArchivedFile[] = [];
  for (const table of TABLES)
    files.push(await writeArchiveFile(folder, month, table, rowsOf(client, table, days, progress)));
  const archivedAt = new Date().toISOString();
  const archive: Archive = { month, format: FORMAT, archivedAt, files };
  await writeManifest(folder, archive);
  await load(client, folder, files, progress);
  await client.query(`insert into archive (month, format, files, archived_at) values ($1, $2, $3, $4)`, [
    firstDayOf(month),
    FORMAT,
    JSON.stringify(files),
    archivedAt,
  ]);
  await deleteMonth(client, month, days, progress);
  // Notes of schedules that were not sent. Their gates are closed, so that a restored month does not need them.
  await client.query('delete from unsent_schedule where delivery_day = any($1::date[])', [days]);
  await client.query(
    `insert into archived_id (id, month, brp_no, other_brp_no)
     select id, $1::date, sender_brp, receiver_brp from pg_temp.archived_sheets
     union all
     select id, $1::date, brp_no, brp_no from pg_temp.archived_nominations
     order by 1`,
    [firstDayOf(month)],
  );
  await recordAudit(client, 'archive.created', month, { folder, files });
  onCommit();
  await client.query('commit');
  return archive;
}

/** The files of each archive of the month that this database has made. Databases may share a folder. */
export async function listFormerFiles(client: pg.Client, month: Month): Promise<ArchivedFile[][]> {
  const { rows } = await client.query<{ files: ArchivedFile[] }>(
    `select after->'files' as files from audit where subject = $1 and action = 'archive.created'`,
    [month],
  );
  return rows.map(({ files }) => files);
}

/** Waits for changes of the month. Later ones are rejected until the transaction ends. */
async function lockMonth(client: pg.Client, month: Month, progress: Progress): Promise<void> {
  progress.start(`Waiting for changes of ${month}`, 0);
  await client.query(`select pg_advisory_xact_lock(${MONTH_LOCK_KEY})`, [monthNumber(month)]);
}

/** Changes that are not netted yet would change the nominations of the month, messages that are not delivered theirs. */
async function rejectUnsettled(client: pg.Client, month: Month): Promise<void> {
  const has = async (rows: string) => {
    const { rowCount } = await client.query(
      `select from ${rows} and delivery_day >= $1 and delivery_day < $2 limit 1`,
      [firstDayOf(month), firstDayOf(addMonths(month, 1))],
    );
    return rowCount !== 0;
  };
  if (await has('changed_position where true')) {
    throw new BackupError(
      `${month} has volumes that are not nominated yet. The server does that within seconds: start it, and try again.`,
    );
  }
  if (await has(`message where direction = 'out' and state = 'stored'`)) {
    throw new BackupError(
      `${month} has messages to TSOs that are not delivered yet. The server delivers them when the TSO can be reached: try again after that.`,
    );
  }
}

async function* rowsOf(
  client: pg.Client,
  table: ArchiveTable,
  days: readonly DeliveryDay[],
  progress: Progress,
): AsyncGenerator<(string | null)[][]> {
  for (const day of days) {
    const { rows } = await client.query<(string | null)[]>({
      text: selectRows(table),
      values: [day],
      rowMode: 'array',
    });
    progress.add({ done: 1, rows: rows.length, bytes: 0 });
    yield rows;
  }
}

/** Checks the files on disk, loads them into temporary tables, and checks the number of their rows. */
async function load(
  client: pg.Client,
  folder: string,
  files: readonly ArchivedFile[],
  progress: Progress,
): Promise<void> {
  progress.start('Checking the files', 0);
  for (const file of files) await checkArchiveFile(folder, file);
  progress.start(
    'Reading the files',
    files.reduce((sum, { rows }) => sum + rows, 0),
  );
  for (const [at, table] of TABLES.entries()) {
    const file = files[at]!;
    await client.query(createTemporary(table));
    const copy = client.query(copyFrom(copyIntoTemporary(table)));
    const onRows = (rows: number) => progress.add({ done: rows, rows, bytes: 0 });
    await pipeline(readArchiveFile(folder, file, table, onRows), copy);
    if (copy.rowCount !== file.rows)
      throw new BackupError(`${file.name} has ${copy.rowCount} rows instead of ${file.rows}.`);
    await client.query(`analyze ${temporaryTable(table)}`);
  }
}

async function deleteMonth(
  client: pg.Client,
  month: Month,
  days: readonly DeliveryDay[],
  progress: Progress,
): Promise<void> {
  progress.start(`Archiving ${month}: deleting the rows`, days.length * PARTS.length);
  const deleted = await onEachPart(client, days, PARTS.toReversed(), deleteRows, progress);
  for (const { part, rows, expected } of deleted) {
    if (rows !== expected)
      throw new BackupError(
        `${rows} of ${expected} rows of ${part} equal those of the files. Nothing was deleted. Try again; if the numbers stay the same, report an error of Saldo.`,
      );
  }
  if ((await findNextMonth(client, month)) === month)
    throw new BackupError(`${month} has changed meanwhile: it has new rows. Try again.`);
}

type PartOfTable = readonly [ArchiveTable, ArchiveTable['parts'][number]];

/** A row references one of an earlier part. */
const PARTS = TABLES.flatMap((table) => table.parts.map((part): PartOfTable => [table, part]));

/** Runs a statement for each day and part. Returns the rows of each part, and how many the files have. */
async function onEachPart(
  client: pg.Client,
  days: readonly DeliveryDay[],
  parts: readonly PartOfTable[],
  statementOf: typeof deleteRows,
  progress: Progress,
): Promise<{ part: string; rows: number; expected: number }[]> {
  const results: { part: string; rows: number; expected: number }[] = [];
  for (const [table, part] of parts) {
    let rows = 0;
    for (const day of days) {
      const count = (await client.query(statementOf(table, part), [day])).rowCount ?? 0;
      rows += count;
      progress.add({ done: 1, rows: count, bytes: 0 });
    }
    const { rows: counted } = await client.query<{ count: number }>(countRows(table, part));
    results.push({ part: part.table, rows, expected: counted[0]?.count ?? 0 });
  }
  return results;
}

/** Brings the rows of a month back in one transaction. Its files stay. */
export async function restoreMonth(
  client: pg.Client,
  month: Month,
  { folder, progress, onCommit }: Archiving,
): Promise<Archive> {
  await begin(client, READ_COMMITTED);
  await lockMonth(client, month, progress);
  const { rows: found } = await client.query<Archive>(`${SELECT_ARCHIVE} where archive.month = $1`, [
    firstDayOf(month),
  ]);
  const [archive] = found;
  if (archive === undefined)
    throw new BackupError(`${month} is not archived. List the archived months with saldo archive list.`);
  if (archive.format > FORMAT)
    throw new BackupError(`${month} was archived by a newer version of Saldo. Restore it with that version.`);
  await load(client, folder, archive.files, progress);
  const days = daysOf(firstDayOf(month), firstDayOf(addMonths(month, 1)));
  progress.start(`Restoring ${month}`, days.length * PARTS.length);
  for (const { part, rows, expected } of await onEachPart(client, days, PARTS, insertRows, progress)) {
    if (rows !== expected) throw new Error(`${rows} of ${expected} rows of ${part} are of ${month}`);
  }
  await client.query(
    `delete from archived_id where id in
       (select id from pg_temp.archived_sheets union all select id from pg_temp.archived_nominations)`,
  );
  await client.query('delete from archive where month = $1', [firstDayOf(month)]);
  await recordAudit(client, 'archive.restored', month, { folder, files: archive.files });
  onCommit();
  await client.query('commit');
  return archive;
}

/** The actor of both commands, which need no key. */
const ACTOR = 'archive';

async function recordAudit(
  client: pg.Client,
  action: 'archive.created' | 'archive.restored',
  month: Month,
  after: object,
): Promise<void> {
  await client.query(
    `insert into audit (at, actor, action, subject, request_id, before, after)
     values ($1, $2, $3, $4, null, null, $5)`,
    [new Date().toISOString(), ACTOR, action, month, JSON.stringify(after)],
  );
}
