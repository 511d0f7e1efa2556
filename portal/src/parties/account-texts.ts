import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Accounts',
  text: 'Account holders of the customer API, who read offers and demands.',
  create: 'New account',
  createTitle: 'Create an account',
  empty: 'No accounts yet',
  emptyText: 'Account holders read offers and demands with keys of their own.',
};

const de: typeof en = {
  title: 'Konten',
  text: 'Kontoinhaber der Kunden-API, die Angebote und Gesuche lesen.',
  create: 'Neues Konto',
  createTitle: 'Konto eröffnen',
  empty: 'Noch keine Konten',
  emptyText: 'Kontoinhaber lesen Angebote und Gesuche mit eigenen Schlüsseln.',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const ACCOUNT_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
