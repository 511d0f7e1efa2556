import type { Contract } from '@saldo/api';
import { given, pagedQuery } from '../session/lists.ts';
import { reader, searcher } from '../session/reader.ts';
import { versionedQuery } from '../session/versions.ts';
import type { ContractFilters } from './filters.ts';

export const contractsQuery = (filters: ContractFilters) =>
  pagedQuery(['contracts', filters], filters, searcher().contracts.list);

export const eachContract = (filters: ContractFilters, signal: AbortSignal): AsyncIterable<Contract> =>
  searcher().contracts.each(given(filters), { signal });

export const contractQuery = (id: string) =>
  versionedQuery(['contract', id], (options) => reader().contracts.get(id, options));
