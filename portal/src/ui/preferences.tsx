import { LANGUAGES } from '@saldo/core/messages/language.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { applyTheme, storedTheme, THEMES } from './theme.ts';

const LANGUAGE_NAMES = { de: 'Deutsch', en: 'English' } as const;
const selectClass =
  'target rounded-md bg-transparent px-1 py-1 text-sm text-muted hover:text-text touch:min-h-10 touch:text-[16px]';

/** Language and theme, stored in this browser. */
export function Preferences() {
  const { t, language, setLanguage } = useI18n();
  const queryClient = useQueryClient();
  const [theme, setTheme] = useState(storedTheme);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <select
        aria-label={t.common.language}
        className={selectClass}
        value={language}
        onChange={(event) => {
          const chosen = LANGUAGES.find((known) => known === event.target.value);
          // Sentences of the server are read again.
          if (chosen) void setLanguage(chosen).then(() => queryClient.invalidateQueries());
        }}
      >
        {LANGUAGES.map((known) => (
          <option key={known} value={known}>
            {LANGUAGE_NAMES[known]}
          </option>
        ))}
      </select>
      <select
        aria-label={t.common.theme}
        className={selectClass}
        value={theme}
        onChange={(event) => {
          const chosen = THEMES.find((known) => known === event.target.value) ?? 'system';
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        {THEMES.map((known) => (
          <option key={known} value={known}>
            {t.common.themes[known]}
          </option>
        ))}
      </select>
    </div>
  );
}
