import type { Language } from '@saldo/core/messages/language.ts';

/** The countries of most offers and demands: `Intl` takes 50 ms for its first name. */
export const COUNTRIES: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  AT: { de: 'Österreich', en: 'Austria' },
  BE: { de: 'Belgien', en: 'Belgium' },
  CH: { de: 'Schweiz', en: 'Switzerland' },
  CZ: { de: 'Tschechien', en: 'Czechia' },
  DE: { de: 'Deutschland', en: 'Germany' },
  DK: { de: 'Dänemark', en: 'Denmark' },
  ES: { de: 'Spanien', en: 'Spain' },
  FI: { de: 'Finnland', en: 'Finland' },
  FR: { de: 'Frankreich', en: 'France' },
  GB: { de: 'Vereinigtes Königreich', en: 'United Kingdom' },
  IT: { de: 'Italien', en: 'Italy' },
  LU: { de: 'Luxemburg', en: 'Luxembourg' },
  NL: { de: 'Niederlande', en: 'Netherlands' },
  NO: { de: 'Norwegen', en: 'Norway' },
  PL: { de: 'Polen', en: 'Poland' },
  PT: { de: 'Portugal', en: 'Portugal' },
  SE: { de: 'Schweden', en: 'Sweden' },
};
