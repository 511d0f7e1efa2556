import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: (day: string) => `Correct ${day}`,
  text: 'MWh per quarter-hour, with at most three decimals. Several values can be pasted at once. Empty fields stay unchanged.',
  preview: 'What changes',
  save: 'Save correction',
  wrong: (count: number) => (count === 1 ? '1 entry is no volume' : `${count} entries are no volumes`),
  saved: (created: string, corrected: string) => `${created} new, ${corrected} corrected.`,
};

const de: typeof en = {
  title: (day) => `${day} korrigieren`,
  text: 'MWh je Viertelstunde, mit höchstens drei Nachkommastellen. Mehrere Werte lassen sich auf einmal einfügen. Was leer bleibt, wird nicht angetastet.',
  preview: 'Was sich ändert',
  save: 'Korrektur speichern',
  wrong: (count) => (count === 1 ? '1 Eingabe ist keine Menge' : `${count} Eingaben sind keine Mengen`),
  saved: (created, corrected) => `${created} neu, ${corrected} korrigiert.`,
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const DAY_EDITOR_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
