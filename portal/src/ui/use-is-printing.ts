import { useSyncExternalStore } from 'react';

const media = matchMedia('print');
let isPrinting = media.matches;

function subscribe(listener: () => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const set = (value: boolean) => {
    isPrinting = value;
    listener();
  };
  // The media query changes too late: the browser has already laid out the paper by then.
  addEventListener('beforeprint', () => set(true), { signal });
  addEventListener('afterprint', () => set(false), { signal });
  media.addEventListener('change', ({ matches }) => set(matches), { signal });
  return () => controller.abort();
}

/** Whether the page is being printed, for content that is collapsed on the screen. */
export const useIsPrinting = (): boolean => useSyncExternalStore(subscribe, () => isPrinting);
