import type { Contract, Customer, Nomination, Transaction } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { daysOfMonth, deliveryRange } from '../domain/delivery-period.ts';
import { portalClient } from '../session/clients.ts';
import { allOf, given, pageOf, pages } from '../session/lists.ts';
import { reader } from '../session/reader.ts';
import type { ContractFilters, CustomerFilters, NominationFilters } from './filters.ts';

export const contractsQuery = (filters: ContractFilters) =>
  infiniteQueryOptions({
    queryKey: ['contracts', filters],
    queryFn: ({ pageParam, signal }) => reader().contracts.list(pageOf(filters, pageParam), { signal }),
    ...pages,
  });

export const eachContract = (filters: ContractFilters, signal: AbortSignal): AsyncIterable<Contract> =>
  reader().contracts.each(given(filters), { signal });

export const contractQuery = (id: string) =>
  queryOptions({
    queryKey: ['contract', id],
    queryFn: ({ signal }) => reader().contracts.get(id, { signal }),
  });

/** All versions of a contract-day. */
export const contractDayQuery = (id: string, day: DeliveryDay) =>
  queryOptions({
    queryKey: ['contract', id, 'transactions', day],
    queryFn: ({ signal }) => allOf(eachTransaction(id, day, signal)),
    placeholderData: keepPreviousData,
  });

export const eachTransaction = (
  contractId: string,
  day: DeliveryDay,
  signal: AbortSignal,
): AsyncIterable<Transaction> =>
  reader().transactions.each({ contract_id: contractId, delivery_date: day }, { signal });

/** Contracts of a balance group on a day, by id, to look up the contracts of a nomination's transactions. */
export const contractsOfGroupQuery = (eic: string, day: DeliveryDay) =>
  queryOptions({
    queryKey: ['contracts', 'of-group', eic, day],
    queryFn: async ({ signal }) => {
      const contracts = await allOf(reader().contracts.each({ eic, active_on: day }, { signal }));
      return new Map(contracts.map((contract) => [contract.id, contract]));
    },
    staleTime: 300_000,
    refetchInterval: false,
  });

/** Superseded versions are included only on request. */
export const matchesFilters =
  ({ versions, status }: NominationFilters) =>
  (nomination: Nomination): boolean =>
    versions === 'all' || status !== undefined || nomination.status !== 'superseded';

export async function* eachNomination(
  day: DeliveryDay,
  filters: NominationFilters,
  signal: AbortSignal,
): AsyncGenerator<Nomination, void, undefined> {
  const { day: _day, versions: _versions, ...rest } = filters;
  const query = { delivery_date: day, include_slots: 'true', ...given(rest) } as const;
  const isMatch = matchesFilters(filters);
  for await (const nomination of reader().nominations.each(query, { signal }))
    if (isMatch(nomination)) yield nomination;
}

/** All nominations of a day with their slots; totals need every page. */
export const nominationsQuery = (day: DeliveryDay, { day: _day, ...filters }: NominationFilters) =>
  queryOptions({
    queryKey: ['nominations', day, filters],
    queryFn: ({ signal }) => allOf(eachNomination(day, filters, signal)),
    placeholderData: keepPreviousData,
  });

/** Current nominations of several days in one state, with their slots. */
export const nominationsInStateQuery = (
  first: DeliveryDay,
  last: DeliveryDay,
  status: 'pending' | 'partial_match',
) =>
  queryOptions({
    queryKey: ['nominations', 'in-state', status, first, last],
    queryFn: ({ signal }) =>
      allOf(
        reader().nominations.each(
          { status, include_slots: 'true', ...deliveryRange(first, last) },
          { signal },
        ),
      ),
  });

export const nominationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id],
    queryFn: ({ signal }) => reader().nominations.get(id, { signal }),
  });

/** All versions, newest first. */
export const nominationHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id, 'history'],
    queryFn: async ({ signal }) => (await reader().nominations.history(id, { signal })).nominations,
  });

/** The basis of a version never changes, so it is cached forever. */
export const explanationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id, 'explanation'],
    queryFn: ({ signal }) => reader().nominations.explain(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });

export const monthQuery = (
  month: string,
  position: { eic?: string | undefined; tso?: Nomination['tso'] | undefined },
) =>
  queryOptions({
    queryKey: ['nominations', 'month', month, position],
    queryFn: async ({ signal }) => {
      const days = daysOfMonth(month);
      const range = deliveryRange(days[0] ?? '', days.at(-1) ?? '');
      const query = { include_slots: 'true', ...range, ...given(position) } as const;
      const versions = await allOf(reader().nominations.each(query, { signal }));
      return versions.filter(({ status }) => status !== 'superseded');
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

export const deliveryDayQuery = (day: DeliveryDay) =>
  queryOptions({
    queryKey: ['delivery-day', day],
    queryFn: ({ signal }) => reader().deliveryDays.get(day, { signal }),
  });

export const customersQuery = (filters: CustomerFilters) =>
  infiniteQueryOptions({
    queryKey: ['customers', filters],
    queryFn: ({ pageParam, signal }) => reader().customers.list(pageOf(filters, pageParam), { signal }),
    ...pages,
  });

export const eachCustomer = (filters: CustomerFilters, signal: AbortSignal) =>
  reader().customers.each(given(filters), { signal });

type GetCustomer<C> = (
  id: string,
  options: { signal: AbortSignal; onResponse: (response: Response) => void },
) => Promise<C>;

/** A customer, and the `ETag` that a change has to send. */
export const customerQueryBy = <C extends Customer>(get: GetCustomer<C>, customerId: string) =>
  queryOptions({
    queryKey: ['customer', customerId],
    queryFn: async ({ signal }) => {
      let etag: string | null = null;
      const onResponse = ({ headers }: Response) => {
        etag = headers.get('etag');
      };
      const customer = await get(customerId, { signal, onResponse });
      return { customer, etag: etag as string | null };
    },
  });

export const customerQuery = (id: string) =>
  customerQueryBy<Customer>((customerId, options) => reader().customers.get(customerId, options), id);

export const balanceGroupsQuery = queryOptions({
  queryKey: ['balance-groups'],
  queryFn: ({ signal }) => allOf(portalClient.balanceGroups.each({}, { signal })),
  staleTime: 60_000,
});

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => allOf(portalClient.apiKeys.each({}, { signal })),
});
