import type { SaldoEvent } from '@saldo/api';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { given, isNewer, PAGE_SIZE } from '../session/lists.ts';
import { reader } from '../session/reader.ts';

/** Newer events that are added to the list at once. With more of them the list starts anew. */
const MAX_NEWER = 100;

type Place = { readonly older?: string } | { readonly newer: string | undefined };
/** A function, because a constant would have the narrower type of its value. */
const start = (): Place => ({});

type ActivityPage = {
  /** Newest first. */
  readonly events: readonly SaldoEvent[];
  /** The place beyond which there may be newer events. */
  readonly newer: string | undefined;
  readonly hasMoreNewer: boolean;
  readonly older: string | null;
};

async function readPage(types: string | undefined, place: Place, signal: AbortSignal): Promise<ActivityPage> {
  // The page offers the types of the user's role only.
  const filter = given({ types: types === undefined ? undefined : ([types] as never[]) });
  if (isNewer(place)) {
    const query = { ...filter, ...given({ after: place.newer }), limit: MAX_NEWER };
    const { events, pagination } = await reader().events.list(query, { signal });
    const { next_cursor: newer, has_more: hasMoreNewer } = pagination;
    return { events: events.toReversed(), newer, hasMoreNewer, older: null };
  }
  const query = { ...filter, ...given({ after: place.older }), limit: PAGE_SIZE };
  const { events, pagination } = await reader().events.list({ ...query, order: 'newest_first' }, { signal });
  const older = pagination.has_more ? pagination.next_cursor : null;
  return { events, newer: events[0]?.id, hasMoreNewer: false, older };
}

/** Events never change, so only new ones are read: before the first page. */
export const activityQuery = (types: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['activity', types],
    queryFn: ({ pageParam, direction, signal }) => {
      // A refresh of all pages begins at the first parameter, which may be that of newer events.
      const isRefresh = isNewer(pageParam) && direction === 'forward';
      return readPage(types, isRefresh ? start() : pageParam, signal);
    },
    initialPageParam: start(),
    getNextPageParam: ({ older }): Place | undefined => (older === null ? undefined : { older }),
    getPreviousPageParam: ({ newer }): Place => ({ newer }),
    staleTime: Number.POSITIVE_INFINITY,
  });

const NAMES_STALE_MS = 300_000;

/** An event has no names. A record that the user no longer sees has none either. */
export const contractNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['names', id],
    queryFn: async ({ signal }) => (await reader().contracts.get(id, { signal })).external_id,
    staleTime: NAMES_STALE_MS,
    refetchInterval: false,
  });

export const customerNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['names', id],
    queryFn: async ({ signal }) => (await reader().customers.get(id, { signal })).name,
    staleTime: NAMES_STALE_MS,
    refetchInterval: false,
  });

/** The client is loaded on demand: BRPs have this page too, and no series. */
export const seriesNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['names', id],
    queryFn: async ({ signal }) => {
      const { operatorClient } = await import('../session/operator-client.ts');
      return (await operatorClient.series.get(id, { signal })).name;
    },
    staleTime: NAMES_STALE_MS,
    refetchInterval: false,
  });
