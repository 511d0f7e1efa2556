import type { Dictionary } from '../dictionary.ts';

export const search: Dictionary['search'] = {
  title: 'Suche',
  placeholder: 'Referenz, Name, EIC, Datum oder Kennung',
  hint: 'Verträge, Kunden, Bilanzkreise und mehr: mindestens zwei Zeichen, ein Datum wie 25.10.2026 oder eine Kennung eingeben.',
  keys: '↑ ↓ auswählen · Enter öffnet · Esc schließt',
  results: 'Ergebnisse',
  nothing: 'Nichts gefunden',
  nothingText: 'Kein Eintrag enthält den Text.',
  count: (count) => (count === 1 ? '1 Ergebnis' : `${count} Ergebnisse`),
  all: 'Alle in der Liste anzeigen',
  nominationsOf: (day) => `Nominierungen für ${day}`,
  messagesOf: (day) => `Nachrichten für ${day}`,
  version: (version) => `Version ${version}`,
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
