import { DatabaseUnusable } from '@saldo/postgres/unusable.ts';
import pg from 'pg';
import { codeOf, optionsOf, ROLE_SETTINGS } from './connection.ts';
import { connectToPrimary } from './primary.ts';

const NEEDS_DIRECT_URL =
  'DATABASE_URL leads to a pooler, which does not pass on the settings of a connection: set DATABASE_DIRECT_URL to the ' +
  'server behind it.';
const UNTRACKED_STATEMENTS =
  'The pooler of DATABASE_URL does not track prepared statements: use PgBouncer 1.21 or newer with ' +
  'max_prepared_statements = 200, or remove DATABASE_DIRECT_URL if DATABASE_URL leads to no pooler.';

/** Not the default of any server. */
const PROBE_TIMEOUT_MS = 54_321;

/** PgBouncer rejects unknown settings with a violation of the protocol, or ignores them if it is configured so. */
const PROTOCOL_VIOLATION = '08P01';

const PROBE_NAME = 'saldo_pooler_probe';

/** Rejects a pooler that would lose settings or prepared statements, which would fail later and less clearly. */
export async function checkSettings(url: string, isPooled: boolean): Promise<void> {
  if (!isPooled) return refusePooler(url);
  const client = await connectToPrimary(url);
  try {
    // A pooler that tracks statements gives them names of its own.
    const probe = {
      name: PROBE_NAME,
      text: 'select exists (select from pg_prepared_statements where name = $1) as "isUntracked"',
      values: [PROBE_NAME],
    };
    const { rows } = await client.query<{ isUntracked: boolean }>(probe);
    if (rows[0]?.isUntracked !== false) throw new DatabaseUnusable(UNTRACKED_STATEMENTS);
    await refuseOtherSettings(client);
  } finally {
    await client.end();
  }
}

async function refusePooler(url: string): Promise<void> {
  const options = optionsOf({ statement_timeout: PROBE_TIMEOUT_MS });
  const client = await connectToPrimary(url, { options }).catch((error: unknown) => {
    const cause = error instanceof Error ? error.cause : null;
    if (codeOf(cause) === PROTOCOL_VIOLATION) throw new DatabaseUnusable(NEEDS_DIRECT_URL, { cause });
    throw error;
  });
  try {
    const { rows } = await client.query<{ set: boolean }>(
      "select setting = $1 as set from pg_settings where name = 'statement_timeout'",
      [String(PROBE_TIMEOUT_MS)],
    );
    if (rows[0]?.set !== true) throw new DatabaseUnusable(NEEDS_DIRECT_URL);
  } finally {
    await client.end();
  }
}

async function refuseOtherSettings(client: pg.Client): Promise<void> {
  const wanted = Object.entries(ROLE_SETTINGS).map(([name, value]) => ({ name, value: String(value) }));
  const { rows } = await client.query<{ name: string; setting: string; role: string }>(
    'select lower(name) as name, setting, current_user as role from pg_settings where lower(name) = any($1)',
    [wanted.map(({ name }) => name)],
  );
  const found = new Map(rows.map(({ name, setting }) => [name, setting]));
  const wrong = wanted.filter(({ name, value }) => found.get(name) !== value);
  if (wrong.length === 0) return;
  const role = pg.escapeIdentifier(rows[0]?.role ?? '');
  const commands = wrong.map(({ name, value }) => `alter role ${role} set ${name} = '${value}';`).join(' ');
  throw new DatabaseUnusable(
    `Connections of the pooler lack settings of their role: run ${commands} and then RECONNECT in PgBouncer.`,
  );
}
