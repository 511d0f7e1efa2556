import type { Contract, Customer, Nomination, OwnBalanceGroup, Transaction, UserRole } from '@saldo/api';
import { type DeliveryDay, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { queryOptions } from '@tanstack/react-query';
import { daysOfMonth, deliveryRange } from '../ui/delivery-period.ts';
import { portalClient } from '../session/clients.ts';
import { allOf, given, keepOfSame, pagedQuery, WITHOUT_EVENTS_MS } from '../session/lists.ts';
import { reader } from '../session/reader.ts';
import { versionedQuery } from '../session/versions.ts';
import type { NamedGroup } from '../references/filter-fields.tsx';
import type { ContractFilters, CustomerFilters, NominationFilters } from './filters.ts';

export const contractsQuery = (filters: ContractFilters) =>
  pagedQuery(['contracts', filters], filters, portalClient.contracts.list);

export const eachContract = (filters: ContractFilters, signal: AbortSignal): AsyncIterable<Contract> =>
  portalClient.contracts.each(given(filters), { signal });

export const contractQuery = (id: string) =>
  versionedQuery(['contract', id], (options) => reader().contracts.get(id, options));

/** All versions of a contract-day. */
export const contractDayQuery = (id: string, day: DeliveryDay) =>
  queryOptions({
    queryKey: ['contract', id, 'transactions', day],
    queryFn: ({ signal }) => allOf(eachTransaction(id, day, signal)),
  });

/** All versions of a contract's month, with one request. */
export const contractMonthQuery = (id: string, month: string) =>
  queryOptions({
    queryKey: ['contract', id, 'month', month],
    queryFn: ({ signal }) => {
      const days = daysOfMonth(month);
      const range = deliveryRange(days[0] ?? '', days.at(-1) ?? '');
      return allOf(reader().exports.eachTransaction({ contract_id: id, ...range }, { signal }));
    },
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
  const { day: _day, versions: _versions, sort: _sort, ...rest } = filters;
  const query = { delivery_date: day, include_slots: 'true', ...given(rest) } as const;
  const isMatch = matchesFilters(filters);
  for await (const nomination of reader().nominations.each(query, { signal }))
    if (isMatch(nomination)) yield nomination;
}

/** All nominations of a day with their slots; totals need every page. */
export const nominationsQuery = (
  day: DeliveryDay,
  { day: _day, sort: _sort, ...filters }: NominationFilters,
) =>
  queryOptions({
    queryKey: ['nominations', day, filters],
    queryFn: ({ signal }) => allOf(eachNomination(day, filters, signal)),
    placeholderData: keepOfSame(1, day),
  });

/** Current nominations in one state from a day on, with their first slot only, which identifies the day. */
export const nominationsInStateQuery = (first: DeliveryDay, status: 'pending' | 'partial_match') =>
  queryOptions({
    queryKey: ['nominations', 'in-state', status, first],
    queryFn: ({ signal }) =>
      allOf(reader().nominations.each({ status, ...firstSlotFrom(first) }, { signal })),
  });

/** No last day: a nomination of any later day may need attention. */
export const firstSlotFrom = (first: DeliveryDay) =>
  ({
    include_slots: 'true',
    slot_number_from: 1,
    slot_number_to: 1,
    delivery_start: formatInstant(dayStart(first)),
  }) as const;

export const nominationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id],
    queryFn: ({ signal }) => reader().nominations.get(id, { signal }),
  });

/** The current nomination of the same balance group and TSO on another day; that of the same direction if there are two. */
export const neighbourQuery = ({ eic, tso, direction }: Nomination, day: DeliveryDay) =>
  queryOptions({
    queryKey: ['nominations', 'neighbour', eic, tso, direction, day],
    queryFn: async ({ signal }) => {
      const versions = await allOf(reader().nominations.each({ eic, tso, delivery_date: day }, { signal }));
      const current = versions.filter(({ status }) => status !== 'superseded');
      return current.find((nomination) => nomination.direction === direction) ?? current[0] ?? null;
    },
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
  });

/** Only BRPs have this read. The operator sees the answers themselves. */
export const reconciliationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id, 'reconciliation'],
    queryFn: async ({ signal }) => {
      const { brpClient } = await import('../session/brp-client.ts');
      return brpClient.nominations.reconcile(id, { signal });
    },
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
    placeholderData: keepOfSame(2, month),
  });

export const deliveryDayQuery = (day: DeliveryDay) =>
  queryOptions({
    queryKey: ['delivery-day', day],
    queryFn: ({ signal }) => reader().deliveryDays.get(day, { signal }),
  });

export const customersQuery = (filters: CustomerFilters) =>
  pagedQuery(['customers', filters], filters, portalClient.customers.list);

export const eachCustomer = (filters: CustomerFilters, signal: AbortSignal) =>
  portalClient.customers.each(given(filters), { signal });

export const customerQuery = (id: string) =>
  versionedQuery(['customer', id], (options): Promise<Customer> => reader().customers.get(id, options));

/** Newest first. */
export const placementsQuery = (customerId: string) =>
  queryOptions({
    queryKey: ['customer', customerId, 'placements'],
    queryFn: async ({ signal }) => (await reader().customers.placements(customerId, { signal })).placements,
  });

/** The client of BRPs, on demand: pages of the operator, which share this file, do not load it. */
const ownBalanceGroups = async () => (await import('../session/brp-client.ts')).brpClient.balanceGroups;

/** The operator's name of the member, so that both roles share components. */
const withTsos = ({ enabled_tsos: tsos, ...group }: OwnBalanceGroup) => ({ ...group, tsos });

type Signal = { signal: AbortSignal };

const listOwnGroups = async ({ signal }: Signal) =>
  (await allOf((await ownBalanceGroups()).each({}, { signal }))).map(withTsos);

const listGroupsOfAll = async ({ signal }: Signal) => {
  const { operatorClient } = await import('../session/operator-client.ts');
  return allOf(operatorClient.balanceGroups.each({}, { signal }));
};

const GROUPS_STALE_MS = 60_000;

export const balanceGroupsQuery = queryOptions({
  queryKey: ['balance-groups'],
  queryFn: listOwnGroups,
  staleTime: GROUPS_STALE_MS,
});

/** The balance groups that the role has a list of, under the key of its own pages, which share the request. */
export const groupNamesQuery = (role: UserRole) =>
  queryOptions<readonly NamedGroup[]>({
    queryKey: role === 'operator' ? ['balance-groups', {}] : ['balance-groups'],
    queryFn: role === 'operator' ? listGroupsOfAll : listOwnGroups,
    staleTime: GROUPS_STALE_MS,
  });

export const balanceGroupQuery = (eic: string) =>
  versionedQuery(['balance-groups', eic], async (options) =>
    withTsos(await (await ownBalanceGroups()).get(eic, options)),
  );

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => allOf(portalClient.apiKeys.each({}, { signal })),
  refetchInterval: WITHOUT_EVENTS_MS,
});
