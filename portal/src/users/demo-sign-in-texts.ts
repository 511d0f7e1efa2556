import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Demo',
  text: 'All companies and figures are invented. One click, no password:',
  enter: {
    brp: 'Enter as dispatcher',
    operator: 'Enter as control room',
    account: 'Enter as account holder',
  },
  about: {
    brp: 'Nominations and schedules of a balance group',
    operator: 'The platform and its exchange with the TSOs',
    account: 'Offers and demands on the PPA market',
  },
  form: 'Or sign in another way:',
};

const de: typeof en = {
  title: 'Demo',
  text: 'Alle Unternehmen und Zahlen sind erfunden. Ein Klick, kein Passwort:',
  enter: {
    brp: 'Als Dispatcher einsteigen',
    operator: 'Als Leitstand einsteigen',
    account: 'Als Kontoinhaber einsteigen',
  },
  about: {
    brp: 'Nominierungen und Fahrpläne eines Bilanzkreises',
    operator: 'Die Plattform und ihr Austausch mit den ÜNB',
    account: 'Angebote und Gesuche am PPA-Markt',
  },
  form: 'Oder melden Sie sich anders an:',
};

/** Not in the dictionary, which is loaded before the first page: only a demo has these texts. */
export const DEMO_SIGN_IN_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
