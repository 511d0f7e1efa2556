import pg from 'pg';

/**
 * Settings under which every version of PostgreSQL writes the same value as the same text, reads a table in its stored
 * order, and never leaves out rows by a policy.
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
/** A server's limits are for requests, not for a transaction of minutes; not every version knows all of them. */
const TIMEOUTS = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'transaction_timeout',
];

/** Gives `work` a connection and ends it afterwards; an abort breaks the connection, which rolls back. */
export async function withConnection<T>(
  url: string,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = new pg.Client({ connectionString: url, application_name: 'saldo backup' });
  // The statement that runs on a broken connection is rejected by itself.
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
 * Begins a transaction with these settings in it, without taking its snapshot yet. They end with the transaction, so that
 * nothing stays behind on the connection of a pooler.
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
