import type { Customer, OperatorCustomer } from '@saldo/api';
import { queryOptions } from '@tanstack/react-query';
import { given, pagedQuery } from '../session/lists.ts';
import { reader, searcher } from '../session/reader.ts';
import { versionedQuery } from '../session/versions.ts';
import type { CustomerFilters } from './filters.ts';

/** The customers of the BRP; for the operator those of all BRPs, with their BRP. */
export const customersQuery = (filters: CustomerFilters) =>
  pagedQuery(['customers', filters], filters, searcher().customers.list);

export const eachCustomer = (filters: CustomerFilters, signal: AbortSignal): AsyncIterable<Customer> =>
  searcher().customers.each(given(filters), { signal });

/** The operator reads customers together with their BRP. */
export const brpOf = (customer: Customer | OperatorCustomer): string =>
  'brp_id' in customer ? customer.brp_id : '';

export const customerQuery = (id: string) =>
  versionedQuery(['customer', id], (options): Promise<Customer> => reader().customers.get(id, options));

/** Newest first. */
export const placementsQuery = (customerId: string) =>
  queryOptions({
    queryKey: ['customer', customerId, 'placements'],
    queryFn: async ({ signal }) => (await reader().customers.placements(customerId, { signal })).placements,
  });
