import type { AlarmKind, AlarmSeverity, Tso } from '@saldo/api';
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
import { readStored } from '@saldo/core/messages/stored.ts';
import type { Db } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { timestamp } from '../../platform/db/wire-types.ts';
import type { AlarmCause } from '../alarms.ts';
import type { Exchange } from './exchange.ts';

export type Watching = Pick<Exchange, 'operatorEic' | 'formats' | 'rules'> & {
  /** A TSO acknowledges a schedule within this time. */
  readonly ackMs: number;
  readonly disk: { readonly host: string; freeBytes(): Promise<number> };
};

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

/**
 * Critical: without an action, a schedule misses its gate or does not count. The severity of a missing forecast depends on
 * the time.
 */
const SEVERITY_OF: Readonly<Record<ExchangeKind | 'disk', AlarmSeverity>> = {
  rejected: 'critical',
  answer_overdue: 'warning',
  unreadable: 'warning',
  unsent_before_gate: 'critical',
  unknown_series: 'warning',
  out_of_balance: 'critical',
  confirmation_overdue: 'warning',
  final_missing: 'warning',
  older_version_confirmed: 'critical',
  status_request_rejected: 'warning',
  disk: 'critical',
};

/** The first watched day. Alarms about contracts concern no message. */
const FIRST_DAY =
  'least($1::date, (select min(delivery_day) from alarm where ended_at is null and contract_id is null))';
/** A newer version of the schedule `m`. */
const NEWER = "n.direction = 'out' and n.identification = m.identification and n.version > m.version";
/** Schedules of the index `message_unsettled` of which no newer version has one of these states. */
const unsettledBefore = (states: string) => `m.direction = 'out' and m.type = 'schedule'
  and m.state not in ('stored', 'acknowledged', 'confirmed') and m.delivery_day >= ${FIRST_DAY}
  and not exists (select from message n where ${NEWER} and n.state in (${states}))`;
const NEWEST_REJECTED = `m.state = 'rejected' and ${unsettledBefore("'acknowledged', 'rejected', 'confirmed'")}`;
/** Also with a newer version that the TSO has rejected: the one before counts then. */
const UNANSWERED = `m.state in ('sent', 'delivered') and ${unsettledBefore("'acknowledged', 'confirmed'")}`;

/** Schedules of the index `message_unconfirmed`: acknowledged, without a final confirmation. */
const UNCONFIRMED = `m.direction = 'out' and m.type = 'schedule' and m.state = 'acknowledged'
  and m.delivery_day >= ${FIRST_DAY}`;

/** $1 first watched day, $2 its start, $3 now, $4 overdue if sent before, $5 gates until, $6 unsent since. */
const CAUSES = statement(
  'list_alarm_causes',
  `select 'rejected' as kind, m.id as message_id, m.tso, m.delivery_day, m.version as number,
     null::timestamptz as at, m.error as detail, null::timestamptz as last_made
   from message m where ${NEWEST_REJECTED}
   union all
   (select distinct on (m.identification) 'answer_overdue', m.id, m.tso, m.delivery_day, m.version, m.sent_at, null, null
    from message m where m.sent_at <= $4 and ${UNANSWERED}
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
    where ${UNANSWERED}
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

type ExchangeKind = Exclude<AlarmKind, 'disk' | 'forecast_missing' | 'meter_missing'>;
type CauseRow = {
  kind: ExchangeKind;
  message_id: string | null;
  tso: Tso | null;
  delivery_day: DeliveryDay | null;
  number: number | null;
  at: number | null;
  detail: string | null;
  last_made: number | null;
};

export async function findExchangeCauses(db: Db, now: number, watching: Watching): Promise<AlarmCause[]> {
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

function causeOf(row: CauseRow, now: number, watching: Watching): AlarmCause | null {
  const { message_id: messageId, tso, delivery_day: day, number, at, detail } = row;
  const about = {
    ...{ kind: row.kind, severity: SEVERITY_OF[row.kind], tso, day, messageId, contractId: null },
    cause: `${row.kind} ${messageId}`,
  };
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
function unsentCause(row: CauseRow, now: number): AlarmCause | null {
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
    severity: SEVERITY_OF.unsent_before_gate,
    cause: `unsent_before_gate ${tso} ${day} ${instant(gate)}`,
    tso,
    day,
    messageId: null,
    contractId: null,
    text: { key: 'exchange.sentences', sentences: [unsent, ...reason] },
  };
}

/** An acknowledged disk alarm is raised again the next day if the disk is still nearly full. */
export async function findDiskCauses(now: number, { disk }: Watching): Promise<AlarmCause[]> {
  const freeBytes = await disk.freeBytes();
  if (freeBytes >= DISK_LIMIT_BYTES) return [];
  const freeMb = Math.floor(freeBytes / 1024 ** 2);
  const limitMb = DISK_LIMIT_BYTES / 1024 ** 2;
  const text: Message = { key: 'alarm.disk', host: disk.host, freeMb, limitMb };
  const cause = `disk ${disk.host} ${dayOf(now)}`;
  const about = { tso: null, day: null, messageId: null, contractId: null };
  return [{ kind: 'disk', severity: SEVERITY_OF.disk, cause, ...about, text }];
}
