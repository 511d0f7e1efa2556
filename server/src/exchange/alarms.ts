import {
  ALARM_KINDS,
  type Alarm,
  type AlarmCounts,
  type AlarmKind,
  type AlarmSeverity,
  type AlarmState,
  type ListOrder,
  type Tso,
} from '@saldo/api';
import { type DeliveryDay, formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatMessage, type Message } from '@saldo/core/messages/message.ts';
import { readStored } from '@saldo/core/messages/stored.ts';
import { appendEvents, type NewEvent } from '../events/store.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList, inBothOrders } from '../platform/db/filtered-list.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { problem } from '../platform/http/problem.ts';

/** A condition that exists now. Equal texts of `cause` are the same condition. */
export type AlarmCause = {
  kind: AlarmKind;
  severity: AlarmSeverity;
  cause: string;
  tso: Tso | null;
  day: DeliveryDay | null;
  messageId: string | null;
  contractId: string | null;
  text: Message;
};

export type AlarmRow = {
  id: string;
  kind: AlarmKind;
  severity: AlarmSeverity;
  tso: Tso | null;
  delivery_day: DeliveryDay | null;
  message_id: string | null;
  contract_id: string | null;
  text: string;
  began_at: number;
  ended_at: number | null;
  acknowledged_by: string | null;
  note: string | null;
};

export const ALARM_COLUMNS =
  'id, kind, severity, tso, delivery_day, message_id, contract_id, text, began_at, ended_at, acknowledged_by, note';

const wireContract = ({ contract_id: id }: AlarmRow): string | null =>
  id === null ? null : encodeId(ID_PREFIX.contract, id);

export const wireAlarm = (row: AlarmRow, language: Language): Alarm => ({
  id: encodeId(ID_PREFIX.alarm, row.id),
  kind: row.kind,
  severity: row.severity,
  tso: row.tso,
  delivery_date: row.delivery_day,
  message_id: row.message_id === null ? null : encodeId(ID_PREFIX.message, row.message_id),
  contract_id: wireContract(row),
  since: formatInstant(row.began_at),
  text: formatMessage(readStored(row.text), language),
  ended_at: formatInstantOrNull(row.ended_at),
  acknowledged_by: row.acknowledged_by,
  note: row.note,
});

export const alarmEvent = (type: 'exchange.alarm' | 'exchange.alarm_resolved', row: AlarmRow): NewEvent => ({
  type,
  tenants: ['operator'],
  data: {
    object: 'alarm',
    id: encodeId(ID_PREFIX.alarm, row.id),
    kind: row.kind,
    severity: row.severity,
    tso: row.tso,
    delivery_date: row.delivery_day,
    contract_id: wireContract(row),
  },
});

/** $1 id of the last row on the previous page, $2 row limit. */
const alarmList = (state: AlarmState) => (order: ListOrder) =>
  filteredList({
    make: statement,
    name: `list_alarms_${state}_${order}`,
    ownParameters: 2,
    filters: {
      kind: { type: 'alarm_kind', condition: (kind) => `kind = ${kind}` },
      tso: { type: 'tso', condition: (tso) => `tso = ${tso}` },
      day: { type: 'date', condition: (day) => `delivery_day = ${day}` },
    },
    leads: [],
    text: (where) => `select ${ALARM_COLUMNS} from alarm
     where ended_at is ${state === 'open' ? '' : 'not '}null and id ${order === 'oldest_first' ? '>' : '<'} $1
       and ${where}
     order by id ${order === 'oldest_first' ? 'asc' : 'desc'} limit $2`,
  });
const LISTS = { open: inBothOrders(alarmList('open')), resolved: inBothOrders(alarmList('resolved')) };

export type AlarmFilter = { kind: AlarmKind | null; tso: Tso | null; day: DeliveryDay | null };

export async function listAlarms(
  db: Db,
  state: AlarmState,
  filter: AlarmFilter,
  page: { order: ListOrder; after: string; count: number },
): Promise<AlarmRow[]> {
  return db.query<AlarmRow>(...LISTS[state][page.order]([page.after, page.count], filter));
}

export function countByKind(open: readonly { kind: AlarmKind }[]): AlarmCounts {
  const counts = Object.fromEntries(ALARM_KINDS.map((kind) => [kind, 0])) as AlarmCounts;
  for (const { kind } of open) counts[kind]++;
  return counts;
}

const OPEN_KINDS = statement('list_open_alarm_kinds', 'select kind from alarm where ended_at is null');

export async function countOpenAlarms(db: Db): Promise<AlarmCounts> {
  return countByKind(await db.query<{ kind: AlarmKind }>(OPEN_KINDS));
}

const LOCK = statement('lock_alarm', `select ${ALARM_COLUMNS} from alarm where id = $1 for update`);
const ACKNOWLEDGE = statement(
  'acknowledge_alarm',
  `update alarm set ended_at = $2, acknowledged_by = $3, note = $4 where id = $1 returning ${ALARM_COLUMNS}`,
);

/** Ends an open alarm. Its cause raises no further alarm. */
export async function acknowledgeAlarm(
  tx: Tx,
  publicId: string,
  { actor, note, now }: { actor: string; note: string; now: number },
): Promise<{ before: AlarmRow; after: AlarmRow }> {
  const id = decodeId(ID_PREFIX.alarm, publicId);
  const [before] = id === null ? [] : await tx.query<AlarmRow>(LOCK, [id]);
  if (!before) throw problem('alarm_not_found', { key: 'alarm.not_found' });
  if (before.ended_at !== null) {
    const at = formatInstant(before.ended_at);
    throw problem('invalid_status_transition', { key: 'alarm.ended', at });
  }
  const [after] = await tx.query<AlarmRow>(ACKNOWLEDGE, [id, timestamp(now), actor, note]);
  if (!after) throw new Error('a locked alarm exists');
  await appendEvents(tx, [alarmEvent('exchange.alarm_resolved', after)], now);
  return { before, after };
}
