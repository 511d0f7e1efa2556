import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Check, checkOffset, failed, ok, warning } from '@saldo/core/check.ts';
import { findRunningPostgres } from '@saldo/postgres/embedded.ts';
import type pg from 'pg';
import { optionsOf } from '../platform/db/connection.ts';
import { SALDO } from '../platform/db/embedded.ts';
import { parseLsn } from '../platform/db/lsn.ts';
import { findPending } from '../platform/db/migrate.ts';
import { checkSettings as checkPooler } from '../platform/db/pooler.ts';
import { connectToPrimary } from '../platform/db/primary.ts';
import { nameOf } from '../platform/db/urls.ts';
import type { Config } from '../start/config.ts';
import { refuseMissingKeys } from '../start/start-secrets.ts';
import { failedBy } from './explain.ts';

const OLDEST_VERSION = 15;
const CONNECT_WITHIN_MS = 5_000;
/** The database itself rejects every write of these connections. */
const READ_ONLY = {
  options: optionsOf({ default_transaction_read_only: 'on', statement_timeout: 10_000 }),
  connectionTimeoutMillis: CONNECT_WITHIN_MS,
  application_name: 'saldo doctor',
};

/** `isEmpty`: there is no database yet, so that nothing is to be backed up. */
export type DatabaseFound = { readonly checks: Check[]; readonly isEmpty: boolean };

export async function checkDatabase(config: Config): Promise<DatabaseFound> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config;
  if (databaseUrl !== null) {
    const pooler = await checkPooler(databaseUrl, databaseDirectUrl !== null).then(
      () => [],
      (error: unknown) => [failedBy('database', error)],
    );
    return pooler.length > 0
      ? { checks: pooler, isEmpty: false }
      : readDatabase(config, databaseDirectUrl ?? databaseUrl);
  }
  if (!existsSync(path.join(dataDir, 'postgres'))) {
    const fact = `There is no database yet: the first start creates it in ${dataDir}.`;
    return { checks: [ok('database', fact)], isEmpty: true };
  }
  // A stopped database would have to be started, which changes its files.
  const url = await findRunningPostgres(SALDO, dataDir).catch(() => null);
  if (url !== null) return readDatabase(config, url);
  const stopped = warning(
    'database',
    `The database in ${dataDir} is not running or belongs to another user, so that it was not read.`,
    'Start the server, and run saldo doctor again as its user.',
  );
  return { checks: [stopped], isEmpty: false };
}

async function readDatabase(config: Config, url: string): Promise<DatabaseFound> {
  let client: pg.Client;
  try {
    client = await connectToPrimary(url, READ_ONLY);
  } catch (error) {
    return { checks: [failedBy('database', error)], isEmpty: false };
  }
  // The checks before one that throws are kept.
  const checks: Check[] = [];
  try {
    checks.push(...(await checkServer(client)));
    const { checks: schema, isEmpty } = await checkMigrations(client);
    checks.push(...schema);
    await refuseMissingKeys(client, config.secretsKeyFile).catch((error: unknown) =>
      checks.push(failedBy('keys', error)),
    );
    if (!isEmpty) checks.push(...(await checkReplicas(config, client)));
    return { checks, isEmpty };
  } catch (error) {
    return { checks: [...checks, failedBy('database', error)], isEmpty: false };
  } finally {
    await client.end();
  }
}

type ServerRow = {
  version: string;
  number: number;
  is_standby: boolean;
  extensions: string[];
  now_ms: number;
};

async function checkServer(client: pg.Client): Promise<Check[]> {
  const asked = Date.now();
  const { rows } = await client.query<ServerRow>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
       pg_is_in_recovery() as is_standby, (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
       array(select extname::text from pg_extension order by 1) as extensions`,
  );
  const answered = Date.now();
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table gives one row');
  const isOld = row.number < OLDEST_VERSION * 10_000;
  return [
    isOld
      ? failed(
          'database',
          `The database is PostgreSQL ${row.version}, and Saldo needs version ${OLDEST_VERSION} or newer.`,
          'Upgrade PostgreSQL.',
        )
      : ok('database', `PostgreSQL ${row.version} answers.`),
    ...(row.is_standby
      ? [
          failed(
            'database',
            'The database is a standby.',
            'Set DATABASE_URL to the primary, or to all hosts.',
          ),
        ]
      : []),
    row.extensions.includes('plpgsql')
      ? ok('extensions', `The extension plpgsql is there, and Saldo needs no other.`)
      : failed('extensions', 'The extension plpgsql is missing.', 'Run: create extension plpgsql'),
    checkOffset('clock', 'the database', row.now_ms, { asked, answered }),
  ];
}

async function checkMigrations(client: pg.Client): Promise<DatabaseFound> {
  try {
    const { applied, pending } = await findPending(client);
    if (applied === null)
      return {
        checks: [ok('migrations', 'The database is empty: the first start fills it.')],
        isEmpty: true,
      };
    const check =
      pending.length === 0
        ? ok('migrations', `All migrations are applied, the last one is ${applied}.`)
        : warning(
            'migrations',
            `${pending.length} ${pending.length === 1 ? 'migration is' : 'migrations are'} not applied: ${pending.join(', ')}.`,
            'The next start applies them: make a backup before it.',
          );
    return { checks: [check], isEmpty: false };
  } catch (error) {
    return { checks: [failedBy('migrations', error)], isEmpty: false };
  }
}

type ReplicaRow = { is_standby: boolean; position: string | null; replayed_s: number | null };

/** A standby, which has its own check, rejects the function of a primary. */
const POSITION = `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
  else pg_current_wal_flush_lsn() end)::text as position`;

async function checkReplicas({ databaseReadUrls, readLagS }: Config, server: pg.Client): Promise<Check[]> {
  const checks: Check[] = [];
  for (const url of databaseReadUrls) {
    const { rows } = await server.query<{ position: string | null }>(POSITION);
    checks.push(await checkReplica(url, rows[0]?.position ?? '0/0', readLagS));
  }
  return checks;
}

async function checkReplica(url: string, position: string, readLagS: number): Promise<Check> {
  const name = nameOf(url);
  const leftOut = (fact: string, remedy: string) => warning('replicas', `${name}: ${fact}`, remedy);
  let client: pg.Client | undefined;
  try {
    client = await connectToPrimary(url, READ_ONLY);
    const { rows } = await client.query<ReplicaRow>(
      `select pg_is_in_recovery() as is_standby, pg_last_wal_replay_lsn()::text as position,
         extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as replayed_s`,
    );
    const [row] = rows;
    if (row?.is_standby !== true)
      return leftOut(
        'the server is not a standby, so that it serves no reads.',
        'Correct DATABASE_READ_URL.',
      );
    const hasAll = parseLsn(row.position ?? '0/0') >= parseLsn(position);
    const lagS = hasAll ? 0 : (row.replayed_s ?? Number.POSITIVE_INFINITY);
    const fact = `the replica is ${Number.isFinite(lagS) ? lagS.toFixed(1) : 'an unknown number of'} s behind.`;
    return lagS > readLagS
      ? leftOut(`${fact} READ_LAG_S=${readLagS} leaves it out.`, 'Check its replication: see docs/scale.md.')
      : ok('replicas', `${name}: ${fact}`);
  } catch (error) {
    const reason =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return leftOut(`the replica cannot be reached (${reason}).`, 'Start it, or correct DATABASE_READ_URL.');
  } finally {
    await client?.end();
  }
}
