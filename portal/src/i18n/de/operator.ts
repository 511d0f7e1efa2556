import type { Dictionary } from '../dictionary.ts';

export const operator: Dictionary['operator'] = {
  nav: {
    home: 'Übersicht',
    nominations: 'Nominierungen',
    contracts: 'Verträge',
    import: 'Mengenimport',
    brps: 'BKV',
    groups: 'Bilanzkreise',
    customers: 'Kunden',
    accounts: 'Konten',
    users: 'Benutzer',
    keys: 'API-Schlüssel',
    audit: 'Protokoll',
  },
};
