import type { Demand, OperatorAsset } from '@saldo/api';
import { given, pagedQuery } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { versionedQuery } from '../session/versions.ts';
import type { AssetFilters, DemandFilters, InquiryFilters } from './operator-filters.ts';

export const assetListQuery = (filters: AssetFilters) =>
  pagedQuery(['assets', 'list', filters], filters, operatorClient.assets.list);

export const eachAsset = (filters: AssetFilters, signal: AbortSignal): AsyncIterable<OperatorAsset> =>
  operatorClient.assets.each(given(filters), { signal });

export const assetQuery = (id: string) =>
  versionedQuery(['assets', 'one', id], (options) => operatorClient.assets.get(id, options));

/** The server accepts upper case only. */
const demandFilter = ({ country, sort }: DemandFilters) => given({ country: country?.toUpperCase(), sort });

export const demandListQuery = (filters: DemandFilters) =>
  pagedQuery(['demands', filters], demandFilter(filters), operatorClient.demands.list);

export const demandQuery = (id: string) =>
  versionedQuery(['demands', 'one', id], (options) => operatorClient.demands.get(id, options));

export const eachDemand = (filters: DemandFilters, signal: AbortSignal): AsyncIterable<Demand> =>
  operatorClient.demands.each(demandFilter(filters), { signal });

export const inquiryListQuery = (filters: InquiryFilters) =>
  pagedQuery(['inquiries', filters], filters, operatorClient.inquiries.list);
