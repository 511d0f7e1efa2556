import { isProblem, SaldoConnectionError } from '@saldo/sdk';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { forgetPlace, readChanges } from './changes.ts';
import { onRetry, setConnected } from './connection.ts';
import { invalidate } from './invalidate.ts';
import { areNotificationsOn } from './notifications.ts';
import { handleError } from './query-client.ts';
import { useToday } from './server-clock.ts';
import { staleQueries } from './stale-queries.ts';

/** Pauses after a change: while changes keep coming, pages are refreshed less often. */
const PAUSE_MS = { first: 500, longest: 5_000 };
/** A wait of this length without a change ends a series of changes. */
const QUIET_MS = 5_000;
/** Delays after a failed request. */
const RETRY_MS = { first: 1_000, longest: 30_000 };

const isVisible = () => document.visibilityState === 'visible';
/** A hidden page follows the changes for its notifications only. */
const isFollowed = () => isVisible() || areNotificationsOn();

/** Resolves when the condition holds, or the signal is aborted. */
const untilVisibility = (condition: () => boolean, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const check = () => {
      if (!condition() && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
    check();
  });

/** Resolves after that time, or when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });

const next = (ms: number, { longest }: { longest: number }) => Math.min(longest, ms * 2);

/** Null: anything may have changed. */
type OnChange = (changed: readonly string[] | null) => void | Promise<void>;
const listeners = new Set<OnChange>();

/** Calls `listener` after every change on the server that concerns the user. */
export function useOnChange(listener: OnChange): void {
  const call = useEffectEvent(listener);
  useEffect(() => {
    const onChange: OnChange = (changed) => call(changed);
    listeners.add(onChange);
    return () => void listeners.delete(onChange);
  }, []);
}

async function refresh(queryClient: QueryClient, changed: readonly string[] | null): Promise<void> {
  // What a listener reads may fail like any request; the next change calls it again.
  for (const listener of listeners)
    Promise.resolve(listener(changed)).catch((error) => handleError(queryClient, error));
  const keys = changed === null ? null : staleQueries(changed);
  // The session has its own rules, and refreshing it reads the place of the changes.
  const isStale = (key: unknown) => key !== 'session' && (keys === null || keys.has(String(key)));
  // TanStack Query reads stale data again when the page is shown.
  const refetchType = isVisible() ? 'active' : 'none';
  await invalidate(queryClient, { predicate: ({ queryKey }) => isStale(queryKey[0]), refetchType });
}

/**
 * One long poll at a time, while the page is visible or shows notifications. Otherwise it goes on from its place when it is
 * shown again.
 */
async function followChanges(queryClient: QueryClient, signal: AbortSignal): Promise<void> {
  let pauseMs = PAUSE_MS.first;
  let retryMs = 0;
  /** The next answer must come at once, to show whether the server is there. */
  let isProbe = false;
  for (;;) {
    await untilVisibility(isFollowed, signal);
    if (signal.aborted) return;
    const hiding = new AbortController();
    const retrying = new AbortController();
    const removeRetry = onRetry(() => retrying.abort());
    const ended = AbortSignal.any([signal, hiding.signal, retrying.signal]);
    void untilVisibility(() => !isFollowed(), ended).then(() => hiding.abort());
    const askedAt = performance.now();
    try {
      const changed = await (isProbe ? readChanges(ended, 0) : readChanges(ended));
      const waitedMs = performance.now() - askedAt;
      setConnected(true);
      // Queries may have failed together with the last long poll.
      const isStale = retryMs > 0 || changed === null || changed.length > 0;
      if (isStale) await refresh(queryClient, retryMs > 0 ? null : changed);
      retryMs = 0;
      isProbe = false;
      // An overloaded server answers at once, as without waiting.
      pauseMs = waitedMs > QUIET_MS ? PAUSE_MS.first : next(pauseMs, PAUSE_MS);
      if (isStale || waitedMs < QUIET_MS) await pause(pauseMs, signal);
    } catch (error) {
      // A timed-out long poll says little: a machine that has slept finds one.
      isProbe ||=
        retrying.signal.aborted || (error instanceof SaldoConnectionError && error.kind !== 'timeout');
      if (ended.aborted) continue;
      handleError(queryClient, error);
      // The place is unknown to the server, for example after its secret was changed.
      if (isProblem(error) && error.status === 400) forgetPlace();
      retryMs = retryMs === 0 ? RETRY_MS.first : next(retryMs, RETRY_MS);
      await pause(retryMs * (0.5 + Math.random() / 2), AbortSignal.any([signal, retrying.signal]));
    } finally {
      removeRetry();
      hiding.abort();
    }
  }
}

/** Refreshes the data of the page when it changes on the server. */
export function useLiveRefresh(): void {
  const queryClient = useQueryClient();
  const today = useToday();
  useEffect(() => {
    const leaving = new AbortController();
    void followChanges(queryClient, leaving.signal);
    return () => {
      leaving.abort();
      forgetPlace();
    };
  }, [queryClient]);
  // A new day changes the status of contracts without an event.
  const shownDay = useRef(today);
  useEffect(() => {
    if (today === shownDay.current) return;
    shownDay.current = today;
    void refresh(queryClient, null);
  }, [queryClient, today]);
}
