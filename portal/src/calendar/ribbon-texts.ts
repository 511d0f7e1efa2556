import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  yesterday: 'Yesterday',
  saldo: 'Net position',
  delivered: 'Delivered',
  /** A time from which changes are sent has passed. */
  begun: 'begun',
  mismatches: (slots: number) => (slots === 1 ? '1 quarter-hour differs' : `${slots} quarter-hours differ`),
  picture: (what: string, first: string, last: string, time: string) =>
    `${what} by quarter-hour from ${first} to ${last}. It is ${time}.`,
};

const de: typeof en = {
  yesterday: 'Gestern',
  saldo: 'Saldo',
  delivered: 'Lieferungen',
  begun: 'begonnen',
  mismatches: (slots) => (slots === 1 ? '1 Viertelstunde weicht ab' : `${slots} Viertelstunden weichen ab`),
  picture: (what, first, last, time) =>
    `${what} je Viertelstunde vom ${first} bis ${last}. Es ist ${time} Uhr.`,
};

/** Not in the dictionary: only the overviews have the texts. */
export const RIBBON_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
