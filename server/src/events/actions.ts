import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

const CONTINUE = statement('continue_event_log', 'select continue_event_log() as is_copy');

/**
 * Makes the sequences of a restored database continue beyond those that readers may have seen. Returns whether the
 * database is such a copy.
 */
export async function continueEventLog(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ is_copy: boolean }>(CONTINUE);
  return row?.is_copy === true;
}

/** Rows of the log per transaction, so that its locks and its write-ahead log stay small. */
const DELETED_AT_ONCE = 500;

const DELETE_OLDEST = statement(
  'delete_oldest_events',
  `with oldest as (
     select sequence, occurred_at from event order by sequence limit $2),
   deleted as (
     delete from event where sequence in (select sequence from oldest where occurred_at < $1) returning sequence),
   noted as (
     update event_log set deleted_to = greatest(deleted_to, (select max(sequence) from deleted))
     where exists (select from deleted))
   select count(*)::int as count from deleted`,
);

/** Deletes events that occurred before `before`, in bounded batches. */
export async function deleteOldEvents(db: Database, before: number): Promise<void> {
  for (;;) {
    const [row] = await db.transaction((tx) =>
      tx.query<{ count: number }>(DELETE_OLDEST, [timestamp(before), DELETED_AT_ONCE]),
    );
    if ((row?.count ?? 0) < DELETED_AT_ONCE) return;
  }
}

const READ_REMINDED = statement('lock_reminder', 'select done_to from reminder where name = $1 for update');
const START_REMINDING = statement(
  'insert_reminder',
  'insert into reminder (name, done_to) values ($1, $2) on conflict (name) do nothing',
);
const SET_REMINDED = statement('set_reminder', 'update reminder set done_to = $2 where name = $1');
/** The clocks of processes may differ by less than this. A larger step back is a sandbox's clock that was moved. */
const CLOCK_TOLERANCE_MS = 600_000;

/**
 * Calls `append` with the time up to which the reminders of this name are done, once for each period between two calls.
 * Several processes may run it at once.
 */
export async function remind(
  db: Database,
  name: string,
  now: number,
  append: (tx: Tx, doneTo: number) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(START_REMINDING, [name, timestamp(now)]);
    const [row] = await tx.query<{ done_to: number }>(READ_REMINDED, [name]);
    const doneTo = row?.done_to ?? now;
    if (now <= doneTo && now > doneTo - CLOCK_TOLERANCE_MS) return;
    if (now > doneTo) await append(tx, doneTo);
    await tx.query(SET_REMINDED, [name, timestamp(now)]);
  });
}
