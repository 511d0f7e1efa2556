import type { SessionState } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { queryOptions } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { startAtCurrentPlace } from './changes.ts';
import { portalClient } from './clients.ts';
import { loadHome } from './homes.ts';
import { loadReader } from './reader.ts';
import { setServerTime } from './server-clock.ts';

const STALE_MS = 60_000;

/** The current session, or null. Its end is known from any request, so it is read again only when the page is shown. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionState | null> => {
    try {
      const [state] = await Promise.all([portalClient.session.get({ signal }), startAtCurrentPlace()]);
      return await prepareSession(state);
    } catch (error) {
      if (isProblem(error) && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: STALE_MS,
});

/** Sets the platform's time and loads the API client of the role and the home page, before any page is shown. */
export async function prepareSession(state: SessionState): Promise<SessionState> {
  setServerTime(state.server_time);
  const { role } = state.user;
  const home = window.location.pathname === '/' ? loadHome(role) : null;
  await Promise.all([loadReader(role), startAtCurrentPlace(), home]);
  return state;
}

/** Pages read the session from here, not from the query, so that they never render after it has ended. */
export const SessionContext = createContext<SessionState | null>(null);

/** The session, for pages that require one. */
export function useSession(): SessionState {
  const session = useContext(SessionContext);
  if (!session) throw new Error('this page is only shown to those who are signed in');
  return session;
}

/** Whether the user has the permission to make changes. */
export const useMayManage = (): boolean => useSession().user.permissions === 'manage';
