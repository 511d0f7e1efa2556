export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED_AS = 'saldo.theme';

export const storedTheme = (): Theme =>
  THEMES.find((theme) => theme === localStorage.getItem(STORED_AS)) ?? 'system';

/** `system` removes the attribute, which follows the operating system's setting. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORED_AS, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
