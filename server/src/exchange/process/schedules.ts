import { type Message, TSOS, type Tso } from '@saldo/api';
import { type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import type { Direction } from '@saldo/core/enums.ts';
import {
  type BusinessType,
  messageIdentification,
  type NominatedPosition,
  type Schedule,
  type Series,
} from '@saldo/core/exchange/schedule.ts';
import { MAX_DAY_AFTER_DAYS, type MarketRules, tsoCodes } from '@saldo/core/market-rules.ts';
import type { Message as Text } from '@saldo/core/messages/message.ts';
import { storeMessage } from '@saldo/core/messages/stored.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { timestamp } from '../../platform/db/wire-types.ts';

/** The columns of a current nomination that a schedule needs. */
export type CurrentNomination = {
  id: string;
  eic: string;
  tso: Tso;
  direction: Direction;
  amounts: number[];
};

const CURRENT = statement(
  'exchange_current_nominations',
  `select n.id, n.eic, n.tso, n.direction, n.amounts, dirty.tsos as dirty_tsos
   from (
     select array(
       select distinct p.tso::text from changed_position c join position p on p.no = c.position_no
       where c.delivery_day = $1) as tsos
   ) as dirty
   left join nomination n on n.delivery_day = $1 and n.status <> 'superseded'
   order by n.tso, n.eic, n.direction`,
);

/**
 * Reads the nominations of a day, and the control areas with dirty position-days: there one side of a change may be
 * nominated without the other. One statement reads both, so that they are consistent.
 */
export async function readNominated(
  tx: Tx,
  day: DeliveryDay,
): Promise<{ nominations: CurrentNomination[]; dirtyTsos: Tso[] }> {
  const rows = await tx.query<CurrentNomination & { dirty_tsos: Tso[] }>(CURRENT, [day]);
  // A day without nominations has one row, with nulls.
  return { nominations: rows.filter(({ id }) => id !== null), dirtyTsos: rows[0]?.dirty_tsos ?? [] };
}

const DIRTY_DAYS = statement(
  'exchange_dirty_days',
  `select c.delivery_day, array_agg(distinct p.tso::text) as tsos
   from changed_position c join position p on p.no = c.position_no
   where $1::date is null or c.delivery_day = $1
   group by c.delivery_day order by c.delivery_day`,
);

/** Lists days, or one of them, with the control areas that have position-days which are not netted yet. */
export async function listDirtyDays(db: Db, day: DeliveryDay | null): Promise<Map<DeliveryDay, Tso[]>> {
  const rows = await db.query<{ delivery_day: DeliveryDay; tsos: Tso[] }>(DIRTY_DAYS, [day]);
  return new Map(rows.map(({ delivery_day, tsos }) => [delivery_day, tsos]));
}

export function positionsOf(nominations: readonly CurrentNomination[]): NominatedPosition[] {
  const positions = Map.groupBy(nominations, ({ eic, tso }) => `${eic} ${tso}`);
  return Array.from(positions.values(), (sides) => {
    const { eic, tso } = sides[0] as CurrentNomination;
    const amounts = (direction: Direction) =>
      sides.find((side) => side.direction === direction)?.amounts ?? null;
    return { eic, tso, outKwh: amounts('out'), inKwh: amounts('in') };
  });
}

/** A series as stored with its schedule, and the nomination version that it represents. */
export type StoredSeries = Series & { messageVersion: number; nominationId: string | null };

/** A stored schedule, which was sent or is waiting to be sent. */
export type MadeSchedule = {
  schedule: Schedule;
  series: readonly StoredSeries[];
  message: {
    id: string;
    state: Message['state'];
    createdAt: number;
    sentAt: number | null;
    acknowledgedAt: number | null;
    confirmedAt: number | null;
    isFinal: boolean;
  };
};

/** A version of a schedule, without its series. */
export type ScheduleRow = {
  id: string;
  tso: Tso;
  version: number;
  state: Message['state'];
  created_at: number;
  sent_at: number | null;
  identification: string;
  acknowledged_at: number | null;
  confirmed_at: number | null;
  is_final: boolean;
};

const SCHEDULE_COLUMNS =
  'id, tso, version, state, created_at, sent_at, identification, acknowledged_at, confirmed_at, is_final';

const NEWEST = statement(
  'newest_schedules',
  `select distinct on (tso) ${SCHEDULE_COLUMNS}
   from message
   where direction = 'out' and identification = any($1::text[]) and (sent_at is not null or not $2::boolean)
   order by tso, version desc`,
);

const SENT_VERSIONS = statement(
  'sent_schedule_versions',
  `select ${SCHEDULE_COLUMNS} from message
   where direction = 'out' and identification = $1 and sent_at is not null
   order by version desc`,
);

type SeriesColumns = [
  identification: string,
  messageVersion: number,
  version: number,
  businessType: BusinessType,
  outParty: string,
  outArea: string,
  inParty: string,
  inArea: string,
  powers: number[],
  nominationId: string | null,
];

const SERIES = statement(
  'series_of_schedule',
  `select distinct on (identification) identification, message_version, version, business_type, out_party, out_area,
     in_party, in_area, powers, nomination_id
   from schedule_series
   where schedule = $1 and message_version <= $2
   order by identification, message_version desc`,
);

/** Whose schedules these are, and the rules with the codes of their receivers. */
export type Scheduler = { readonly operatorEic: string; readonly rules: MarketRules };

const identificationsOf = (
  tsos: readonly Tso[],
  { operatorEic, rules }: Scheduler,
  day: DeliveryDay,
): string[] => tsos.map((tso) => messageIdentification(day, operatorEic, tsoCodes(rules, tso, day)));

/** Reads the newest schedule of each TSO for a day. */
export async function readNewestSchedules(
  tx: Tx,
  scheduler: Scheduler,
  day: DeliveryDay,
  only: { tso?: Tso; isSent: boolean },
): Promise<MadeSchedule[]> {
  const tsos = only.tso === undefined ? TSOS : [only.tso];
  const identifications = identificationsOf(tsos, scheduler, day);
  const rows = await tx.query<ScheduleRow>(NEWEST, [identifications, only.isSent]);
  const made: MadeSchedule[] = [];
  for (const row of rows) made.push(await readSchedule(tx, scheduler, day, row));
  return made;
}

/** Lists all versions of a schedule that were sent, newest first. */
export async function listSentVersions(
  tx: Tx,
  scheduler: Scheduler,
  { tso, day }: { tso: Tso; day: DeliveryDay },
): Promise<ScheduleRow[]> {
  return tx.query<ScheduleRow>(SENT_VERSIONS, identificationsOf([tso], scheduler, day));
}

/** Reads the series of a version. */
export async function readSchedule(
  tx: Tx,
  { operatorEic, rules }: Scheduler,
  day: DeliveryDay,
  row: ScheduleRow,
): Promise<MadeSchedule> {
  const { tso, version, identification: messageId } = row;
  const columns = await tx.arrays<SeriesColumns>(SERIES, [messageId, version]);
  const series = columns.map(seriesOf);
  return {
    schedule: { operatorEic, tso, codes: tsoCodes(rules, tso, day), day, messageId, version, series },
    series,
    message: {
      id: row.id,
      state: row.state,
      createdAt: row.created_at,
      sentAt: row.sent_at,
      acknowledgedAt: row.acknowledged_at,
      confirmedAt: row.confirmed_at,
      isFinal: row.is_final,
    },
  };
}

function seriesOf(columns: SeriesColumns): StoredSeries {
  const [identification, messageVersion, version, businessType, outParty, outArea, inParty, inArea] = columns;
  const [powersKw, nominationId] = [columns[8], columns[9]];
  const key = { identification, businessType, outParty, outArea, inParty, inArea };
  return { ...key, version, powersKw, messageVersion, nominationId };
}

const INSERT_SERIES = statement(
  'insert_series',
  `insert into schedule_series (schedule, message_version, identification, version, business_type, out_party, out_area,
     in_party, in_area, powers, nomination_id)
   select $1, $2, s.identification, s.version, s.business_type, s.out_party, s.out_area, s.in_party, s.in_area,
     s.powers::bigint[], s.nomination_id
   from unnest($3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
       $11::uuid[])
     as s (identification, version, business_type, out_party, out_area, in_party, in_area, powers, nomination_id)`,
);

/** Inserts only the series that differ from the previous version of the schedule. */
export async function insertSeries(
  tx: Tx,
  { messageId, version }: Schedule,
  series: readonly (Series & { nominationId: string | null })[],
): Promise<void> {
  if (series.length === 0) return;
  await tx.query(INSERT_SERIES, [
    messageId,
    version,
    series.map(({ identification }) => identification),
    series.map((one) => one.version),
    series.map(({ businessType }) => businessType),
    series.map(({ outParty }) => outParty),
    series.map(({ outArea }) => outArea),
    series.map(({ inParty }) => inParty),
    series.map(({ inArea }) => inArea),
    series.map(({ powersKw }) => `{${powersKw.join(',')}}`),
    series.map(({ nominationId }) => nominationId),
  ]);
}

const ADOPT = statement(
  'adopt_nominations',
  `update schedule_series s set nomination_id = a.nomination_id
   from unnest($2::text[], $3::int[], $4::uuid[]) as a (identification, message_version, nomination_id)
   where s.schedule = $1 and s.identification = a.identification and s.message_version = a.message_version`,
);

/** Links these series to newer nomination versions with equal amounts. */
export async function adoptNominations(
  tx: Tx,
  { messageId }: Schedule,
  adopted: readonly StoredSeries[],
): Promise<void> {
  await tx.query(ADOPT, [
    messageId,
    adopted.map(({ identification }) => identification),
    adopted.map(({ messageVersion }) => messageVersion),
    adopted.map(({ nominationId }) => nominationId),
  ]);
}

const NOTE_UNSENT = statement(
  'note_unsent_schedule',
  `insert into unsent_schedule (tso, delivery_day, error, noted_at, is_unbalanced)
   values ($1, $2, $3, $4, coalesce($5::boolean, false))
   on conflict (delivery_day, tso) do update
     set error = excluded.error, noted_at = excluded.noted_at, is_unbalanced = excluded.is_unbalanced
     where unsent_schedule.error is distinct from excluded.error
       and ($5::boolean is not null or not unsent_schedule.is_unbalanced)
   returning true`,
);

/**
 * Records why a schedule was not sent. Returns whether the reason is new, so that it is logged once. `isUnbalanced` is null
 * where the reason says nothing about the balance: then a recorded imbalance is kept.
 */
export async function recordUnsent(
  tx: Tx,
  tso: Tso,
  day: DeliveryDay,
  error: Text | null,
  now: number,
  isUnbalanced: boolean | null = false,
): Promise<boolean> {
  const values = [tso, day, error && storeMessage(error), timestamp(now), isUnbalanced];
  return (await tx.query(NOTE_UNSENT, values)).length > 0;
}

const FORGET_UNSENT = statement(
  'forget_unsent_schedule',
  `delete from unsent_schedule
   where delivery_day = $2 and tso = $1 and ($3::boolean is null or is_unbalanced = $3)`,
);

/**
 * Deletes the reason why a schedule was not sent. With `isUnbalanced` true only an imbalance, with false everything but an
 * imbalance.
 */
export async function clearUnsent(
  tx: Tx,
  tso: Tso,
  day: DeliveryDay,
  isUnbalanced: boolean | null = null,
): Promise<void> {
  await tx.query(FORGET_UNSENT, [tso, day, isUnbalanced]);
}

const REJECTED_TSOS = statement(
  'rejected_tsos',
  `select newest.tso from (
     select distinct on (tso) tso, state from message
     where direction = 'out' and identification = any($1::text[])
     order by tso, version desc
   ) as newest
   where newest.state = 'rejected'`,
);

/** Lists the TSOs that rejected the newest schedule of a day. */
export async function listRejectedTsos(db: Db, scheduler: Scheduler, day: DeliveryDay): Promise<Tso[]> {
  const rows = await db.query<{ tso: Tso }>(REJECTED_TSOS, [identificationsOf(TSOS, scheduler, day)]);
  return rows.map(({ tso }) => tso);
}

/** Days whose gates have all closed by any market rules are left out, unless one of them is named. */
const FIRST_DAY_TO_SEND = `coalesce($1::date, $3::date - ${MAX_DAY_AFTER_DAYS})`;

/**
 * $1 named day or null, $2 now, $3 today. The index of unsent nominations is by gate: without a first gate, each run would
 * read all nominations that were never sent. The first gate of a day is on the day before it.
 */
const DAYS_TO_SEND = statement(
  'days_to_send',
  `select u.delivery_day, array_agg(distinct u.tso::text) as tsos,
     min(u.gate_closure) filter (where u.gate_closure > $2) as next_gate,
     (select max(m.created_at) from message m
      where m.delivery_day = u.delivery_day and m.direction = 'out' and m.type = 'schedule') as last_made
   from (
     select delivery_day, tso, gate_closure from nomination
     where sent_at is null and status <> 'superseded'
       and gate_closure >= ((${FIRST_DAY_TO_SEND} - 1)::timestamp at time zone 'Europe/Berlin')
     union all
     select delivery_day, tso, null from unsent_schedule
   ) as u
   where u.delivery_day >= ${FIRST_DAY_TO_SEND} and ($1::date is null or u.delivery_day = $1)
   group by u.delivery_day
   order by u.delivery_day`,
);

export type DayToSend = {
  delivery_day: DeliveryDay;
  tsos: Tso[];
  next_gate: number | null;
  last_made: number | null;
};

/** Lists days with nominations or schedules that were not sent. */
export async function listDaysToSend(db: Db, day: DeliveryDay | null, now: number): Promise<DayToSend[]> {
  return db.query<DayToSend>(DAYS_TO_SEND, [day, timestamp(now), dayOf(now)]);
}
