import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

type RunnerOptions = Parameters<typeof runner>[0];
export type MigrationFile = { readonly name: string; readonly sha256: string };

const optionsFor = (say: (message: string) => void) => ({
  dir: MIGRATIONS,
  direction: 'up' as const,
  migrationsTable: 'migration',
  singleTransaction: true,
  verbose: false,
  log: () => {},
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: say } satisfies RunnerOptions['logger'],
});

/**
 * Brings the schema up to date. Several processes may start at once: the runner holds an advisory lock, and those
 * that come later find nothing left to do.
 */
export async function migrate(url: string, say: (message: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    const applied = await runner({ ...optionsFor(say), dbClient: client });
    if (applied.length > 0)
      say(`Applied ${applied.length} database migration${applied.length === 1 ? '' : 's'}.`);
  } finally {
    await client.end();
  }
}

/**
 * Applies the next `count` migrations inside the caller's transaction. The caller holds the runner's advisory lock.
 * The runner cannot be told that a transaction is open, so its own BEGIN, COMMIT and ROLLBACK are left out.
 */
export async function migrateInTransaction(client: pg.Client, count: number): Promise<void> {
  const withoutTransactions = Object.create(client, {
    query: {
      value: (text: unknown, values?: unknown[]) =>
        typeof text === 'string' && /^(BEGIN|COMMIT|ROLLBACK)$/.test(text)
          ? Promise.resolve()
          : client.query(text as string, values),
    },
  }) as pg.Client;
  // The logger would print the whole migration; its error is thrown as well.
  await runner({ ...optionsFor(() => {}), dbClient: withoutTransactions, noLock: true, count });
}

/** The migrations of this version in their order. Line ends do not count: Git may change them. */
export async function listMigrations(): Promise<MigrationFile[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = (await readFile(path.join(MIGRATIONS, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name: path.basename(name, '.sql'), sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}
