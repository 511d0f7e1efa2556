import type { SessionState, UserPermissions, UserRole } from '@saldo/api';
import { includesPermissions } from '@saldo/core/users/permissions.ts';
import { isProblem } from '@saldo/sdk';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { startAtCurrentPlace } from './changes.ts';
import { portalClient } from './clients.ts';
import { loadReader } from './reader.ts';
import { setServerTime } from './server-clock.ts';

const STALE_MS = 60_000;

/** The current session, or null. Its end is known from any request, so it is read again only when the page is shown. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionState | null> => {
    try {
      const [state] = await Promise.all([portalClient.session.get({ signal }), startUnlessPending()]);
      return await prepareSession(state);
    } catch (error) {
      if (isProblem(error) && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: STALE_MS,
});

/** A session that lacks its second factor may read no changes yet. */
async function startUnlessPending(): Promise<void> {
  try {
    await startAtCurrentPlace();
  } catch (error) {
    if (!isProblem(error, 'second_factor_required')) throw error;
  }
}

type PageLoader = (role: UserRole) => Promise<unknown> | null;
let loadFirstPage: PageLoader = () => null;

/** Sets what loads the page that a session begins with. Pages import this module, so it cannot import them. */
export function setFirstPage(load: PageLoader): void {
  loadFirstPage = load;
}

/** Sets the platform's time and loads the API client of the role and the first page, before any page is shown. */
async function prepareSession(state: SessionState): Promise<SessionState> {
  setServerTime(state.server_time);
  if (state.pending !== null) return state;
  const { role } = state.user;
  await Promise.all([loadReader(role), startAtCurrentPlace(), loadFirstPage(role)]);
  return state;
}

/** The tabs of a browser share the session cookie. A channel does not receive what it sends. */
const otherTabs = new BroadcastChannel('saldo.session');

type SessionChange = 'started' | 'ended';

/** Tells the other tabs that a user has signed in or out. */
export function announceSession(change: SessionChange): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this origin only
  otherTabs.postMessage(change);
}

/** Calls `listener` when a user has signed in or out in another tab, until the returned function is called. */
export function onSessionElsewhere(listener: (change: SessionChange) => void): () => void {
  const onMessage = ({ data }: MessageEvent<SessionChange>) => listener(data);
  otherTabs.addEventListener('message', onMessage);
  return () => otherTabs.removeEventListener('message', onMessage);
}

/** Starts the session of a user who has just signed in. Clears the cached data of a previous user. */
export async function startSession(queryClient: QueryClient, state: SessionState): Promise<void> {
  announceSession('started');
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, await prepareSession(state));
}

/** Goes on with the page after its user has signed in again. Its data is read anew, its input stays. */
export async function resumeSession(queryClient: QueryClient, state: SessionState): Promise<void> {
  announceSession('started');
  queryClient.setQueryData(sessionQuery.queryKey, await prepareSession(state));
}

/** Pages read the session from here, not from the query, so that they never render after it has ended. */
export const SessionContext = createContext<SessionState | null>(null);

/** The session, for pages that require one. */
export function useSession(): SessionState {
  const session = useContext(SessionContext);
  if (!session) throw new Error('this page is only shown to those who are signed in');
  return session;
}

/** Whether the user has at least these permissions: `member` for the daily work, `admin` for users, keys and webhooks. */
export const usePermission = (needed: UserPermissions): boolean =>
  includesPermissions(useSession().user.permissions, needed);
