import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Balancing responsible parties',
  text: 'Companies that are responsible for balance groups. Each sees its own contracts, nominations and customers.',
  create: 'New BRP',
  createTitle: 'Onboard a BRP',
  empty: 'No BRPs yet',
  emptyText: 'Begin with the first one; then it gets balance groups, users and customers.',
};

const de: typeof en = {
  title: 'Bilanzkreisverantwortliche',
  text: 'Unternehmen, die Bilanzkreise verantworten. Jedes sieht seine eigenen Verträge, Nominierungen und Kunden.',
  create: 'Neuer BKV',
  createTitle: 'BKV aufnehmen',
  empty: 'Noch keine BKV',
  emptyText: 'Beginnen Sie mit dem ersten; danach bekommt er Bilanzkreise, Benutzer und Kunden.',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const BRP_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
