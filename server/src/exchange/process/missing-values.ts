import type { AlarmKind, SeriesKind } from '@saldo/api';
import { addDays, type DeliveryDay, dayOf, slotCount } from '@saldo/core/delivery-day.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { forecastWatch, lastMeterDay } from '@saldo/core/series/missing-values.ts';
import type { Db } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { AlarmCause, AlarmRow } from '../alarms.ts';

/** A missing meter begins an alarm if its day is among the last ones. An open alarm has no time limit. */
const METER_WATCHED_DAYS = 14;
/** Open alarms of a kind. Further ones begin as these end: a list of more cannot be worked through, and each is checked every second. */
export const MAX_MISSING_ALARMS = 200;

type MissingKind = Extract<AlarmKind, 'forecast_missing' | 'meter_missing'>;
const SERIES_OF: Readonly<Record<MissingKind, SeriesKind>> = {
  forecast_missing: 'forecast',
  meter_missing: 'meter',
};

/** The number of slots of the asked day that have a value of a series. */
const filled = (series: string) => `coalesce(
  (select v.filled from series_sheet v
   where v.series_no = ${series} and v.delivery_day = asked.day order by v.revision desc limit 1), 0)`;

/**
 * The contract-days of `asked` (kind, contract_no, day, slots) that lack values: the contract takes volumes on the day, and
 * its source of that day has a series of the kind. A metered value of tomorrow counts like a forecast, as for its volume.
 */
const missing = (
  asked: string,
) => `select asked.kind, c.id as contract_id, c.external_id, asked.day, asked.slots,
    gap.missing, (select name from series where no = gap.series_no) as series
  from (${asked}) as asked
  join contract c on c.no = asked.contract_no
  cross join lateral (
    select forecast_no, meter_no from contract_source
    where contract_no = c.no and first_day <= asked.day order by first_day desc limit 1) as source
  cross join lateral (
    select ${filled('source.forecast_no')} as forecast, ${filled('source.meter_no')} as meter) as filled
  cross join lateral (
    select case asked.kind when 'meter_missing' then source.meter_no else source.forecast_no end as series_no,
      case
        when asked.kind = 'meter_missing' then asked.slots - filled.meter
        when filled.meter = 0 or filled.forecast = asked.slots then asked.slots - filled.forecast
        else (
          select count(*)::int from generate_series(1, asked.slots) as day_slot (slot)
          where not exists (
            select from series_sheet v
            where v.series_no in (source.forecast_no, source.meter_no) and v.delivery_day = asked.day
              and sheet_volume(v.values_wh, day_slot.slot) is not null))
      end as missing) as gap
  where gap.series_no is not null and gap.missing > 0 and c.is_activated
    and asked.day::timestamp at time zone 'Europe/Berlin' >= c.delivery_start
    and (asked.day + 1)::timestamp at time zone 'Europe/Berlin' <= c.delivery_end
    and (c.rests_from is null or asked.day < c.rests_from)`;

/** As `causeOf` writes it. */
const CAUSE = "asked.kind || ' ' || c.id || ' ' || to_char(asked.day, 'YYYY-MM-DD')";

/** $1 kinds, $2 contract ids, $3 days, $4 numbers of slots. */
const STILL_MISSING = statement(
  'list_still_missing_values',
  missing(`select one.kind, found.no as contract_no, one.day, one.slots
    from unnest($1::text[], $2::uuid[], $3::date[], $4::int[]) as one (kind, id, day, slots)
    join contract found on found.id = one.id`),
);

/**
 * Contract-days without an alarm, or with one that ended by itself. Finds the series with gaps first, because several
 * contracts follow a series. $1 days, $2 numbers of slots, $3 maximum number of open alarms of the kind.
 */
const newlyMissing = (kind: MissingKind) =>
  statement(
    `list_newly_missing_${SERIES_OF[kind]}_values`,
    `with gap as materialized (
       select asked.day, asked.slots, s.no as series_no
       from series s cross join unnest($1::date[], $2::int[]) as asked (day, slots)
       where s.kind = '${SERIES_OF[kind]}' and ${filled('s.no')} < asked.slots)
     ${missing(`select '${kind}' as kind, f.contract_no, gap.day, gap.slots
       from gap join contract_source f on f.${SERIES_OF[kind]}_no = gap.series_no and f.first_day <= gap.day
       where not exists (
         select from contract_source later
         where later.contract_no = f.contract_no and later.first_day > f.first_day and later.first_day <= gap.day)`)}
     and not exists (select from alarm where cause = ${CAUSE} and ended_at is null)
     and not exists (select from alarm where cause = ${CAUSE} and acknowledged_by is not null)
     limit greatest(0, $3::int - (select count(*)::int from alarm where kind = '${kind}' and ended_at is null))`,
  );
const NEWLY_MISSING: Readonly<Record<MissingKind, ReturnType<typeof newlyMissing>>> = {
  forecast_missing: newlyMissing('forecast_missing'),
  meter_missing: newlyMissing('meter_missing'),
};

type MissingRow = {
  kind: MissingKind;
  contract_id: string;
  external_id: string;
  day: DeliveryDay;
  slots: number;
  missing: number;
  series: string;
};

const causeOf = (row: MissingRow, now: number): AlarmCause => ({
  kind: row.kind,
  severity: row.kind === 'forecast_missing' ? (forecastWatch(now)?.severity ?? 'warning') : 'warning',
  cause: `${row.kind} ${row.contract_id} ${row.day}`,
  tso: null,
  day: row.day,
  messageId: null,
  contractId: row.contract_id,
  text: {
    key: `alarm.${row.kind}`,
    contract: row.external_id,
    ...{ day: row.day, missing: row.missing, slots: row.slots, series: row.series },
  },
});

/** The days whose values must be complete now. */
function dueDays(kind: MissingKind, now: number, rules: MarketRules): DeliveryDay[] {
  if (kind === 'forecast_missing') return [forecastWatch(now)?.day ?? []].flat();
  const last = lastMeterDay(now, rules);
  const days = Array.from({ length: METER_WATCHED_DAYS }, (_, at) => addDays(dayOf(now), -1 - at));
  return days.filter((day) => day <= last);
}

/** The conditions of these open alarms that still exist. */
export async function findStillMissing(
  db: Db,
  open: readonly AlarmRow[],
  now: number,
  rules: MarketRules,
): Promise<AlarmCause[]> {
  const forecastDay = forecastWatch(now)?.day;
  const meterDay = lastMeterDay(now, rules);
  const due = open.filter(
    ({ kind, delivery_day: day }) =>
      day !== null &&
      (kind === 'forecast_missing' ? day === forecastDay : kind === 'meter_missing' && day <= meterDay),
  );
  if (due.length === 0) return [];
  const rows = await db.query<MissingRow>(STILL_MISSING, [
    due.map(({ kind }) => kind),
    due.map(({ contract_id }) => contract_id),
    due.map(({ delivery_day }) => delivery_day),
    due.map(({ delivery_day }) => slotCount(delivery_day!)),
  ]);
  return rows.map((row) => causeOf(row, now));
}

/** Conditions that have no alarm yet. The number of open alarms is limited. */
export async function findNewlyMissing(db: Db, now: number, rules: MarketRules): Promise<AlarmCause[]> {
  const causes: AlarmCause[] = [];
  for (const kind of ['forecast_missing', 'meter_missing'] as const) {
    const days = dueDays(kind, now, rules);
    if (days.length === 0) continue;
    const values = [days, days.map(slotCount), MAX_MISSING_ALARMS];
    const rows = await db.query<MissingRow>(NEWLY_MISSING[kind], values);
    causes.push(...rows.map((row) => causeOf(row, now)));
  }
  return causes;
}
