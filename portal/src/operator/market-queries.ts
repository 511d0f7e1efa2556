import type { Demand, OperatorAsset } from '@saldo/api';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { given, pageOf, pages } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { readWithEtag } from '../session/versions.ts';
import type { AssetFilters, DemandFilters } from './filters.ts';

export const assetListQuery = (filters: AssetFilters) =>
  infiniteQueryOptions({
    queryKey: ['assets', 'list', filters],
    queryFn: ({ pageParam, signal }) => operatorClient.assets.list(pageOf(filters, pageParam), { signal }),
    ...pages,
  });

export const eachAsset = (filters: AssetFilters, signal: AbortSignal): AsyncIterable<OperatorAsset> =>
  operatorClient.assets.each(given(filters), { signal });

export const assetQuery = (id: string) =>
  queryOptions({
    queryKey: ['assets', 'one', id],
    queryFn: ({ signal }) => readWithEtag((options) => operatorClient.assets.get(id, options), signal),
  });

/** The server accepts upper case only. */
const demandFilter = ({ country, sort }: DemandFilters) => given({ country: country?.toUpperCase(), sort });

export const demandListQuery = (filters: DemandFilters) =>
  infiniteQueryOptions({
    queryKey: ['demands', filters],
    queryFn: ({ pageParam, signal }) =>
      operatorClient.demands.list(pageOf(demandFilter(filters), pageParam), { signal }),
    ...pages,
  });

export const demandQuery = (id: string) =>
  queryOptions({
    queryKey: ['demands', 'one', id],
    queryFn: ({ signal }) => readWithEtag((options) => operatorClient.demands.get(id, options), signal),
  });

export const eachDemand = (filters: DemandFilters, signal: AbortSignal): AsyncIterable<Demand> =>
  operatorClient.demands.each(demandFilter(filters), { signal });
