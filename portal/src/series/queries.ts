import type { Series } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { queryOptions } from '@tanstack/react-query';
import { allOf, given, pagedQuery } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { versionedQuery } from '../session/versions.ts';
import type { SeriesFilters } from './filters.ts';

export const seriesListQuery = (filters: SeriesFilters) =>
  pagedQuery(['series', 'list', filters], filters, operatorClient.series.list);

export const eachSeries = (filters: SeriesFilters, signal: AbortSignal): AsyncIterable<Series> =>
  operatorClient.series.each(given(filters), { signal });

export const seriesQuery = (id: string) =>
  versionedQuery(['series', 'one', id], (options) => operatorClient.series.get(id, options));

/** At most one per kind. */
export const ownerSeriesQuery = (ownerId: string) =>
  queryOptions({
    queryKey: ['series', 'of', ownerId],
    queryFn: ({ signal }) => allOf(operatorClient.series.each({ owner_id: ownerId }, { signal })),
  });

/** The newest value of each quarter-hour that has one. */
export const valuesQuery = (id: string, day: DeliveryDay) =>
  queryOptions({
    queryKey: ['series', 'values', id, day],
    queryFn: async ({ signal }) =>
      (await operatorClient.series.values(id, { delivery_date: day }, { signal })).values,
  });

export const deviationQuery = (id: string, from: DeliveryDay, to: DeliveryDay) =>
  queryOptions({
    queryKey: ['series', 'deviation', id, from, to],
    queryFn: async ({ signal }) => (await operatorClient.series.deviation(id, { from, to }, { signal })).days,
  });

export const interchangesQuery = () =>
  pagedQuery(['series', 'interchanges'], {}, operatorClient.interchanges.list);

export const interchangeQuery = (id: string) =>
  queryOptions({
    queryKey: ['series', 'interchange', id],
    queryFn: ({ signal }) => operatorClient.interchanges.get(id, { signal }),
  });
