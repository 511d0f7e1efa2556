import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  text: 'The EICs under which BRPs account, and the control areas in which they may.',
  create: 'New balance group',
  createTitle: 'Register a balance group',
  eicHint: '16 characters, of the kind X or Y; the last one is a check character.',
  emptyText: 'Without one a BRP has nothing to nominate.',
};

const de: typeof en = {
  text: 'Die EICs, unter denen BKV bilanzieren, und die Regelzonen, in denen sie es dürfen.',
  create: 'Neuer Bilanzkreis',
  createTitle: 'Bilanzkreis anlegen',
  eicHint: '16 Zeichen, von der Art X oder Y; das letzte ist ein Prüfzeichen.',
  emptyText: 'Ohne einen hat ein BKV nichts zu nominieren.',
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const OPERATOR_GROUP_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
