import type { BoardArea, BoardDay, ExchangeBoard, Message, Tso } from '@saldo/api';
import {
  addDays,
  type DeliveryDay,
  dayOf,
  formatInstant,
  formatInstantOrNull,
  SLOTS_PER_HOUR,
  slotCount,
} from '@saldo/core/delivery-day.ts';
import { mwhNumber } from '@saldo/core/energy.ts';
import { TSOS } from '@saldo/core/enums.ts';
import { phaseEnds } from '@saldo/core/gates.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatStored } from '@saldo/core/messages/stored.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** Days of the board. Volumes may be imported for years ahead, whose days would make the board slow and unreadable. */
const MAX_DAYS = 14;

/** $1 the day before the first one, $2 number of days. Each step is one look-up in the index by day. */
const LATER_DAYS = statement(
  'board_later_days',
  `with recursive later(day) as (
     (select delivery_day from nomination where delivery_day > $1 order by delivery_day limit 1)
     union all
     select (select delivery_day from nomination n where n.delivery_day > later.day order by n.delivery_day limit 1)
     from later where later.day is not null
   )
   select day from later where day is not null limit $2`,
);

/**
 * The same nominations as in the list of mismatches. A subquery rather than a join, which the planner may answer by reading
 * all anomalies of the platform.
 */
const IS_MISMATCHED = `(n.status = 'partial_match'
     or (n.status = 'pending' and (select true from anomaly a where a.nomination_id = n.id)))`;

type Key = { delivery_day: DeliveryDay; tso: Tso };
type CountRow = Key & {
  nominations: number;
  unsent: number;
  matched: number;
  mismatched: number;
  gate_closure: number | null;
};

/** $1 days, $2 now. */
const COUNTS = statement(
  'board_counts',
  `select n.delivery_day, n.tso, count(*)::int as nominations,
     count(*) filter (where n.sent_at is null)::int as unsent,
     count(*) filter (where n.status = 'match')::int as matched,
     count(*) filter (where ${IS_MISMATCHED})::int as mismatched,
     min(n.gate_closure) filter (where n.sent_at is null and n.gate_closure > $2) as gate_closure
   from nomination n
   where n.delivery_day = any($1::date[]) and n.status <> 'superseded'
   group by n.delivery_day, n.tso`,
);

type SlotsRow = Key & { slots: number[] };

/** Before the TSO's confirmation, a nomination is compared with the counterpart's values of the anomaly report. */
const MISMATCHED_SLOTS = statement(
  'board_mismatched_slots',
  `select n.delivery_day, n.tso, array_agg(distinct s.slot::int) as slots
   from nomination n
   cross join lateral unnest(
     n.amounts, coalesce(n.matched, (select a.theirs from anomaly a where a.nomination_id = n.id))
   ) with ordinality as s(kwh, kw, slot)
   where n.delivery_day = any($1::date[]) and ${IS_MISMATCHED} and s.kw <> s.kwh * ${SLOTS_PER_HOUR}
   group by n.delivery_day, n.tso`,
);

type ScheduleRow = Key & {
  id: string;
  version: number;
  state: Message['state'];
  sent_at: number | null;
  acknowledged_at: number | null;
  confirmed_at: number | null;
  is_final: boolean;
};

const SCHEDULES = statement(
  'board_schedules',
  `select id, delivery_day, tso, version, state, sent_at, acknowledged_at, confirmed_at, is_final
   from message
   where delivery_day = any($1::date[]) and direction = 'out' and type = 'schedule'
   order by version desc`,
);

const ERRORS = statement(
  'board_errors',
  'select delivery_day, tso, error from unsent_schedule where delivery_day = any($1::date[])',
);

type DeliveredRow = { delivery_day: DeliveryDay; kwh: number[] };

/** `is true` keeps the planner from the index of versions, which has the direction but would be read as a whole. */
const DELIVERED = statement(
  'board_delivered',
  `select delivery_day, array_agg(kwh order by slot) as kwh from (
     select n.delivery_day, s.slot, sum(s.kwh)::bigint as kwh
     from nomination n cross join lateral unnest(n.amounts) with ordinality as s(kwh, slot)
     where n.delivery_day = any($1::date[]) and n.status <> 'superseded' and (n.direction = 'out') is true
     group by n.delivery_day, s.slot
   ) as slots
   group by delivery_day`,
);

/** The days of the board, and the first one after them that has nominations. */
async function boardDays(
  db: Db,
  today: DeliveryDay,
): Promise<{ days: DeliveryDay[]; after: DeliveryDay | null }> {
  const always = [addDays(today, -1), today, addDays(today, 1)];
  const room = MAX_DAYS - always.length;
  const found = await db.query<{ day: DeliveryDay }>(LATER_DAYS, [always.at(-1), room + 1]);
  const later = found.map(({ day }) => day);
  return { days: [...always, ...later.slice(0, room)], after: later[room] ?? null };
}

const byKey = <Row extends Key>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ delivery_day, tso }) => `${delivery_day} ${tso}`);

/** What the operator's control room watches: the exchange with each TSO, by day. */
export async function readBoard(
  db: Db,
  rules: MarketRules,
  now: number,
  { hasSlots, language }: { hasSlots: boolean; language: Language },
): Promise<ExchangeBoard> {
  const { days, after } = await boardDays(db, dayOf(now));
  const counts = byKey(await db.query<CountRow>(COUNTS, [days, timestamp(now)]));
  const slots = byKey(await db.query<SlotsRow>(MISMATCHED_SLOTS, [days]));
  const schedules = byKey(await db.query<ScheduleRow>(SCHEDULES, [days]));
  const errors = byKey(await db.query<Key & { error: string | null }>(ERRORS, [days]));
  const delivered = new Map(
    hasSlots
      ? (await db.query<DeliveredRow>(DELIVERED, [days])).map((row) => [row.delivery_day, row.kwh])
      : [],
  );
  const areaOf = (day: DeliveryDay, tso: Tso): BoardArea => {
    const key = `${day} ${tso}`;
    const [count] = counts.get(key) ?? [];
    return {
      tso,
      ...answersTo(schedules.get(key) ?? []),
      nominations: count?.nominations ?? 0,
      unsent: count?.unsent ?? 0,
      matched: count?.matched ?? 0,
      mismatched: count?.mismatched ?? 0,
      mismatched_slots: slots.get(key)?.[0]?.slots ?? [],
      gate_closure: formatInstantOrNull(count?.gate_closure ?? null),
      error: formatStored(errors.get(key)?.[0]?.error ?? null, language),
    };
  };
  const dayOfBoard = (day: DeliveryDay): BoardDay => ({
    delivery_date: day,
    gates: phaseEnds(day, rules).map(({ phase, closesAt }) => ({
      phase,
      closes_at: formatInstant(closesAt),
      open: now < closesAt,
    })),
    areas: TSOS.map((tso) => areaOf(day, tso)),
    ...(hasSlots ? { delivered: (delivered.get(day) ?? zeros(day)).map(mwhNumber) } : {}),
  });
  return { days: days.map(dayOfBoard), more_from: after };
}

const zeros = (day: DeliveryDay): number[] => Array.from({ length: slotCount(day) }, () => 0);

/** Of all versions of a schedule, newest first: the newest one, and the newest ones that the TSO acknowledged and confirmed. */
function answersTo(versions: readonly ScheduleRow[]) {
  const [newest] = versions;
  const acknowledged = versions.find(({ state }) => state === 'acknowledged' || state === 'confirmed');
  const confirmed = versions.find(({ confirmed_at }) => confirmed_at !== null);
  return {
    schedule: newest
      ? {
          message_id: encodeId(ID_PREFIX.message, newest.id),
          version: newest.version,
          state: newest.state,
          sent_at: formatInstantOrNull(newest.sent_at),
        }
      : null,
    acknowledged: acknowledged
      ? { version: acknowledged.version, at: formatInstantOrNull(acknowledged.acknowledged_at) }
      : null,
    confirmed: confirmed
      ? { version: confirmed.version, at: formatInstantOrNull(confirmed.confirmed_at) }
      : null,
    is_final: confirmed?.is_final ?? false,
  };
}
