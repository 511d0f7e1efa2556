import type { EventReader } from '@saldo/api';
import { queryOptions } from '@tanstack/react-query';
import { portalClient } from '../session/clients.ts';
import { allOf, WITHOUT_EVENTS_MS } from '../session/lists.ts';
import { searcher } from '../session/reader.ts';

/** The keys of the user's BRP or account. */
export const ownKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => allOf(portalClient.apiKeys.each({}, { signal })),
  refetchInterval: WITHOUT_EVENTS_MS,
});

/** The keys that events of the role may name. */
export const keyNamesQuery = (role: EventReader) =>
  queryOptions({
    queryKey: ['api-keys', 'names'],
    queryFn: ({ signal }) =>
      allOf(searcher().apiKeys.each(role === 'operator' ? { owner_type: 'operator' } : {}, { signal })),
  });
