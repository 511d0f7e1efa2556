import { operatorSeriesEndpoints as endpoints } from '@saldo/api';
import { assert } from '@saldo/core/assert.ts';
import { type DeliveryDay, parseDay, slotCount } from '@saldo/core/delivery-day.ts';
import { VALUE_UNITS, type ValueUnit } from '@saldo/core/enums.ts';
import { checkMarketLocation } from '@saldo/core/series/market-location.ts';
import { whFromJson } from '@saldo/core/series/value.ts';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { answerChanged, ifMatch } from '../platform/http/preconditions.ts';
import type { FieldError } from '../platform/http/problem.ts';
import { type Call, type Route, writeRoute } from '../platform/http/routes.ts';
import { FIRST_DAY, LAST_DAY } from '../platform/http/time-filter.ts';
import { createSeries, seriesNotFound, seriesUuid, updateSeries } from '../series/actions.ts';
import { lockSeries } from '../series/store.ts';
import { wireSeries } from '../series/wire.ts';
import { storeValues } from './actions.ts';
import { lockFollowing } from './follow-values.ts';
import { writePending } from './read-interchange.ts';

export function operatorSourceRoutes(clock: Clock): Route[] {
  return [
    writeRoute(
      endpoints.createSeries,
      async (call, tx) => {
        const now = clock.now();
        const series = await createSeries(tx, call.body, now);
        const after = wireSeries(series);
        await recordAudit(tx, call, { action: 'series.created', subject: after.id, after }, now);
        await writePending(tx, call, series, now);
        return after;
      },
      locationErrors,
    ),

    writeRoute(
      endpoints.updateSeries,
      async (call, tx) => {
        const id = seriesUuid(call.params.series_id);
        const changed = await updateSeries(tx, id, call.body, ifMatch(call.request, wireSeries));
        const [before, after] = [wireSeries(changed.before), wireSeries(changed.after)];
        const event = { action: 'series.updated', subject: after.id, before, after } as const;
        await lockFollowing(tx, [changed.after.no]);
        const now = clock.now();
        await recordAudit(tx, call, event, now);
        await writePending(tx, call, changed.after, now);
        return answerChanged(call, after);
      },
      locationErrors,
    ),

    writeRoute(endpoints.putSeriesDay, (call, tx) => putDay(tx, call, clock), dayErrors),
  ];
}

/** The members of a body, or null if it is no object, which its schema reports. */
const membersOf = (body: unknown): { readonly [name: string]: unknown } | null =>
  typeof body === 'object' && !Array.isArray(body) ? (body as { [name: string]: unknown } | null) : null;

function locationErrors(_: object, body: unknown): FieldError[] {
  const location = membersOf(body)?.['market_location'];
  const fault = typeof location === 'string' ? checkMarketLocation(location) : null;
  return fault === null ? [] : [{ field: 'market_location', code: 'invalid_format', message: fault }];
}

/** Checks the day, its unit and its values, which no schema can. Values of a wrong type are left to the schema. */
function dayErrors({ delivery_date }: { delivery_date: string }, body: unknown): FieldError[] {
  const day = parseDay(delivery_date);
  if (day === null || day < FIRST_DAY || day > LAST_DAY)
    return [{ field: 'delivery_date', code: 'invalid_format', message: { key: 'field.date' } }];
  const members = membersOf(body);
  if (members === null) return [];
  const given = VALUE_UNITS.filter((unit) => members[unit] !== undefined);
  const [unit] = given;
  if (unit === undefined || given.length > 1) {
    const code = unit === undefined ? 'required' : 'validation_failed';
    return [{ code, message: { key: 'series.one_unit', units: [...VALUE_UNITS] } }];
  }
  const values = members[unit];
  return Array.isArray(values) ? valueErrors(day, unit, values) : [];
}

function valueErrors(day: DeliveryDay, unit: ValueUnit, values: readonly unknown[]): FieldError[] {
  const [slots, count] = [slotCount(day), values.length];
  if (count !== slots) {
    const code = count < slots ? 'value_too_small' : 'value_too_large';
    return [{ field: unit, code, message: { key: 'series.slots_of_day', day, slots, count } }];
  }
  return values.flatMap((value, at): FieldError[] => {
    const wh = typeof value === 'number' ? whFromJson(value, unit) : 0;
    return typeof wh === 'number' ? [] : [{ field: `${unit}[${at}]`, code: CODES[wh.key], message: wh }];
  });
}

const CODES = {
  'series.not_a_number': 'invalid_type',
  'series.negative': 'value_too_small',
  'series.no_whole_wh': 'validation_failed',
  'series.too_large': 'value_too_large',
} as const;

async function putDay(tx: Tx, call: Call<typeof endpoints.putSeriesDay>, clock: Clock): Promise<object> {
  const { series_id: id, delivery_date: day } = call.params;
  const [series] = await lockSeries(tx, { ids: [seriesUuid(id)] });
  if (!series) throw seriesNotFound();
  await lockFollowing(tx, [series.no]);
  const now = clock.now();
  const { changes } = await storeValues(tx, [{ series, day, valuesWh: valuesOf(call.body) }], now);
  const { created, corrected, unchanged, revision } = changes[0]!;
  const after = { created, corrected, unchanged, revision };
  const event: AuditEvent = {
    action: 'series_day.written',
    subject: id,
    after: { delivery_date: day, ...after },
  };
  await recordAudit(tx, call, event, now);
  return after;
}

/** Wh per slot of a body that was checked. */
function valuesOf(body: Call<typeof endpoints.putSeriesDay>['body']): (number | null)[] {
  const unit = VALUE_UNITS.find((one) => body[one] !== undefined);
  assert(unit !== undefined, 'a day has values in one unit');
  return body[unit]!.map((value) => {
    const wh = value === null ? null : whFromJson(value, unit);
    assert(wh === null || typeof wh === 'number', 'a day has valid values');
    return wh;
  });
}
