import { dayEnd, dayOf, formatInstant } from '@saldo/core/delivery-day.ts';
import { queryOptions } from '@tanstack/react-query';
import { WITHOUT_EVENTS_MS } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { serverNow, untilNext } from '../session/server-clock.ts';

/** The state of the exchange with each TSO by day. A gate changes it by the clock alone, and so does midnight. */
export const boardQuery = queryOptions({
  queryKey: ['board'],
  queryFn: ({ signal }) => operatorClient.exchange.board({}, { signal }),
  refetchInterval: ({ state: { data } }) => {
    const midnight = formatInstant(dayEnd(dayOf(serverNow())));
    return untilNext([
      midnight,
      ...(data?.days.flatMap(({ areas }) => areas.map(({ gate_closure }) => gate_closure)) ?? []),
    ]);
  },
});

/** With the sums of all nominations, which cost the server more: not after each change, but every five minutes. */
export const boardSlotsQuery = queryOptions({
  queryKey: ['board-slots'],
  queryFn: ({ signal }) => operatorClient.exchange.board({ include_slots: 'true' }, { signal }),
  refetchInterval: 5 * WITHOUT_EVENTS_MS,
});
