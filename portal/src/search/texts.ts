import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  placeholder: 'Reference, name, EIC, date or id',
  hint: 'Contracts, customers, balance groups and more: type at least two characters, a date such as 25/10/2026, or an id.',
  keys: '↑ ↓ select · Enter opens · Esc closes',
  results: 'Results',
  count: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  all: 'Show all in the list',
  nominationsOf: (day: string) => `Nominations of ${day}`,
  messagesOf: (day: string) => `Messages of ${day}`,
  groups: {
    days: 'Delivery day',
    contracts: 'Contracts',
    customers: 'Customers',
    groups: 'Balance groups',
    assets: 'Assets',
    series: 'Series',
    interchanges: 'Interchanges',
    brps: 'BRPs',
    nominations: 'Nominations',
    messages: 'Messages',
  },
};
export type SearchTexts = typeof en;

const de: SearchTexts = {
  placeholder: 'Referenz, Name, EIC, Datum oder Kennung',
  hint: 'Verträge, Kunden, Bilanzkreise und mehr: mindestens zwei Zeichen, ein Datum wie 25.10.2026 oder eine Kennung eingeben.',
  keys: '↑ ↓ auswählen · Enter öffnet · Esc schließt',
  results: 'Ergebnisse',
  count: (count) => (count === 1 ? '1 Ergebnis' : `${count} Ergebnisse`),
  all: 'Alle in der Liste anzeigen',
  nominationsOf: (day) => `Nominierungen für ${day}`,
  messagesOf: (day) => `Nachrichten für ${day}`,
  groups: {
    days: 'Liefertag',
    contracts: 'Verträge',
    customers: 'Kunden',
    groups: 'Bilanzkreise',
    assets: 'Anlagen',
    series: 'Zeitreihen',
    interchanges: 'Übertragungsdateien',
    brps: 'BKV',
    nominations: 'Nominierungen',
    messages: 'Nachrichten',
  },
};

/** Not in the dictionary, which is loaded before the first page: only the dialog has the texts. */
export const SEARCH_TEXTS: Readonly<Record<Language, SearchTexts>> = { en, de };
