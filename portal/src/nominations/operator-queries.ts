import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { NominationFilters } from '../references/filters.ts';
import { given, keepOfSame, pagedQuery, pageOf, pages } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import type { LateFilters } from './filters.ts';
import { matchesFilters } from './queries.ts';

/** Paged: all BRPs together may have thousands of nominations a day. */
export const nominationsQuery = (day: DeliveryDay, filters: NominationFilters) => {
  const { day: _day, versions: _versions, sort: _sort, ...rest } = filters;
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

/** Filters with the names of the API. */
export const lateFilter = ({ day, ...rest }: LateFilters) => given({ delivery_date: day, ...rest });

export const lateQuery = (filters: LateFilters) =>
  pagedQuery(['late', filters], lateFilter(filters), operatorClient.nominations.late);
