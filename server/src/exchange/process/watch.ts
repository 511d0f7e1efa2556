import type { AlarmCounts, AlarmKind, Tso } from '@saldo/api';
import {
  addDays,
  type DeliveryDay,
  dayOf,
  dayStart,
  formatInstant,
  MINUTE_MS,
} from '@saldo/core/delivery-day.ts';
import { isTooSoon } from '@saldo/core/exchange/sending.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { formatMessage, type Message } from '@saldo/core/messages/message.ts';
import { readStored, storeMessage } from '@saldo/core/messages/stored.ts';
import { appendEvents } from '../../events/store.ts';
import type { Database, Db, Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/db/new-id.ts';
import { statement } from '../../platform/db/statement.ts';
import { timestamp } from '../../platform/db/wire-types.ts';
import { ALARM_COLUMNS, type AlarmRow, alarmEvent, countByKind } from '../alarms.ts';
import type { Exchange } from './exchange.ts';
import { storeStatusRequest } from './status-requests.ts';

export type Watching = Pick<Exchange, 'operatorEic' | 'formats' | 'rules'> & {
  /** A TSO acknowledges a schedule within this time. */
  readonly ackMs: number;
  readonly disk: { readonly host: string; freeBytes(): Promise<number> };
};

/** Alarms that this run began and ended, and the number of those that are open after it. */
export type WatchRun = { begun: AlarmRow[]; ended: AlarmRow[]; open: AlarmCounts };

/** Unsent nominations raise an alarm from this time before their gate. */
const UNSENT_LEAD_MS = 15 * MINUTE_MS;
/** The job that sends has this time before a due schedule counts as unsent. */
const SEND_GRACE_MS = 10_000;
/** A TSO confirms a schedule within this time after the wait phase, or after a later sending. */
const CONFIRMATION_MS = 60 * MINUTE_MS;
/** Less free space raises an alarm: the database and the message folders need room to write. */
const DISK_LIMIT_BYTES = 1024 ** 3;
/**
 * Only messages of recent days raise an alarm, so that the cost does not grow with the history. An open alarm extends
 * the period to its own day.
 */
const WATCHED_DAYS = 10;
/** These alarms end only by acknowledgement. */
const ENDED_BY_OPERATOR: readonly AlarmKind[] = ['unreadable', 'unknown_series'];
/** These alarms make a status request, because the TSO may have answered without our receiving it. */
const REQUESTING: readonly AlarmKind[] = ['answer_overdue', 'confirmation_overdue', 'final_missing'];

/**
 * Compares the state of the exchange with the open alarms, begins those that are missing and ends those whose cause
 * has gone. Writes only if there is a difference. Safe to run in several processes at once, and idempotent.
 */
export async function watchExchange(db: Database, now: number, watching: Watching): Promise<WatchRun> {
  const diskCauses = await findDiskCauses(now, watching);
  const { begins, ends, open } = await compare(db, now, watching, diskCauses);
  if (begins.length === 0 && ends.length === 0) return { begun: [], ended: [], open: countByKind(open) };
  return db.transaction(async (tx) => {
    // Another process may have found the same difference: compare again under the lock.
    await tx.query(LOCK);
    const found = await compare(tx, now, watching, diskCauses);
    const begun = await begin(tx, found.begins, now);
    const ended = await tx.query<AlarmRow>(END, [found.ends.map(({ id }) => id), timestamp(now)]);
    await requestAnswers(tx, begun, watching, now);
    const events = [
      ...begun.map((row) => alarmEvent('exchange.alarm', row)),
      ...ended.map((row) => alarmEvent('exchange.alarm_resolved', row)),
    ];
    await appendEvents(tx, events, now);
    const left = found.open.filter(({ id }) => !ended.some((one) => one.id === id));
    return { begun, ended, open: countByKind([...left, ...begun]) };
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

/** A condition that exists now. Equal texts of `cause` are the same condition. */
type Cause = {
  kind: AlarmKind;
  cause: string;
  tso: Tso | null;
  day: DeliveryDay | null;
  messageId: string | null;
  text: Message;
};

type KnownRow = AlarmRow & { cause: string };

/** $1 causes that exist now. Acknowledged alarms prevent another one with the same cause. */
const KNOWN = statement(
  'list_known_alarms',
  `select ${ALARM_COLUMNS}, cause from alarm where ended_at is null
   union all
   select ${ALARM_COLUMNS}, cause from alarm
   where acknowledged_by is not null and ended_at is not null and cause = any($1::text[])`,
);

type Difference = { begins: Cause[]; ends: KnownRow[]; open: KnownRow[] };

async function compare(
  db: Db,
  now: number,
  watching: Watching,
  diskCauses: readonly Cause[],
): Promise<Difference> {
  const causes = [...(await findExchangeCauses(db, now, watching)), ...diskCauses];
  const present = new Map(causes.map((one) => [one.cause, one]));
  const known = await db.query<KnownRow>(KNOWN, [[...present.keys()]]);
  const knownCauses = new Set(known.map(({ cause }) => cause));
  const open = known.filter(({ ended_at }) => ended_at === null);
  return {
    begins: [...present.values()].filter(({ cause }) => !knownCauses.has(cause)),
    ends: open.filter((one) => !present.has(one.cause) && mayEnd(one, now, watching)),
    open,
  };
}

/** A process knows only the disk of its own machine. One whose clock is behind cannot judge an alarm of another one. */
function mayEnd({ kind, cause, began_at }: KnownRow, now: number, { disk }: Watching): boolean {
  if (began_at > now) return false;
  return kind === 'disk' ? cause.startsWith(`disk ${disk.host} `) : !ENDED_BY_OPERATOR.includes(kind);
}

const BEGIN = statement(
  'begin_alarm',
  `insert into alarm (id, kind, cause, tso, delivery_day, message_id, text, began_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${ALARM_COLUMNS}`,
);

async function begin(tx: Tx, causes: readonly Cause[], now: number): Promise<AlarmRow[]> {
  const begun: AlarmRow[] = [];
  for (const { kind, cause, tso, day, messageId, text } of causes) {
    const values = [newId(), kind, cause, tso, day, messageId, storeMessage(text), timestamp(now)];
    begun.push(...(await tx.query<AlarmRow>(BEGIN, values)));
  }
  return begun;
}

const END = statement(
  'end_alarms',
  `update alarm set ended_at = $2 where id = any($1::uuid[]) and ended_at is null returning ${ALARM_COLUMNS}`,
);

/** The first watched day. */
const FIRST_DAY = 'least($1::date, (select min(delivery_day) from alarm where ended_at is null))';
/** A newer version of the schedule `m`. */
const NEWER = "n.direction = 'out' and n.identification = m.identification and n.version > m.version";
/** Schedules of the index `message_unsettled` to which the TSO has not answered in a newer version either. */
const UNSETTLED = `m.direction = 'out' and m.type = 'schedule'
  and m.state not in ('stored', 'acknowledged', 'confirmed') and m.delivery_day >= ${FIRST_DAY}
  and not exists (
    select from message n where ${NEWER} and n.state in ('acknowledged', 'rejected', 'confirmed'))`;

/** Schedules of the index `message_unconfirmed`: acknowledged, without a final confirmation. */
const UNCONFIRMED = `m.direction = 'out' and m.type = 'schedule' and m.state = 'acknowledged'
  and m.delivery_day >= ${FIRST_DAY}`;

/** $1 first watched day, $2 its start, $3 now, $4 overdue if sent before, $5 gates until, $6 unsent since. */
const CAUSES = statement(
  'list_alarm_causes',
  `select 'rejected' as kind, m.id as message_id, m.tso, m.delivery_day, m.version as number,
     null::timestamptz as at, m.error as detail, null::timestamptz as last_made
   from message m where m.state = 'rejected' and ${UNSETTLED}
   union all
   (select distinct on (m.identification) 'answer_overdue', m.id, m.tso, m.delivery_day, m.version, m.sent_at, null, null
    from message m where m.state in ('sent', 'delivered') and m.sent_at <= $4 and ${UNSETTLED}
    order by m.identification, m.version)
   union all
   select 'unreadable', m.id, m.tso, m.delivery_day, null, null,
     json_build_array(m.file_name, m.error)::text, null
   from message m where m.direction = 'in' and m.state = 'failed' and m.created_at >= $2
   union all
   select 'unknown_series', m.id, m.tso, m.delivery_day, null, null, array_to_json(m.unknown_series)::text, null
   from message m where m.unknown_series <> '{}' and m.state = 'applied' and m.created_at >= $2
   union all
   select 'unsent_before_gate', null, n.tso, n.delivery_day, count(*)::int, n.gate_closure, u.error,
     (select max(o.created_at) from message o
      where o.delivery_day = n.delivery_day and o.direction = 'out' and o.type = 'schedule')
   from nomination n
   left join unsent_schedule u on u.delivery_day = n.delivery_day and u.tso = n.tso
   where n.sent_at is null and n.status <> 'superseded' and n.gate_closure > $3 and n.gate_closure <= $5
     and n.created_at <= $6
   group by n.tso, n.delivery_day, n.gate_closure, u.error
   union all
   select 'out_of_balance', null, u.tso, u.delivery_day, null, u.noted_at, u.error, null
   from unsent_schedule u where u.is_unbalanced and u.delivery_day >= ${FIRST_DAY}
   union all
   (select distinct on (m.identification) 'confirmation_overdue', m.id, m.tso, m.delivery_day, m.version, m.sent_at, null, null
    from message m
    where m.confirmed_at is null and ${UNCONFIRMED}
      and not exists (select from message n where ${NEWER} and n.confirmed_at is not null)
    order by m.identification, m.version)
   union all
   select 'final_missing', m.id, m.tso, m.delivery_day, m.version, null, null, null
   from message m
   where ${UNCONFIRMED}
     and not exists (select from message n where ${NEWER} and (n.state in ('acknowledged', 'confirmed') or n.is_final))
   union all
   (select distinct on (m.identification) 'older_version_confirmed', m.id, m.tso, m.delivery_day, m.version, m.sent_at,
      c.version::text, null
    from message m
    join message c on c.delivery_day = m.delivery_day and c.tso = m.tso and c.direction = 'in'
      and c.type = 'confirmation' and c.state = 'ignored' and c.version < m.version and c.created_at >= m.sent_at
    where m.state in ('sent', 'delivered') and ${UNSETTLED}
    order by m.identification, m.version, c.version desc)
   union all
   select 'status_request_rejected', m.id, m.tso, m.delivery_day, null, m.sent_at, m.error, null
   from message m
   where m.direction = 'out' and m.type <> 'schedule' and m.state = 'rejected' and m.delivery_day >= ${FIRST_DAY}
     and not exists (
       select from message n
       where n.delivery_day = m.delivery_day and n.tso = m.tso and n.id > m.id
         and (n.type = 'confirmation' and n.state = 'applied' or n.type = 'status_request' and n.state = 'acknowledged'))`,
);

type CauseRow = {
  kind: Exclude<AlarmKind, 'disk'>;
  message_id: string | null;
  tso: Tso | null;
  delivery_day: DeliveryDay | null;
  number: number | null;
  at: number | null;
  detail: string | null;
  last_made: number | null;
};

async function findExchangeCauses(db: Db, now: number, watching: Watching): Promise<Cause[]> {
  const firstDay = addDays(dayOf(now), -WATCHED_DAYS);
  const rows = await db.query<CauseRow>(CAUSES, [
    firstDay,
    timestamp(dayStart(firstDay)),
    timestamp(now),
    timestamp(now - watching.ackMs),
    timestamp(now + UNSENT_LEAD_MS),
    timestamp(now - SEND_GRACE_MS),
  ]);
  return rows.flatMap((row) => causeOf(row, now, watching) ?? []);
}

function causeOf(row: CauseRow, now: number, watching: Watching): Cause | null {
  const { message_id: messageId, tso, delivery_day: day, number, at, detail } = row;
  const about = { kind: row.kind, tso, day, messageId, cause: `${row.kind} ${messageId}` };
  const schedule = { day: day ?? '', tso: tso ?? '' };
  const sent = { ...schedule, version: number ?? '', sentAt: instant(at) };
  switch (row.kind) {
    case 'rejected':
      return {
        ...about,
        text: withDetail({ key: 'alarm.rejected', ...schedule, version: sent.version }, detail),
      };
    case 'answer_overdue': {
      const minutes = watching.ackMs / MINUTE_MS;
      return { ...about, text: { key: 'alarm.answer_overdue', ...sent, minutes } };
    }
    case 'confirmation_overdue':
      if (!isConfirmationDue(row, now, watching)) return null;
      return { ...about, text: { key: 'alarm.confirmation_overdue', ...sent } };
    case 'final_missing':
      if (!isConfirmationDue(row, now, watching)) return null;
      return { ...about, text: { key: 'alarm.final_missing', ...schedule, version: sent.version } };
    case 'older_version_confirmed':
      return { ...about, text: { key: 'alarm.older_version_confirmed', ...sent, confirmed: detail ?? '' } };
    case 'status_request_rejected': {
      const text: Message = { key: 'alarm.status_request_rejected', ...schedule, sentAt: sent.sentAt };
      return { ...about, text: withDetail(text, detail) };
    }
    case 'unreadable':
      return { ...about, text: unreadableText(detail) };
    case 'unknown_series': {
      const series = (JSON.parse(detail ?? '[]') as string[]).map(readStored);
      const text: Message = { key: 'alarm.unknown_series', ...schedule, series };
      // A TSO repeats them in each of its answers.
      const names = series.map((name) => formatMessage(name, 'en')).join(', ');
      return { ...about, cause: `unknown_series ${tso} ${day} ${names}`, text };
    }
    case 'out_of_balance': {
      const text = readStored(detail ?? '');
      return { ...about, cause: `out_of_balance ${tso} ${day} ${at} ${formatMessage(text, 'en')}`, text };
    }
    case 'unsent_before_gate':
      return unsentCause(row, now);
  }
}

/** A sentence, and the stored one that explains it. */
const withDetail = (text: Message, detail: string | null): Message =>
  detail === null ? text : { key: 'exchange.sentences', sentences: [text, readStored(detail)] };

function unreadableText(detail: string | null): Message {
  const [file = null, error = null] = JSON.parse(detail ?? '[]') as (string | null)[];
  const reason = readStored(error ?? '');
  const named: Message = file === null ? reason : { key: 'alarm.file', file, reason };
  return { key: 'exchange.sentences', sentences: [{ key: 'alarm.unreadable' }, named] };
}

/** Final confirmations come when the day-after gate has closed; the TSO has the same time for them as for an answer. */
function isConfirmationDue(
  { kind, delivery_day: day, at }: CauseRow,
  now: number,
  { rules, ackMs }: Watching,
): boolean {
  if (day === null) return false;
  const { waitEnd, dayAfter } = gatesOf(day, rules);
  return now >= (kind === 'final_missing' ? dayAfter + ackMs : Math.max(waitEnd, at ?? 0) + CONFIRMATION_MS);
}

const instant = (at: number | null): string => (at === null ? '' : formatInstant(at));

/** Null while the job waits for further changes. */
function unsentCause(row: CauseRow, now: number): Cause | null {
  const { tso, delivery_day: day, at: gate, detail, last_made } = row;
  // A schedule with an error has been tried already.
  if (detail === null && isTooSoon(last_made, gate, now - SEND_GRACE_MS)) return null;
  const about = { day: day ?? '', tso: tso ?? '', gate: instant(gate) };
  const unsent: Message =
    row.number === 1
      ? { key: 'alarm.one_unsent', ...about }
      : { key: 'alarm.unsent', ...about, count: row.number ?? 0 };
  const reason: Message[] = detail === null ? [] : [{ key: 'alarm.reason', reason: readStored(detail) }];
  return {
    kind: 'unsent_before_gate',
    cause: `unsent_before_gate ${tso} ${day} ${instant(gate)}`,
    tso,
    day,
    messageId: null,
    text: { key: 'exchange.sentences', sentences: [unsent, ...reason] },
  };
}

/** An acknowledged disk alarm is raised again the next day if the disk is still nearly full. */
async function findDiskCauses(now: number, { disk }: Watching): Promise<Cause[]> {
  const freeBytes = await disk.freeBytes();
  if (freeBytes >= DISK_LIMIT_BYTES) return [];
  const freeMb = Math.floor(freeBytes / 1024 ** 2);
  const limitMb = DISK_LIMIT_BYTES / 1024 ** 2;
  const text: Message = { key: 'alarm.disk', host: disk.host, freeMb, limitMb };
  const cause = `disk ${disk.host} ${dayOf(now)}`;
  return [{ kind: 'disk', cause, tso: null, day: null, messageId: null, text }];
}
