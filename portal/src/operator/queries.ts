import type { AuditEntry, Brp, OperatorCustomer } from '@saldo/api';
import { addDays, type DeliveryDay, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { firstSlotFrom, matchesFilters } from '../brp/queries.ts';
import {
  allOf,
  given,
  keepOfSame,
  PAGE_SIZE,
  pagedQuery,
  pageOf,
  pages,
  WITHOUT_EVENTS_MS,
} from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { versionedQuery } from '../session/versions.ts';
import type {
  AuditFilters,
  ContractFilters,
  CustomerFilters,
  GroupFilters,
  KeyFilters,
  NominationFilters,
  UserFilters,
} from './filters.ts';

/** Names change rarely, and forms and tables look them up often, so they are cached longer. */
const NAMES_STALE_MS = 60_000;

export const brpsQuery = queryOptions({
  queryKey: ['brps'],
  queryFn: ({ signal }) => allOf(operatorClient.brps.each({}, { signal })),
  staleTime: NAMES_STALE_MS,
});

export const brpQuery = (id: string) =>
  queryOptions({
    queryKey: ['brps', id],
    queryFn: ({ signal }): Promise<Brp> => operatorClient.brps.get(id, { signal }),
  });

export const groupQuery = (eic: string) =>
  versionedQuery(['balance-groups', eic], (options) => operatorClient.balanceGroups.get(eic, options));

export const groupsQuery = (filters: Omit<GroupFilters, 'sort'> = {}) =>
  queryOptions({
    queryKey: ['balance-groups', filters],
    queryFn: ({ signal }) => allOf(operatorClient.balanceGroups.each(given(filters), { signal })),
    staleTime: NAMES_STALE_MS,
  });

export const accountsQuery = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) => allOf(operatorClient.accounts.each({}, { signal })),
  staleTime: NAMES_STALE_MS,
});

export const assetsQuery = queryOptions({
  queryKey: ['assets'],
  queryFn: ({ signal }) => allOf(operatorClient.assets.each({}, { signal })),
  staleTime: NAMES_STALE_MS,
});

export const usersQuery = (filters: UserFilters) =>
  queryOptions({
    queryKey: ['users', filters],
    queryFn: ({ signal }) => allOf(operatorClient.users.each(given(filters), { signal })),
  });

export const userQuery = (id: string) =>
  versionedQuery(['users', 'one', id], (options) => operatorClient.users.get(id, options));

export const keysQuery = ({ owner_type, owner_id }: KeyFilters) =>
  queryOptions({
    queryKey: ['api-keys', owner_type, owner_id],
    queryFn: ({ signal }) => allOf(operatorClient.apiKeys.each(given({ owner_type, owner_id }), { signal })),
  });

export const customersQuery = (filters: CustomerFilters) =>
  pagedQuery(['customers', filters], filters, operatorClient.customers.list);

export const eachCustomer = (
  filters: CustomerFilters,
  signal: AbortSignal,
): AsyncIterable<OperatorCustomer> => operatorClient.customers.each(given(filters), { signal });

export const customerQuery = (id: string) =>
  versionedQuery(['customer', id], (options) => operatorClient.customers.get(id, options));

export const contractsQuery = (filters: ContractFilters) =>
  pagedQuery(['contracts', filters], filters, operatorClient.contracts.list);

export const eachContract = (filters: ContractFilters, signal: AbortSignal) =>
  operatorClient.contracts.each(given(filters), { signal });

/** Paged: all BRPs together may have thousands of nominations a day. */
export const nominationsQuery = (day: DeliveryDay, filters: NominationFilters) => {
  const { day: _day, versions: _versions, ...rest } = filters;
  return infiniteQueryOptions({
    queryKey: ['nominations', 'of-all', day, rest],
    queryFn: ({ pageParam, signal }) =>
      operatorClient.nominations.list(
        { ...pageOf(rest, pageParam), delivery_date: day, include_slots: 'true' },
        { signal },
      ),
    ...pages,
    placeholderData: keepOfSame(2, day),
    select: (data) => ({
      ...data,
      nominations: data.pages.flatMap(({ nominations }) => nominations).filter(matchesFilters(filters)),
    }),
  });
};

/** Maximum number of records of one kind on the home page: the earliest days come first. */
export const MAX_COUNTED = 500;

/** Requests one more than the maximum, so that the page knows whether there are more. */
async function firstOf<T>(
  records: AsyncIterable<T>,
  isMatch: (record: T) => boolean,
  max = MAX_COUNTED,
): Promise<T[]> {
  const found: T[] = [];
  for await (const record of records) {
    if (isMatch(record)) found.push(record);
    if (found.length > max) break;
  }
  return found;
}

/** Maximum number of suggestions; a longer search text narrows them. */
export const MAX_SUGGESTIONS = 20;

/** Customers that can be party to a contract, by a part of their name: they have a balance group. */
export const partiesQuery = (search: string) =>
  queryOptions({
    queryKey: ['customers', 'parties', search],
    queryFn: ({ signal }) =>
      firstOf(
        operatorClient.customers.each(search === '' ? {} : { search }, { signal }),
        ({ balance_group }) => balance_group !== null,
        MAX_SUGGESTIONS,
      ),
  });

/** Nominations in one state from a day on, with their first slot only, which identifies the day. */
export const nominationsInStateQuery = (first: DeliveryDay, status: 'pending' | 'partial_match') =>
  queryOptions({
    queryKey: ['nominations', 'of-all', status, first],
    queryFn: ({ signal }) =>
      firstOf(operatorClient.nominations.each({ status, ...firstSlotFrom(first) }, { signal }), () => true),
  });

export const pendingCustomersQuery = queryOptions({
  queryKey: ['customers', 'pending'],
  queryFn: ({ signal }) =>
    firstOf(operatorClient.customers.each({ status: 'pending' }, { signal }), () => true),
});

/**
 * PPA contracts that deliver on a day but have no volume for its first quarter-hour: this reads one transaction per
 * contract instead of a whole day. Null if there are too many contracts even for that.
 */
export const contractsWithoutVolumesQuery = (day: DeliveryDay) =>
  queryOptions({
    queryKey: ['contracts', 'without-volumes', day],
    queryFn: async ({ signal }) => {
      const filter = { type: 'ppa', active_on: day } as const;
      const contracts = await firstOf(operatorClient.contracts.each(filter, { signal }), () => true);
      if (contracts.length > MAX_COUNTED) return null;
      const firstSlots = { delivery_date: day, slot_number_from: 1, slot_number_to: 1 };
      const transactions = await allOf(operatorClient.transactions.each(firstSlots, { signal }));
      const known = new Set(transactions.map(({ contract_id }) => contract_id));
      // A contract without an end takes no volumes.
      return contracts.filter(({ id, delivery_end }) => delivery_end !== null && !known.has(id));
    },
  });

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => operatorClient.health.get({ signal }),
  refetchInterval: WITHOUT_EVENTS_MS,
});

/** Days are German calendar days; the last one is included. */
const auditFilter = ({ from, to, ...rest }: AuditFilters) =>
  given({
    ...rest,
    since: from && formatInstant(dayStart(from)),
    until: to && formatInstant(dayStart(addDays(to, 1))),
  });

export const auditQuery = (filters: AuditFilters, size = PAGE_SIZE) =>
  infiniteQueryOptions({
    queryKey: ['audit', filters, size],
    queryFn: ({ pageParam, signal }) =>
      operatorClient.audit.list(
        { ...pageOf(auditFilter(filters), pageParam, size), order: 'newest_first' },
        { signal },
      ),
    ...pages,
  });

export const eachAuditEntry = (filters: AuditFilters, signal: AbortSignal): AsyncIterable<AuditEntry> =>
  operatorClient.audit.each({ ...auditFilter(filters), order: 'newest_first' }, { signal });
