import { operatorSeriesEndpoints as endpoints, LIMITS, type SeriesDeviation } from '@saldo/api';
import { addDays, type DeliveryDay, dayNumber, slotCount } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { deviationOf } from '@saldo/core/series/deviation.ts';
import { valuesAsOf, versionsOfSlot } from '@saldo/core/series/series-day.ts';
import type { Db } from '../platform/db/database.ts';
import { paginate, readPage } from '../platform/http/paging.ts';
import { answerTagged } from '../platform/http/preconditions.ts';
import { fieldProblem } from '../platform/http/problem.ts';
import { type Route, replicaRoute } from '../platform/http/routes.ts';
import { instantOf } from '../platform/http/time-filter.ts';
import { seriesNotFound, seriesUuid } from './actions.ts';
import { findSeriesOfOwner, listSeries, readSeries, type SeriesFilter, type SeriesRow } from './store.ts';
import { SeriesHistories } from './value-batch.ts';
import { wireDeviation, wireSeries, wireValue } from './wire.ts';

/** Reads only: whatever changes series or values also changes volumes, and is in sources/operator-routes.ts. */
export const operatorSeriesRoutes = (): Route[] => [
  replicaRoute(endpoints.listSeries, async ({ query, page }, db) => {
    const owner = ownerFilter(query.owner_id);
    if (owner === null) return { series: [], pagination: paginate(page, [], () => []).pagination };
    const filter = { ...owner, kind: query.kind, location: query.market_location };
    const { records, pagination } = await readPage(page, undefined, (start) => listSeries(db, filter, start));
    return { series: records.map(wireSeries), pagination };
  }),

  replicaRoute(endpoints.getSeries, async (call, db) =>
    answerTagged(call, wireSeries(await getSeries(db, call.params.series_id))),
  ),

  replicaRoute(endpoints.getSeriesValues, async ({ params, query }, db) => {
    const { no } = await getSeries(db, params.series_id);
    const { delivery_date: day, slot_number: slot } = query;
    const histories = new SeriesHistories();
    await histories.load(db, [{ seriesNo: no, day }]);
    const asOf = instantOf(query.as_of) ?? Number.POSITIVE_INFINITY;
    const history = histories.of({ seriesNo: no, day }).filter(({ createdAt }) => createdAt <= asOf);
    const values =
      slot === undefined
        ? valuesAsOf(history, slotCount(day), asOf).filter((value) => value !== null)
        : versionsOfSlot(history, slot);
    return { values: values.map(wireValue) };
  }),

  replicaRoute(endpoints.getSeriesDeviation, async ({ params, query: { from, to } }, db) => {
    const days = dayNumber(to) - dayNumber(from) + 1;
    if (days > LIMITS.deviationDays) {
      const message = { key: 'series.days_at_most', days: LIMITS.deviationDays } as const;
      throw fieldProblem('to', 'value_too_large', message);
    }
    const series = await findSeriesOfOwner(db, seriesUuid(params.series_id));
    if (series.length === 0) throw seriesNotFound();
    return { days: await deviationsOf(db, series, from, days) };
  }),
];

async function getSeries(db: Db, id: string): Promise<SeriesRow> {
  const [row] = await readSeries(db, { ids: [seriesUuid(id)] });
  if (!row) throw seriesNotFound();
  return row;
}

/** Null for an id of neither an asset nor a customer, which owns no series. */
function ownerFilter(id: string | undefined): Pick<SeriesFilter, 'asset' | 'customer'> | null {
  if (id === undefined) return {};
  const [asset, customer] = [decodeId(ID_PREFIX.asset, id), decodeId(ID_PREFIX.customer, id)];
  if (asset !== null) return { asset };
  return customer === null ? null : { customer };
}

/** Compares the series of one owner day by day. A series that the owner does not have has no values. */
async function deviationsOf(
  db: Db,
  series: readonly SeriesRow[],
  from: DeliveryDay,
  count: number,
): Promise<SeriesDeviation['days']> {
  const days = Array.from({ length: count }, (_, at) => addDays(from, at));
  const histories = new SeriesHistories();
  await histories.load(
    db,
    series.flatMap(({ no }) => days.map((day) => ({ seriesNo: no, day }))),
  );
  const valuesOf = (kind: SeriesRow['kind'], day: DeliveryDay) => {
    const one = series.find((known) => known.kind === kind);
    return one ? histories.newestWh({ seriesNo: one.no, day }) : Array<null>(slotCount(day)).fill(null);
  };
  return days.map((day) =>
    wireDeviation(day, deviationOf(valuesOf('forecast', day), valuesOf('meter', day))),
  );
}
