import type { DeliveryState } from '@saldo/api';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { allOf, pageOf, pages } from '../session/lists.ts';
import { reader } from '../session/reader.ts';

/** The endpoints of the user's BRP, or of the operator. */
export const webhooks = () => reader().webhookEndpoints;

export const endpointsQuery = queryOptions({
  queryKey: ['webhook-endpoints'],
  queryFn: ({ signal }) => allOf(webhooks().each({}, { signal })),
});

/** Newest first: the last answers are of interest. */
export const deliveriesQuery = (endpointId: string, state: DeliveryState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['webhook-deliveries', endpointId, state],
    queryFn: ({ pageParam, signal }) =>
      webhooks().deliveries(endpointId, pageOf({ order: 'newest_first' as const, state }, pageParam), {
        signal,
      }),
    ...pages,
    refetchInterval: 5_000,
  });
