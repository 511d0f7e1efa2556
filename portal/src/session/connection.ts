import { useSyncExternalStore } from 'react';

/** Whether the latest request got a valid response. */
let isConnected = true;
const listeners = new Set<() => void>();

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
