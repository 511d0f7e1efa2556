import type { SessionState } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { queryOptions } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { portalClient } from './clients.ts';
import { loadReader } from './reader.ts';
import { setServerTime } from './server-clock.ts';

const REFRESH_MS = 60_000;

/** Who is signed in; null when nobody is. Asked again every minute, which also keeps the clock right. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionState | null> => {
    try {
      return await begin(await portalClient.session.get({ signal }));
    } catch (error) {
      if (isProblem(error) && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: REFRESH_MS,
  refetchInterval: REFRESH_MS,
});

/** What pages need of a session before they are shown: the platform's time, and the API of the role. */
export async function begin(state: SessionState): Promise<SessionState> {
  setServerTime(state.server_time);
  await loadReader(state.user.role);
  return state;
}

/** The session that the shell shows its page with: a page that hears of its end goes with the shell, not before it. */
export const ShownSession = createContext<SessionState | null>(null);

/** The session of a page that is only shown with one. */
export function useSession(): SessionState {
  const session = useContext(ShownSession);
  if (!session) throw new Error('this page is only shown to those who are signed in');
  return session;
}

/** Whether the user may change what the page shows. */
export const useMayManage = (): boolean => useSession().user.permissions === 'manage';
