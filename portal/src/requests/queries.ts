import { addDays, dayStart, formatInstant } from '@saldo/core/delivery-day.ts';
import { isProblem } from '@saldo/sdk';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { portalClient } from '../session/clients.ts';
import { given, pageOf, pages, WITHOUT_EVENTS_MS } from '../session/lists.ts';
import type { RequestFilters } from './filters.ts';

/** Days are German calendar days; the last one is included. */
const requestFilter = ({ from, to, ...rest }: Omit<RequestFilters, 'id'>) =>
  given({
    ...rest,
    since: from && formatInstant(dayStart(from)),
    until: to && formatInstant(dayStart(addDays(to, 1))),
  });

/** An id selects one request, whatever the other filters. */
async function findById(id: string, signal: AbortSignal) {
  const requests = await portalClient.requests.get(id, { signal }).then(
    (found) => [found],
    (error: unknown) => {
      if (!isProblem(error, 'request_not_found')) throw error;
      return [];
    },
  );
  return { requests, pagination: { limit: 1, has_more: false, next_cursor: null } };
}

export const requestsQuery = ({ id, ...filters }: RequestFilters) =>
  infiniteQueryOptions({
    queryKey: ['requests', id, filters],
    queryFn: ({ pageParam, signal }) =>
      id === undefined
        ? portalClient.requests.list(pageOf(requestFilter(filters), pageParam), { signal })
        : findById(id, signal),
    ...pages,
    refetchInterval: WITHOUT_EVENTS_MS,
  });

export const requestQuery = (id: string) =>
  queryOptions({
    queryKey: ['request', id],
    queryFn: ({ signal }) => portalClient.requests.get(id, { signal }),
  });
