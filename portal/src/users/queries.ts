import { queryOptions } from '@tanstack/react-query';
import { portalClient } from '../session/clients.ts';
import { allOf, given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { versionedQuery } from '../session/versions.ts';
import type { UserFilters } from './filters.ts';

/** The sessions of the user. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await portalClient.sessions.list({ signal })).sessions,
});

export const usersQuery = (filters: UserFilters) =>
  queryOptions({
    queryKey: ['users', filters],
    queryFn: ({ signal }) => allOf(operatorClient.users.each(given(filters), { signal })),
  });

export const userQuery = (id: string) =>
  versionedQuery(['users', 'one', id], (options) => operatorClient.users.get(id, options));
