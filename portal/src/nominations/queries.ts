import type { Nomination, Reconciliation } from '@saldo/api';
import { addDays, type DeliveryDay, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { isProblem } from '@saldo/sdk';
import { queryOptions } from '@tanstack/react-query';
import type { NominationFilters } from '../references/filters.ts';
import { allOf, firstOf, given, keepOfSame } from '../session/lists.ts';
import { reader } from '../session/reader.ts';
import { monthRange } from '../ui/delivery-period.ts';

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

export const nominationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id],
    queryFn: ({ signal }) => reader().nominations.get(id, {}, { signal }),
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
    queryFn: async ({ signal }) => (await reader().nominations.history(id, {}, { signal })).nominations,
  });

/** The newest version of a nomination at an instant; null if there was none. What was known then never changes. */
export const nominationAsOfQuery = (id: string, asOf: string) =>
  queryOptions({
    queryKey: ['nomination', id, 'as-of', asOf],
    queryFn: async ({ signal }) => {
      try {
        const { nominations } = await reader().nominations.history(id, { as_of: asOf }, { signal });
        return nominations[0] ?? null;
      } catch (error) {
        if (isProblem(error, 'nomination_not_found')) return null;
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The basis of a version never changes, so it is cached forever. */
export const explanationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id, 'explanation'],
    queryFn: ({ signal }) => reader().nominations.explain(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Only BRPs have this read. The operator sees the answers themselves. */
export async function readReconciliation(id: string, signal: AbortSignal): Promise<Reconciliation> {
  const { brpClient } = await import('../session/brp-client.ts');
  return brpClient.nominations.reconcile(id, { signal });
}

export const reconciliationQuery = (id: string) =>
  queryOptions({
    queryKey: ['nomination', id, 'reconciliation'],
    queryFn: ({ signal }) => readReconciliation(id, signal),
  });

export const monthQuery = (
  month: string,
  position: { eic?: string | undefined; tso?: Nomination['tso'] | undefined },
) =>
  queryOptions({
    queryKey: ['nominations', 'month', month, position],
    queryFn: async ({ signal }) => {
      const query = { include_slots: 'true', ...monthRange(month), ...given(position) } as const;
      const versions = await allOf(reader().nominations.each(query, { signal }));
      return versions.filter(({ status }) => status !== 'superseded');
    },
    placeholderData: keepOfSame(2, month),
  });

/** How many days back nominations with an open end are shown. */
const DAYS_BACK = 7;

/**
 * Current nominations in one state: pending ones with their first slot only, which identifies the day, others with all
 * slots, because their deadline depends on those that differ. No last day: a nomination of any later day may need attention.
 */
export const nominationsInStateQuery = (
  today: DeliveryDay,
  status: 'pending' | 'partial_match',
  max: number,
) =>
  queryOptions({
    queryKey: ['nominations', 'in-state', status, today, max],
    queryFn: ({ signal }) => {
      const delivery_start = formatInstant(dayStart(addDays(today, -DAYS_BACK)));
      const slots = status === 'pending' ? { slot_number_from: 1, slot_number_to: 1 } : {};
      const filter = { status, delivery_start, include_slots: 'true', ...slots } as const;
      return firstOf(reader().nominations.each(filter, { signal }), max);
    },
  });
