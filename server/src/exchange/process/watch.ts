import type { AlarmCounts, AlarmKind } from '@saldo/api';
import { storeMessage } from '@saldo/core/messages/stored.ts';
import { appendEvents } from '../../events/store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Db, Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/db/new-id.ts';
import { statement } from '../../platform/db/statement.ts';
import { timestamp } from '../../platform/db/wire-types.ts';
import { ALARM_COLUMNS, type AlarmCause, type AlarmRow, alarmEvent, countByKind } from '../alarms.ts';
import { findDiskCauses, findExchangeCauses, type Watching } from './alarm-causes.ts';
import { findNewlyMissing, findStillMissing } from './missing-values.ts';
import { storeStatusRequest } from './status-requests.ts';

/** Alarms that this run began, made critical and ended, and the number of those that are open after it. */
export type WatchRun = { begun: AlarmRow[]; raised: AlarmRow[]; ended: AlarmRow[]; open: AlarmCounts };

/** These alarms end only by acknowledgement. */
const ENDED_BY_OPERATOR: readonly AlarmKind[] = ['unreadable', 'unknown_series'];
/** These alarms make a status request, because the TSO may have answered without our receiving it. */
const REQUESTING: readonly AlarmKind[] = ['answer_overdue', 'confirmation_overdue', 'final_missing'];

/**
 * Compares the state of the exchange with the open alarms, begins those that are missing and ends those whose cause
 * has gone. Writes only if there is a difference. Safe to run in several processes at once, and idempotent.
 */
export async function watchExchange(db: Database, clock: Clock, watching: Watching): Promise<WatchRun> {
  const diskCauses = await findDiskCauses(clock.now(), watching);
  const { begins, changes, ends, open } = await compare(db, clock.now(), watching, diskCauses);
  if (begins.length === 0 && changes.length === 0 && ends.length === 0) {
    return { begun: [], raised: [], ended: [], open: countByKind(open) };
  }
  return db.transaction(async (tx) => {
    // Another process may have found the same difference: compare again under the lock.
    await tx.query(LOCK);
    const now = clock.now();
    const found = await compare(tx, now, watching, diskCauses);
    const begun = await begin(tx, found.begins, now);
    const raised = await change(tx, found.changes);
    const ended = await tx.query<AlarmRow>(END, [found.ends.map(({ id }) => id), timestamp(now)]);
    await requestAnswers(tx, begun, watching, now);
    const events = [
      ...[...begun, ...raised].map((row) => alarmEvent('exchange.alarm', row)),
      ...ended.map((row) => alarmEvent('exchange.alarm_resolved', row)),
    ];
    await appendEvents(tx, events, now);
    const left = found.open.filter(({ id }) => !ended.some((one) => one.id === id));
    return { begun, raised, ended, open: countByKind([...left, ...begun]) };
  });
}

/**
 * Begins alarms about missing values, and returns them. `watchExchange` changes and ends them: it reads the contracts of
 * open alarms only, this function those of all sources.
 */
export async function watchValues(
  db: Database,
  clock: Clock,
  { rules }: Pick<Watching, 'rules'>,
): Promise<AlarmRow[]> {
  if ((await findNewlyMissing(db, clock.now(), rules)).length === 0) return [];
  return db.transaction(async (tx) => {
    await tx.query(LOCK);
    const now = clock.now();
    const begun = await begin(tx, await findNewlyMissing(tx, now, rules), now);
    await appendEvents(
      tx,
      begun.map((row) => alarmEvent('exchange.alarm', row)),
      now,
    );
    return begun;
  });
}

/** Stores a status request for each alarm about a missing answer; alarms that begin together share one. */
async function requestAnswers(
  tx: Tx,
  begun: readonly AlarmRow[],
  watching: Watching,
  now: number,
): Promise<void> {
  const requested = new Set<string>();
  for (const { kind, tso, delivery_day: day } of begun) {
    if (!REQUESTING.includes(kind) || tso === null || day === null || requested.has(`${tso} ${day}`))
      continue;
    requested.add(`${tso} ${day}`);
    await storeStatusRequest(tx, { tso, day }, watching, now);
  }
}

const LOCK = statement('lock_alarms', "select pg_advisory_xact_lock(hashtext('saldo alarms'))");

type KnownRow = AlarmRow & { cause: string };

/** $1 causes that exist now. Acknowledged alarms prevent another one with the same cause. */
const KNOWN = statement(
  'list_known_alarms',
  `select ${ALARM_COLUMNS}, cause from alarm where ended_at is null
   union all
   select ${ALARM_COLUMNS}, cause from alarm
   where acknowledged_by is not null and ended_at is not null and cause = any($1::text[])`,
);

type Change = { before: KnownRow; after: Pick<AlarmRow, 'id' | 'severity' | 'text'> };
type Difference = { begins: AlarmCause[]; changes: Change[]; ends: KnownRow[]; open: KnownRow[] };

async function compare(
  db: Db,
  now: number,
  watching: Watching,
  diskCauses: readonly AlarmCause[],
): Promise<Difference> {
  const causes = [...(await findExchangeCauses(db, now, watching)), ...diskCauses];
  const present = new Map(causes.map((one) => [one.cause, one]));
  const known = await db.query<KnownRow>(KNOWN, [[...present.keys()]]);
  const knownCauses = new Set(known.map(({ cause }) => cause));
  const open = known.filter(({ ended_at }) => ended_at === null);
  const missing = await findStillMissing(db, open, now, watching.rules);
  for (const one of missing) present.set(one.cause, one);
  return {
    begins: [...present.values()].filter(({ cause }) => !knownCauses.has(cause)),
    changes: changesOf(open, missing),
    ends: open.filter((one) => !present.has(one.cause) && mayEnd(one, now, watching)),
    open,
  };
}

/**
 * An alarm about missing values says how many are still missing; the texts of other kinds stay. A severity never falls, so
 * that processes whose clocks differ do not change it in turn.
 */
function changesOf(open: readonly KnownRow[], missing: readonly AlarmCause[]): Change[] {
  const byCause = new Map(open.map((row) => [row.cause, row]));
  return missing.flatMap((cause) => {
    const before = byCause.get(cause.cause);
    if (!before) return [];
    const severity = before.severity === 'critical' ? before.severity : cause.severity;
    const after = { id: before.id, severity, text: storeMessage(cause.text) };
    return before.severity === severity && before.text === after.text ? [] : [{ before, after }];
  });
}

/** A process knows only the disk of its own machine. One whose clock is behind cannot judge an alarm of another one. */
function mayEnd({ kind, cause, began_at }: KnownRow, now: number, { disk }: Watching): boolean {
  if (began_at > now) return false;
  return kind === 'disk' ? cause.startsWith(`disk ${disk.host} `) : !ENDED_BY_OPERATOR.includes(kind);
}

const BEGIN = statement(
  'begin_alarm',
  `insert into alarm (id, kind, severity, cause, tso, delivery_day, message_id, contract_id, text, began_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${ALARM_COLUMNS}`,
);

async function begin(tx: Tx, causes: readonly AlarmCause[], now: number): Promise<AlarmRow[]> {
  const begun: AlarmRow[] = [];
  for (const { kind, severity, cause, tso, day, messageId, contractId, text } of causes) {
    const about = [kind, severity, cause, tso, day, messageId, contractId];
    const values = [newId(), ...about, storeMessage(text), timestamp(now)];
    begun.push(...(await tx.query<AlarmRow>(BEGIN, values)));
  }
  return begun;
}

const CHANGE = statement(
  'change_alarms',
  `update alarm set severity = new_severity, text = new_text
   from unnest($1::uuid[], $2::alarm_severity[], $3::text[]) as changed (alarm_id, new_severity, new_text)
   where id = alarm_id and ended_at is null returning ${ALARM_COLUMNS}`,
);

/** Returns the alarms that have become critical. */
async function change(tx: Tx, changes: readonly Change[]): Promise<AlarmRow[]> {
  if (changes.length === 0) return [];
  const rows = await tx.query<AlarmRow>(CHANGE, [
    changes.map(({ after }) => after.id),
    changes.map(({ after }) => after.severity),
    changes.map(({ after }) => after.text),
  ]);
  const raised = changes.filter(({ before, after }) => before.severity !== after.severity);
  return rows.filter(({ id }) => raised.some(({ after }) => after.id === id));
}

const END = statement(
  'end_alarms',
  `update alarm set ended_at = $2 where id = any($1::uuid[]) and ended_at is null returning ${ALARM_COLUMNS}`,
);
