import type { UserRole } from '@saldo/api';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { loadHome } from './homes.tsx';
import { loadSearch } from './search/button.tsx';
import { useSession } from './session/session.ts';
import { loadSavedViews } from './ui/filters.tsx';

/** The routes of each role, by the beginning of their ids. */
const ROUTES: Readonly<Record<UserRole, readonly string[]>> = {
  brp: ['/app/brp/', '/app/own/', '/app/profile'],
  operator: ['/app/operator/', '/app/profile'],
  account: ['/app/account/', '/app/own/', '/app/profile'],
};

/** A page that was just opened needs the processor and the network for its own data. */
const FIRST_WAIT_MS = 5_000;
/** The longest time that a busy page delays the next part. */
const LONGEST_WAIT_MS = 5_000;

const untilIdle = (): Promise<unknown> =>
  new Promise((resolve) => {
    // Safari has no such function.
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: LONGEST_WAIT_MS });
    else setTimeout(resolve, LONGEST_WAIT_MS);
  });

/** Marks in the browser's performance timeline. */
const PREFETCH = { begun: 'prefetch-begun', done: 'prefetch-done' };

/** Loads all pages of the user's role, one at a time while the browser is idle, so that they open without a network. */
export function usePrefetch(): void {
  const router = useRouter();
  const { role } = useSession().user;
  useEffect(() => {
    const leaving = new AbortController();
    const prefetch = async () => {
      const routes = Object.values(router.routesById).filter(({ id }) =>
        ROUTES[role].some((start) => id.startsWith(start)),
      );
      const parts = [
        () => loadHome(role),
        loadSearch,
        loadSavedViews,
        ...routes.map((route) => () => router.loadRouteChunk(route)),
      ];
      performance.mark(PREFETCH.begun);
      for (const load of parts) {
        await untilIdle();
        if (leaving.signal.aborted) return;
        await load();
      }
      performance.mark(PREFETCH.done);
    };
    // A part that fails is loaded again, with an error, by the page that needs it.
    const timer = setTimeout(() => void prefetch().catch(() => {}), FIRST_WAIT_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [router, role]);
}
