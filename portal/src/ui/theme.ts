import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'saldo.theme';

const DENSITY_KEY = 'saldo.density';

export const isStoredDense = (): boolean => localStorage.getItem(DENSITY_KEY) === 'dense';

/** Less space between lines and panels. */
export function applyDensity(isDense: boolean): void {
  localStorage.setItem(DENSITY_KEY, isDense ? 'dense' : '');
  document.documentElement.toggleAttribute('data-dense', isDense);
}

export const storedTheme = (): Theme =>
  THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? 'system';

const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The chosen theme: the search and the preferences change it. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, storedTheme);

/** `system` removes the attribute, which follows the operating system's setting. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  for (const listener of listeners) listener();
}
