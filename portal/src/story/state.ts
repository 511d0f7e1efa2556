import { useSyncExternalStore } from 'react';
import type { Story } from './plan.ts';

/** `offered` on the first page, until the visitor starts or skips it; `asked` for on any page. */
export type StoryState = 'offered' | 'asked' | 'skipped' | Story;

const STORAGE_KEY = 'saldo.story';
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const stored = (): string | null => localStorage.getItem(STORAGE_KEY);

/** The state of the story in this browser. */
export const useStory = (): StoryState => parse(useSyncExternalStore(subscribe, stored));

const parse = (text: string | null): StoryState =>
  text === null ? 'offered' : (JSON.parse(text) as StoryState);

export function setStory(state: StoryState): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(state));
  for (const listener of listeners) listener();
}
