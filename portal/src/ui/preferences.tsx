import { LANGUAGES, type Language } from '@saldo/core/messages/language.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { LANGUAGE_NAMES } from '../i18n/language-names.ts';
import { applyTheme, THEMES, useTheme } from './theme.ts';

const selectClass =
  'target rounded-md bg-transparent px-1 py-1 text-sm text-muted hover:text-text touch:min-h-10 touch:text-[16px]';

/** Changes the language. Sentences of the server are read again. */
export function useChangeLanguage(): (language: Language) => Promise<void> {
  const { setLanguage } = useI18n();
  const queryClient = useQueryClient();
  return async (language) => {
    await setLanguage(language);
    await queryClient.invalidateQueries();
  };
}

/** Language and theme, stored in this browser. */
export function Preferences() {
  const { t, language } = useI18n();
  const changeLanguage = useChangeLanguage();
  const theme = useTheme();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <select
        aria-label={t.common.language}
        className={selectClass}
        value={language}
        onChange={(event) => {
          const chosen = LANGUAGES.find((known) => known === event.target.value);
          if (chosen) void changeLanguage(chosen);
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
        onChange={(event) => applyTheme(THEMES.find((known) => known === event.target.value) ?? 'system')}
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
