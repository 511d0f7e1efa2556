import type { Language } from '@saldo/core/messages/language.ts';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Dictionary } from './dictionary.ts';
import { type Format, formatOf } from './format.ts';
import { DICTIONARIES, preferredLanguage } from './languages.ts';

const STORED_AS = 'saldo.language';

export type I18n = {
  readonly t: Dictionary;
  readonly format: Format;
  readonly language: Language;
  readonly setLanguage: (language: Language) => Promise<void>;
};

const Context = createContext<I18n | null>(null);

/** The initial language and its texts, loaded before the first render. */
export async function firstLanguage(): Promise<{ language: Language; t: Dictionary }> {
  const language = preferredLanguage(localStorage.getItem(STORED_AS), navigator.languages);
  document.documentElement.lang = language;
  return { language, t: await DICTIONARIES[language]() };
}

export function I18nProvider({
  first,
  children,
}: {
  first: { language: Language; t: Dictionary };
  children: ReactNode;
}) {
  const [current, setCurrent] = useState(first);
  const value = useMemo<I18n>(
    () => ({
      ...current,
      format: formatOf(current.language),
      setLanguage: async (language) => {
        const t = await DICTIONARIES[language]();
        localStorage.setItem(STORED_AS, language);
        document.documentElement.lang = language;
        setCurrent({ language, t });
      },
    }),
    [current],
  );
  return <Context value={value}>{children}</Context>;
}

export function useI18n(): I18n {
  const i18n = useContext(Context);
  if (i18n === null) throw new Error('there is no I18nProvider above');
  return i18n;
}
