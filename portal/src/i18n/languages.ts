import { LANGUAGES, type Language } from '@saldo/core/messages/language.ts';
import type { Dictionary } from './dictionary.ts';

/** Each language is a separate file, so that only the selected one is loaded. */
export const DICTIONARIES: Readonly<Record<Language, () => Promise<Dictionary>>> = {
  de: async () => (await import('./de.ts')).de,
  en: async () => (await import('./en.ts')).en,
};

const isLanguage = (text: string): text is Language => LANGUAGES.some((language) => language === text);

/** The stored language, else the first supported one of the browser, else English. */
export function preferredLanguage(stored: string | null, ofBrowser: readonly string[]): Language {
  const wanted = [stored ?? '', ...ofBrowser.map((tag) => tag.slice(0, 2).toLowerCase())];
  return wanted.find(isLanguage) ?? 'en';
}
