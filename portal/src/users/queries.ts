import { queryOptions } from '@tanstack/react-query';
import { portalClient } from '../session/clients.ts';
import { allOf, WITHOUT_EVENTS_MS } from '../session/lists.ts';
import { versionedQuery } from '../session/versions.ts';

/** Actions on users: those of the own party, or, for the operator, those of all parties. */
export type UserActions = Pick<typeof portalClient.users, 'get' | 'update' | 'invite'> & {
  // Only the operator has these.
  readonly endSessions?: (userId: string) => Promise<unknown>;
  readonly resetFactors?: (userId: string) => Promise<unknown>;
};

/** The sessions of the user. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await portalClient.sessions.list({ signal })).sessions,
});

/** The users of the user's BRP or account. */
export const ownUsersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => allOf(portalClient.users.each({}, { signal })),
  refetchInterval: WITHOUT_EVENTS_MS,
});

export const userQuery = ({ get }: UserActions, id: string) =>
  versionedQuery(['users', 'one', id], (options) => get(id, options));
