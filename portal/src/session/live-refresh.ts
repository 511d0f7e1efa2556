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
    (async () => listener(changed))().catch((error) => handleError(queryClient, error));
  const keys = changed === null ? null : staleQueries(changed);
  // The session has its own rules, and refreshing it reads the place of the changes.
  const isStale = (key: unknown) => key !== 'session' && (keys === null || keys.has(String(key)));
  // TanStack Query reads stale data again when the page is shown.
  const refetchType = isVisible() ? 'active' : 'none';
  await invalidate(queryClient, { predicate: ({ queryKey }) => isStale(queryKey[0]), refetchType });
}

/** What is known between two long polls. */
type State = {
  /** The pause after the last change. */
  readonly pauseMs: number;
  /** The delay after the last poll, which failed; 0 if it was answered. */
  readonly retryMs: number;
  /** The next answer must come at once, to show whether the server is there. */
  readonly isProbe: boolean;
};

type Poll =
  | { readonly kind: 'answered'; readonly changed: readonly string[] | null; readonly waitedMs: number }
  /** The page was hidden or left, or the user asked to try again. */
  | { readonly kind: 'interrupted'; readonly isProbe: boolean }
  | { readonly kind: 'failed'; readonly isProbe: boolean; readonly error: unknown };

async function poll({ isProbe }: State, signal: AbortSignal, retrying: AbortSignal): Promise<Poll> {
  const hiding = new AbortController();
  const ended = AbortSignal.any([signal, hiding.signal, retrying]);
  void untilVisibility(() => !isFollowed(), ended).then(() => hiding.abort());
  const askedAt = performance.now();
  try {
    const changed = await (isProbe ? readChanges(ended, 0) : readChanges(ended));
    return { kind: 'answered', changed, waitedMs: performance.now() - askedAt };
  } catch (error) {
    // A timed-out long poll says little: a machine that has slept finds one.
    const isLost = error instanceof SaldoConnectionError && error.kind !== 'timeout';
    const isDoubtful = isProbe || retrying.aborted || isLost;
    return { kind: ended.aborted ? 'interrupted' : 'failed', isProbe: isDoubtful, error };
  } finally {
    hiding.abort();
  }
}

/** One long poll, what follows from it, and the pause after it. */
async function followOnce(
  queryClient: QueryClient,
  state: State,
  signal: AbortSignal,
  retrying: AbortSignal,
): Promise<State> {
  const polled = await poll(state, signal, retrying);
  if (polled.kind === 'interrupted') return { ...state, isProbe: polled.isProbe };
  if (polled.kind === 'failed') {
    const { error, isProbe } = polled;
    handleError(queryClient, error);
    // The place is unknown to the server, for example after its secret was changed.
    if (isProblem(error) && error.status === 400) forgetPlace();
    const retryMs = state.retryMs === 0 ? RETRY_MS.first : next(state.retryMs, RETRY_MS);
    await pause(retryMs * (0.5 + Math.random() / 2), AbortSignal.any([signal, retrying]));
    return { ...state, retryMs, isProbe };
  }
  const { changed, waitedMs } = polled;
  setConnected(true);
  // Queries may have failed together with the last long poll.
  const hasFailed = state.retryMs > 0;
  const isStale = hasFailed || changed === null || changed.length > 0;
  if (isStale) await refresh(queryClient, hasFailed ? null : changed);
  // An overloaded server answers at once, as without waiting.
  const pauseMs = waitedMs > QUIET_MS ? PAUSE_MS.first : next(state.pauseMs, PAUSE_MS);
  if (isStale || waitedMs < QUIET_MS) await pause(pauseMs, signal);
  return { pauseMs, retryMs: 0, isProbe: false };
}

/**
 * One long poll at a time, while the page is visible or shows notifications. Otherwise it goes on from its place when it is
 * shown again.
 */
async function followChanges(queryClient: QueryClient, signal: AbortSignal): Promise<void> {
  let state: State = { pauseMs: PAUSE_MS.first, retryMs: 0, isProbe: false };
  for (;;) {
    await untilVisibility(isFollowed, signal);
    if (signal.aborted) return;
    const retrying = new AbortController();
    const removeRetry = onRetry(() => retrying.abort());
    state = await followOnce(queryClient, state, signal, retrying.signal).finally(removeRetry);
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
