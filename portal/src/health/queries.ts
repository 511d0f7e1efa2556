import { queryOptions } from '@tanstack/react-query';
import { WITHOUT_EVENTS_MS } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => operatorClient.health.get({ signal }),
  refetchInterval: WITHOUT_EVENTS_MS,
});
