import type { Contract, Nomination, Transaction } from '@saldo/api';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type DeliveryDay, daysOfMonth, deliveryRange } from '../domain/delivery-day.ts';
import { brpClient, portalClient } from '../session/clients.ts';
import type { ContractFilters, CustomerFilters, NominationFilters } from './filters.ts';

/** How many records a list shows at first, and adds with every step. */
const PAGE_SIZE = 50;

async function allOf<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}

const pages = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ pagination }: { pagination: { next_cursor: string | null } }) =>
    pagination.next_cursor ?? undefined,
  placeholderData: keepPreviousData,
};

/** Filters without those that are not set: the wire knows no undefined. */
const given = <F extends object>(filters: F): { [Name in keyof F]: Exclude<F[Name], undefined> } =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as never;

export const contractsQuery = (filters: ContractFilters) =>
  infiniteQueryOptions({
    queryKey: ['contracts', filters],
    queryFn: ({ pageParam, signal }) =>
      brpClient.contracts.list(
        { ...given(filters), limit: PAGE_SIZE, ...given({ after: pageParam }) },
        { signal },
      ),
    ...pages,
  });

export const eachContract = (filters: ContractFilters, signal: AbortSignal): AsyncIterable<Contract> =>
  brpClient.contracts.each(given(filters), { signal });

export const contractQuery = (id: string) =>
  queryOptions({
    queryKey: ['contract', id],
    queryFn: ({ signal }) => brpClient.contracts.get(id, { signal }),
  });

/** All versions of a contract's day. */
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
  brpClient.contracts.eachTransaction(contractId, { delivery_date: day }, { signal });

/** Contracts that a balance group has on a day, by id: what the transactions of a nomination belong to. */
export const contractsOfGroupQuery = (eic: string, day: DeliveryDay) =>
  queryOptions({
    queryKey: ['contracts', 'of-group', eic, day],
    queryFn: async ({ signal }) => {
      const contracts = await allOf(brpClient.contracts.each({ eic, active_on: day }, { signal }));
      return new Map(contracts.map((contract) => [contract.id, contract]));
    },
    staleTime: 300_000,
    refetchInterval: false,
  });

/** Superseded versions are only wanted when they are asked for. */
export const isWanted =
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
  const wanted = isWanted(filters);
  for await (const nomination of brpClient.nominations.each(query, { signal }))
    if (wanted(nomination)) yield nomination;
}

/** The nominations of a day with their slots, all of them: sums are only sums when nothing is missing. */
export const nominationsQuery = (day: DeliveryDay, filters: NominationFilters) =>
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
        brpClient.nominations.each(
          { status, include_slots: 'true', ...deliveryRange(first, last) },
          { signal },
        ),
      ),
  });

export const nominationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id],
    queryFn: ({ signal }) => brpClient.nominations.get(id, { signal }),
  });

/** All versions, newest first. */
export const nominationHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id, 'history'],
    queryFn: async ({ signal }) => (await brpClient.nominations.history(id, { signal })).nominations,
  });

/** What a version is made of never changes. */
export const explanationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id, 'explanation'],
    queryFn: ({ signal }) => brpClient.nominations.explain(id, { signal }),
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
      const versions = await allOf(brpClient.nominations.each(query, { signal }));
      return versions.filter(({ status }) => status !== 'superseded');
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

export const deliveryDayQuery = (day: DeliveryDay) =>
  queryOptions({
    queryKey: ['delivery-day', day],
    queryFn: ({ signal }) => brpClient.deliveryDays.get(day, { signal }),
  });

export const customersQuery = (filters: CustomerFilters) =>
  infiniteQueryOptions({
    queryKey: ['customers', filters],
    queryFn: ({ pageParam, signal }) =>
      brpClient.customers.list(
        { ...given(filters), limit: PAGE_SIZE, ...given({ after: pageParam }) },
        { signal },
      ),
    ...pages,
  });

export const eachCustomer = (filters: CustomerFilters, signal: AbortSignal) =>
  brpClient.customers.each(given(filters), { signal });

/** A customer, and the mark of its state that a change has to name. */
export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ['customer', id],
    queryFn: async ({ signal }) => {
      let etag: string | null = null;
      const onResponse = ({ headers }: Response) => {
        etag = headers.get('etag');
      };
      const customer = await brpClient.customers.get(id, { signal, onResponse });
      return { customer, etag: etag as string | null };
    },
  });

export const balanceGroupsQuery = queryOptions({
  queryKey: ['balance-groups'],
  queryFn: ({ signal }) => allOf(portalClient.balanceGroups.each({}, { signal })),
  staleTime: 60_000,
});

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => allOf(portalClient.apiKeys.each({}, { signal })),
});
