import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  placeholder: 'Page, action, day, TSO, name or id',
  hint: 'Such as “tomorrow tennet”, “25.10.”, “new key”, or a name, EIC or id.',
  accountPlaceholder: 'Page, action, offer or demand',
  accountHint: 'Such as “watch list”, “new key”, or the name of an offer.',
  keys: '↑ ↓ select · Enter opens · Esc closes',
  results: 'Results',
  count: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  all: 'Show all in the list',
  groups: {
    recent: 'Recently opened',
    views: 'Saved views',
    frequent: 'Frequent actions',
    pages: 'Pages',
    actions: 'Actions',
    contracts: 'Contracts',
    customers: 'Customers',
    groups: 'Balance groups',
    assets: 'Assets',
    series: 'Series',
    interchanges: 'Interchanges',
    brps: 'BRPs',
    nominations: 'Nominations',
    messages: 'Messages',
    offers: 'Offers',
    demands: 'Demands',
    inquiries: 'Inquiries',
  },
};
export type SearchTexts = typeof en;

const de: SearchTexts = {
  placeholder: 'Seite, Aktion, Tag, ÜNB, Name oder Kennung',
  hint: 'Etwa „morgen tennet“, „25.10.“, „neuer Schlüssel“ oder Name, EIC, Kennung.',
  accountPlaceholder: 'Seite, Aktion, Angebot oder Gesuch',
  accountHint: 'Etwa „Merkliste“, „neuer Schlüssel“ oder der Name eines Angebots.',
  keys: '↑ ↓ auswählen · Enter öffnet · Esc schließt',
  results: 'Ergebnisse',
  count: (count) => (count === 1 ? '1 Ergebnis' : `${count} Ergebnisse`),
  all: 'Alle in der Liste anzeigen',
  groups: {
    recent: 'Zuletzt geöffnet',
    views: 'Gespeicherte Ansichten',
    frequent: 'Häufige Aktionen',
    pages: 'Seiten',
    actions: 'Aktionen',
    contracts: 'Verträge',
    customers: 'Kunden',
    groups: 'Bilanzkreise',
    assets: 'Anlagen',
    series: 'Zeitreihen',
    interchanges: 'Übertragungsdateien',
    brps: 'BKV',
    nominations: 'Nominierungen',
    messages: 'Nachrichten',
    offers: 'Angebote',
    demands: 'Gesuche',
    inquiries: 'Anfragen',
  },
};

/** Not in the dictionary, which is loaded before the first page: only the dialog has the texts. */
export const SEARCH_TEXTS: Readonly<Record<Language, SearchTexts>> = { en, de };
