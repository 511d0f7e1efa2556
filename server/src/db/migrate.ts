import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * Brings the schema up to date. Several processes may start at once: the runner holds an advisory lock, and those
 * that come later find nothing left to do.
 */
export async function migrate(url: string, say: (message: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    const applied = await runner({
      dbClient: client,
      dir: MIGRATIONS,
      direction: 'up',
      migrationsTable: 'migration',
      singleTransaction: true,
      verbose: false,
      log: () => {},
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: (text) => say(text) },
    });
    if (applied.length > 0)
      say(`Applied ${applied.length} database migration${applied.length === 1 ? '' : 's'}.`);
  } finally {
    await client.end();
  }
}
