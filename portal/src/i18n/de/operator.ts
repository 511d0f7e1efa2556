import type { Dictionary } from '../dictionary.ts';

export const operator: Dictionary['operator'] = {
  nav: {
    home: 'Übersicht',
    nominations: 'Nominierungen',
    contracts: 'Verträge',
    import: 'Mengenimport',
    series: 'Zeitreihen',
    brps: 'BKV',
    customers: 'Kunden',
    accounts: 'Konten',
    users: 'Benutzer',
    keys: 'API-Schlüssel',
    audit: 'Protokoll',
  },
  brp: 'BKV',
  name: 'Name',
  choose: 'Bitte wählen…',
  noGroupYet: 'Noch keiner',
  roles: { operator: 'Betreiber', brp: 'BKV', account: 'Kontoinhaber' },
  submit: 'Anlegen',
  savedToast: (name) => `${name} ist gespeichert.`,
  home: {
    title: 'Plattform',
    tooManyContracts: 'Morgen liefern so viele Verträge, dass ihre Mengen hier nicht geprüft werden.',
    lastEntries: 'Letzte Änderungen',
    unsent: 'Noch nicht an die ÜNB gesendet',
    unsentUnit: (count) => (count === 1 ? 'Nominierung' : 'Nominierungen'),
  },
};
