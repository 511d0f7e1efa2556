import type { Message, NominationMismatch, Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { allOf, given, pagedQuery, pageOf, pages } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { untilNext } from '../session/server-clock.ts';
import type { MessageFilters, UnsentFilters } from './filters.ts';

/** Filters with the names of the API. */
const messageFilter = ({ day, sort, ...rest }: MessageFilters) => ({
  ...given({ delivery_date: day, ...rest }),
  order: sort === 'created_at' ? ('oldest_first' as const) : ('newest_first' as const),
});

export const messagesQuery = (filters: MessageFilters) =>
  pagedQuery(['messages', filters], messageFilter(filters), operatorClient.messages.list);

export const eachMessage = (filters: MessageFilters, signal: AbortSignal): AsyncIterable<Message> =>
  operatorClient.messages.each(messageFilter(filters), { signal });

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['messages', 'one', id],
    queryFn: ({ signal }) => operatorClient.messages.get(id, { signal }),
  });

/** Number of schedules that the simulator offers. */
const MAX_WAITING = 8;
const WAITING_STATES = ['sent', 'delivered', 'acknowledged'];

/** The newest schedule of each TSO and day, if it waits for a confirmation, latest day first. */
export const waitingSchedulesQuery = queryOptions({
  queryKey: ['messages', 'waiting'],
  queryFn: async ({ signal }) => {
    const filter = { direction: 'out', type: 'schedule', order: 'newest_first', limit: 100 } as const;
    const { messages } = await operatorClient.messages.list(filter, { signal });
    const newest = Map.groupBy(messages, ({ tso, delivery_date }) => `${delivery_date} ${tso}`);
    return Array.from(newest.values(), ([first]) => first)
      .filter((message) => message !== undefined)
      .filter(({ state }) => WAITING_STATES.includes(state))
      .toSorted((one, other) => (other.delivery_date ?? '').localeCompare(one.delivery_date ?? ''))
      .slice(0, MAX_WAITING);
  },
});

/** A document never changes, so it is cached forever. */
export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: ['messages', 'document', id],
    queryFn: ({ signal }) => operatorClient.messages.raw(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The answers of a TSO to a schedule, in order of arrival. */
export const answersQuery = ({ id, delivery_date, tso }: Message) =>
  queryOptions({
    queryKey: ['messages', 'answers', id],
    queryFn: async ({ signal }) => {
      const filter = { direction: 'in', ...given({ delivery_date: delivery_date ?? undefined }) } as const;
      const ofTso = tso === null ? {} : { tso };
      const incoming = await allOf(operatorClient.messages.each({ ...filter, ...ofTso }, { signal }));
      return incoming.filter(({ answers }) => answers === id);
    },
  });

/** Most urgent first. */
export const unsentQuery = ({ day, tso }: UnsentFilters) =>
  infiniteQueryOptions({
    queryKey: ['unsent', day, tso],
    queryFn: ({ pageParam, signal }) =>
      operatorClient.exchange.unsent(pageOf({ delivery_date: day, tso }, pageParam), { signal }),
    ...pages,
    refetchInterval: ({ state: { data } }) => {
      const unsent = data?.pages.flatMap((page) => page.unsent) ?? [];
      return untilNext(unsent.flatMap(({ gate_closure, sends_at }) => [gate_closure, sends_at]));
    },
  });

/** All mismatches of a day: a partial heat map would look as if the rest matched. */
export const mismatchesQuery = (day: DeliveryDay, tso: Tso | undefined) =>
  queryOptions({
    queryKey: ['mismatches', day, tso],
    queryFn: ({ signal }): Promise<NominationMismatch[]> =>
      allOf(operatorClient.exchange.eachMismatch({ delivery_date: day, ...given({ tso }) }, { signal })),
  });
