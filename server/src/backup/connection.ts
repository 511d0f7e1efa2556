import pg from 'pg';
import { primaryUrl } from '../platform/db/primary.ts';

/**
 * With these settings every version of PostgreSQL writes a value as the same text, reads a table in stored order, and
 * fails instead of hiding rows by a row-level security policy.
 */
const TEXT_SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  synchronize_seqscans: 'off',
  row_security: 'off',
};
/** Timeouts of the server, which a transaction of minutes would exceed. Not every version has all of them. */
const TIMEOUTS = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'transaction_timeout',
];

/** Runs `work` with a connection and closes it afterwards. An abort closes the connection, which rolls back. */
export async function withConnection<T>(
  url: string,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<T>,
  program = 'saldo backup',
): Promise<T> {
  signal.throwIfAborted();
  const connectionString = await primaryUrl(url);
  const client = new pg.Client({ connectionString, application_name: program });
  // `pg` rejects the running statement of a broken connection.
  client.on('error', () => {});
  const breakOff = () => client.connection.stream.destroy();
  await client.connect();
  signal.addEventListener('abort', breakOff);
  try {
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', breakOff);
    await client.end();
  }
}

/**
 * Begins a transaction with these settings, without taking its snapshot yet. The settings end with the transaction, so
 * that a connection pooler's connection is left unchanged.
 */
export async function begin(
  client: pg.Client,
  mode: string,
  settings: Record<string, string> = {},
): Promise<void> {
  const all = { ...TEXT_SETTINGS, ...settings, ...Object.fromEntries(TIMEOUTS.map((name) => [name, '0'])) };
  const { rows } = await client.query<{ name: string }>(
    'select lower(name) as name from pg_settings where lower(name) = any($1)',
    [Object.keys(all)],
  );
  const known = new Set(rows.map(({ name }) => name));
  const lines = Object.entries(all)
    .filter(([name]) => known.has(name))
    .map(([name, value]) => `set local ${name} = '${value}'`);
  await client.query([`begin ${mode}`, ...lines].join('; '));
}
