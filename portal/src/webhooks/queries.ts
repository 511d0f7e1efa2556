import type { DeliveryState } from '@saldo/api';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { allOf, pageOf, pages, WITHOUT_EVENTS_MS } from '../session/lists.ts';
import { reader } from '../session/reader.ts';
import { serverNow, untilNext } from '../session/server-clock.ts';

/** The endpoints of the user's BRP, or of the operator. */
export const webhooks = () => reader().webhookEndpoints;

export const endpointsQuery = queryOptions({
  queryKey: ['webhook-endpoints'],
  queryFn: ({ signal }) => allOf(webhooks().each({}, { signal })),
  refetchInterval: WITHOUT_EVENTS_MS,
});

/** Refresh interval while a delivery is being sent. */
const DUE_MS = 5_000;

/** Newest first: the last answers are of interest. */
export const deliveriesQuery = (endpointId: string, state: DeliveryState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['webhook-deliveries', endpointId, state],
    queryFn: ({ pageParam, signal }) =>
      webhooks().deliveries(endpointId, pageOf({ order: 'newest_first' as const, state }, pageParam), {
        signal,
      }),
    ...pages,
    refetchInterval: ({ state: { data } }) => {
      const deliveries = data?.pages.flatMap((page) => page.deliveries) ?? [];
      const attempts = deliveries.map(({ next_attempt_at }) => next_attempt_at);
      const isDue = attempts.some((at) => at !== null && Date.parse(at) <= serverNow());
      return isDue ? DUE_MS : untilNext(attempts);
    },
  });
