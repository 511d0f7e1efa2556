import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../session/lists.ts';

/**
 * All open alarms, because those about missing values may be hundreds and must not hide others; the server limits their
 * number. The page frame of every role imports this file, so the operator's client is loaded on demand.
 */
export const alarmsQuery = queryOptions({
  queryKey: ['alarms'],
  queryFn: async ({ signal }) => {
    const { operatorClient } = await import('../session/operator-client.ts');
    return allOf(operatorClient.exchange.eachAlarm({ order: 'newest_first' }, { signal }));
  },
});
