import { useSyncExternalStore } from 'react';

/** Whether the latest request got a valid response. */
let isConnected = true;
const listeners = new Set<() => void>();
const retryListeners = new Set<() => void>();

export function setConnected(connected: boolean): void {
  if (connected === isConnected) return;
  isConnected = connected;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useIsConnected = (): boolean => useSyncExternalStore(subscribe, () => isConnected);

/** Tries now what otherwise waits for its next try. */
export function retryNow(): void {
  for (const listener of retryListeners) listener();
}

/** Calls `listener` at every `retryNow`, until the returned function is called. */
export function onRetry(listener: () => void): () => void {
  retryListeners.add(listener);
  return () => retryListeners.delete(listener);
}

/** The browser notices the loss and the return of the network first. Whether the server answers, a request has to show. */
export function watchNetwork(): void {
  for (const type of ['online', 'offline']) addEventListener(type, retryNow);
}

/** Resolves when the server answers again, or at the next `retryNow`. */
const untilRetry = (): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      for (const stop of stops) stop();
      resolve();
    };
    const stops = [subscribe(() => isConnected && end()), onRetry(end)];
  });

/** A file of the portal that no deployment renames. */
const PROBE = '/favicon.svg';

const isReachable = (): Promise<boolean> =>
  fetch(PROBE, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Loads a part of the portal. Without a connection it waits for one, because a page cannot recover from a failed import. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      // A newer deployment may have replaced the file: the router then loads the page again.
      if (await isReachable()) throw error;
      setConnected(false);
      await untilRetry();
    }
  }
}
