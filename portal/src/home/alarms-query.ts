import { queryOptions } from '@tanstack/react-query';

/** The first page shows no more; the list of the API has all of them. */
const MAX_ALARMS = 50;

/** The page frame of every role imports this file, so the operator's client is loaded on demand. */
export const alarmsQuery = queryOptions({
  queryKey: ['alarms'],
  queryFn: async ({ signal }) => {
    const { operatorClient } = await import('../session/operator-client.ts');
    return operatorClient.exchange.alarms({ order: 'newest_first', limit: MAX_ALARMS }, { signal });
  },
});
