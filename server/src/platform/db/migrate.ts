import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseUnusable } from '@saldo/postgres/unusable.ts';
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate';
import type pg from 'pg';
import { optionsOf, WRITER_SETTINGS } from './connection.ts';
import { connectToPrimary } from './primary.ts';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));
const FILE = /^(.+)\.sql$/;

/** The SHA-256 of each migration file, by the migration's name in the database. */
export type Checksums = ReadonlyMap<string, string>;

/** Ignores line endings, because Git may convert them at checkout. */
const checksumOf = (sql: string): string => hash('sha256', sql.replaceAll('\r\n', '\n'));

export async function readChecksums(dir = MIGRATIONS): Promise<Checksums> {
  const names = (await readdir(dir)).flatMap((file) => FILE.exec(file)?.[1] ?? []).sort();
  const read = async (name: string) => checksumOf(await readFile(path.join(dir, `${name}.sql`), 'utf8'));
  return new Map(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
}

type RunnerOptions = Parameters<typeof runner>[0];

const optionsFor = (say: (message: string) => void) => ({
  direction: 'up' as const,
  // The caller holds the lock.
  noLock: true,
  migrationsTable: 'migration',
  singleTransaction: true,
  verbose: false,
  log: () => {},
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: say } satisfies RunnerOptions['logger'],
});

/**
 * Applies pending migrations. Several processes may start at once: each waits for the advisory lock of the runner, and
 * the later ones find no pending migration.
 */
export async function migrate(url: string, say: (message: string) => void, dir = MIGRATIONS): Promise<void> {
  // The role may have the settings of readers, for a pooler. A migration may take any time.
  const settings = optionsOf({ ...WRITER_SETTINGS, statement_timeout: 0 });
  const client = await connectToPrimary(url, { options: settings });
  try {
    // A session lock, which is released when the connection closes.
    await client.query('select pg_advisory_lock($1)', [PG_MIGRATE_LOCK_ID]);
    const known = await readChecksums(dir);
    refuseOtherMigrations(await readApplied(client), known);
    const log: string[] = [];
    const options = optionsFor((message) => void log.push(message));
    const applied = await runner({ ...options, dir, dbClient: client }).catch((error: Error) => {
      // The whole migration, with the place of the error.
      for (const message of log) say(message);
      throw error;
    });
    await recordChecksums(client, known);
    if (applied.length > 0)
      say(`Applied ${applied.length} database migration${applied.length === 1 ? '' : 's'}.`);
  } finally {
    await client.end();
  }
}

/**
 * Applies the next `count` migrations inside the caller's transaction. The caller holds the runner's advisory lock.
 * The runner has no option for an open transaction, so its own BEGIN, COMMIT and ROLLBACK are suppressed.
 */
export async function migrateInTransaction(
  client: pg.Client,
  count: number,
  dir = MIGRATIONS,
): Promise<void> {
  const withoutTransactions = Object.create(client, {
    query: {
      value: (text: unknown, values?: unknown[]) =>
        typeof text === 'string' && /^(BEGIN|COMMIT|ROLLBACK)$/.test(text)
          ? Promise.resolve()
          : client.query(text as string, values),
    },
  }) as pg.Client;
  await readApplied(client);
  // No logger: on failure it would print the whole migration, and the error is thrown anyway.
  await runner({ ...optionsFor(() => {}), dir, dbClient: withoutTransactions, count });
  await recordChecksums(client, await readChecksums(dir));
}

/** The schema is as expected only if the applied migrations equal the files. */
function refuseOtherMigrations(applied: readonly Applied[], known: Checksums): void {
  const [baseline] = known.keys();
  if (applied[0] !== undefined && !applied.some(({ name }) => name === baseline)) {
    throw new DatabaseUnusable(
      'The database was made by a checkout of Saldo from before its first release, whose schema this version does not ' +
        'change. Make a backup with that checkout (saldo backup), and restore it with this version (saldo restore) ' +
        'into a new DATA_DIR or an empty database.',
    );
  }
  for (const { name, checksum } of applied) {
    const expected = known.get(name);
    if (expected === undefined) {
      throw new DatabaseUnusable(
        `The database was made by a newer version of Saldo: this one does not know its migration ${name}. ` +
          'Start that version or a later one, or restore a backup from before the upgrade.',
      );
    }
    if (checksum !== null && checksum !== expected) {
      throw new DatabaseUnusable(
        `The migration ${name}.sql has changed since it was applied to this database. ` +
          'Restore the file as it was released, and put the change into a new migration.',
      );
    }
  }
}

type Applied = { readonly name: string; readonly checksum: string | null };

/** The last applied migration, null in an empty database, and the ones that a start would apply. Changes nothing. */
export async function findPending(client: pg.Client): Promise<{ applied: string | null; pending: string[] }> {
  const { rows } = await client.query("select from pg_class where oid = to_regclass('public.migration')");
  const applied = rows.length === 0 ? [] : await listApplied(client);
  const known = await readChecksums();
  refuseOtherMigrations(applied, known);
  const names = new Set(applied.map(({ name }) => name));
  const pending = [...known.keys()].filter((name) => !names.has(name));
  return { applied: applied.at(-1)?.name ?? null, pending };
}

const listApplied = async (client: pg.Client): Promise<readonly Applied[]> =>
  (await client.query<Applied>('select * from public.migration order by id')).rows;

/** Creates the runner's table, with a column for the checksum. */
async function readApplied(client: pg.Client): Promise<readonly Applied[]> {
  await client.query(
    `create table if not exists public.migration
       (id serial primary key, name varchar(255) not null, run_on timestamp not null, checksum text)`,
  );
  return listApplied(client);
}

async function recordChecksums(client: pg.Client, known: Checksums): Promise<void> {
  await client.query(
    `update public.migration m set checksum = k.checksum from unnest($1::text[], $2::text[]) k (name, checksum)
     where m.name = k.name and m.checksum is null`,
    [[...known.keys()], [...known.values()]],
  );
}
