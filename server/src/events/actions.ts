import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { readHorizon } from './store.ts';

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
  `with oldest as materialized (
     select tenant, sequence, bool_and(occurred_at < $1) over (order by sequence) as is_old
     from (select tenant, sequence, occurred_at from event order by sequence limit $2) as oldest),
   ends as (
     select tenant, max(sequence) as sequence from oldest where is_old group by tenant),
   counted as (
     insert into event_checkpoint (tenant, sequence, count, is_deleted)
     select tenant, sequence, count_events_up_to(tenant, sequence), true from ends
     on conflict (tenant, sequence) do update set is_deleted = true),
   replaced as (
     delete from event_checkpoint c using ends where c.tenant = ends.tenant and c.sequence < ends.sequence),
   deleted as (
     delete from event where sequence in (select sequence from oldest where is_old) returning sequence),
   noted as (
     update event_log set deleted_to = greatest(deleted_to, (select max(sequence) from deleted))
     where exists (select from deleted))
   select count(*)::int as count from deleted`,
);

const LOCK_LOG = statement('lock_event_log', 'select from event_log for no key update');

/** Deletes the oldest events, up to the first one that did not occur before `before`, in bounded batches. */
export async function deleteOldEvents(db: Database, before: number): Promise<void> {
  for (;;) {
    const [row] = await db.transaction(async (tx) => {
      // A checkpoint that is being made would not be seen by the statement that waits for it.
      await tx.query(LOCK_LOG);
      return tx.query<{ count: number }>(DELETE_OLDEST, [timestamp(before), DELETED_AT_ONCE]);
    });
    if ((row?.count ?? 0) < DELETED_AT_ONCE) return;
  }
}

/** Rows of the log per step, and the rows of a tenant between two checkpoints. Their sum bounds what a reader counts. */
const [ROWS_PER_STEP, ROWS_PER_CHECKPOINT] = [1_000, 500];

const TAKE_STEP = statement(
  'take_event_count_step',
  `select log.counted_to, step.up_to
   from (select counted_to from event_log for no key update skip locked) as log
   cross join lateral (
     select sequence as up_to from event where sequence > log.counted_to and sequence <= $1
     order by sequence offset ${ROWS_PER_STEP - 1} limit 1) as step`,
);
const ADD_CHECKPOINTS = statement(
  'add_event_checkpoints',
  `insert into event_checkpoint (tenant, sequence, count, is_deleted)
   select step.tenant, $2, count_events_up_to(step.tenant, $2), false
   from (select distinct tenant from event where sequence > $1 and sequence <= $2) as step
   left join lateral (
     select sequence from event_checkpoint c where c.tenant = step.tenant order by sequence desc limit 1) as last on true
   where exists (
     select from event e
     where e.tenant = step.tenant and e.sequence > coalesce(last.sequence, 0) and e.sequence <= $2
     order by e.sequence offset ${ROWS_PER_CHECKPOINT - 1} limit 1)`,
);
const SET_COUNTED = statement('set_events_counted', 'update event_log set counted_to = $1');

/** Counts the events of each tenant up to places below the horizon, so that readers count from there. */
export async function checkpointEvents(db: Database): Promise<void> {
  const { horizon } = await readHorizon(db);
  let isDone = false;
  while (!isDone)
    isDone = await db.transaction(async (tx) => {
      const [step] = await tx.query<{ counted_to: number; up_to: number }>(TAKE_STEP, [horizon]);
      if (step === undefined) return true;
      await tx.query(ADD_CHECKPOINTS, [step.counted_to, step.up_to]);
      await tx.query(SET_COUNTED, [step.up_to]);
      return false;
    });
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
