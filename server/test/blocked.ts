import pg from 'pg';
import type { Database, Tx } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { until } from './until.ts';

/** `pg_locks`, because a transaction reads `pg_stat_activity` once and then sees no change. */
const BLOCKED_FOR = statement(
  'test_blocked_for',
  `select pid from pg_locks where not granted and waitstart < clock_timestamp() - $1::int * interval '1 ms'
     and pg_backend_pid() = any(pg_blocking_pids(pid))`,
);

/** Waits until another session has waited for a lock of this transaction for so long. */
export const untilBlockedFor = (tx: Tx, ms: number) =>
  until(async () => (await tx.query(BLOCKED_FOR, [ms])).length > 0);

const BLOCKED = statement(
  'test_blocked',
  "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
);

/** Waits until a session of this database, or several ones, wait for a lock. */
export const untilBlocked = (db: Database, count = 1) =>
  until(async () => (await db.query(BLOCKED)).length >= count);

/**
 * Sends the second request while the first one has done all its work but cannot commit, because its audit event waits
 * for a lock on the table.
 */
export async function overlap<T>(
  { db, databaseUrl }: { readonly db: Database; readonly databaseUrl: string },
  first: () => Promise<T>,
  second: () => Promise<T>,
): Promise<[T, T]> {
  const blocker = new pg.Client({ connectionString: databaseUrl });
  await blocker.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table audit in exclusive mode');
    const one = first();
    await untilBlocked(db);
    const two = second();
    await untilBlocked(db, 2);
    await blocker.query('rollback');
    return await Promise.all([one, two]);
  } finally {
    await blocker.end();
  }
}
