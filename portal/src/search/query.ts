import { TSOS, type Tso } from '@saldo/api';
import { addDays, type DeliveryDay, dayStart, parseDay } from '@saldo/core/delivery-day.ts';
import { parseTypedDay } from '../ui/typed-date.ts';

/** What a typed text filters a page by. */
export type Given = { readonly day?: DeliveryDay; readonly tso?: Tso };

/** A typed text: a day and a TSO, in any order, and the other words. */
export type Query = { readonly words: readonly string[]; readonly given: Given };

/** Without case, accents and umlauts. */
const fold = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');

const SPELLED: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };
/** As on keyboards without umlauts: `Vertraege`. */
const spell = (text: string): string =>
  fold(
    text
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[äöü]/g, (letter) => SPELLED[letter] ?? letter),
  );

const wordsOf = (text: string): string[] => text.split(/[\s,;·()/–-]+/).filter((word) => word !== '');

/** Shorter words match only the beginning of a word. */
const MIN_INNER = 4;

const isIn = (word: string, text: string): boolean =>
  wordsOf(text).some((one) => one.startsWith(word)) || (word.length >= MIN_INNER && text.includes(word));

/** Whether a text contains the beginning of each word, in any order, with or without umlauts. */
export const matchesWords = (words: readonly string[], text: string): boolean =>
  [fold, spell].some((folded) => words.every((word) => isIn(folded(word), folded(text))));

/** Names of days in both languages, by their distance from today. Umlauts as `fold` and as `spell` write them. */
const DAY_NAMES: Readonly<Record<string, number>> = {
  vorgestern: -2,
  gestern: -1,
  yesterday: -1,
  heute: 0,
  today: 0,
  morgen: 1,
  tomorrow: 1,
  ubermorgen: 2,
  uebermorgen: 2,
};
/** The beginning of a name that is enough; fewer letters begin other words, too (`Gesuche`). */
const MIN_DAY_NAME = 4;

const namedDay = (word: string, today: DeliveryDay): DeliveryDay | null => {
  const name = fold(word).replace(/['’]s$/, '');
  if (name.length < MIN_DAY_NAME) return null;
  const found = Object.entries(DAY_NAMES).find(([known]) => known.startsWith(name));
  return found ? addDays(today, found[1]) : null;
};

const two = (digits: string) => digits.padStart(2, '0');

/** `25.10.`, `25.10` or `25/10`: the one nearest to today. */
function dayWithoutYear(word: string, today: DeliveryDay): DeliveryDay | null {
  const [, day, month] = /^(\d{1,2})[./](\d{1,2})[./]?$/.exec(word) ?? [];
  if (day === undefined || month === undefined) return null;
  const year = Number(today.slice(0, 4));
  const distance = (one: DeliveryDay) => Math.abs(dayStart(one) - dayStart(today));
  const near = [-1, 0, 1].flatMap((years) => parseDay(`${year + years}-${two(month)}-${two(day)}`) ?? []);
  return near.toSorted((one, other) => distance(one) - distance(other))[0] ?? null;
}

const typedDay = (word: string, today: DeliveryDay): DeliveryDay | null =>
  namedDay(word, today) ?? parseTypedDay(word) ?? dayWithoutYear(word, today);

/** `DE_TRANSNET_BW` → `transnet`, `bw`. */
const namesOf = (tso: Tso): string[] => tso.toLowerCase().split('_').slice(1);
const MIN_TSO = 3;

/** By the beginning of its name, also by its code, or by a part such as `hertz`. */
const typedTso = (word: string): Tso | null => {
  const typed = fold(word).replace(/^de_/, '').replaceAll('_', '');
  if (typed.length < MIN_TSO) return null;
  const isMeant = (tso: Tso) => {
    const name = namesOf(tso).join('');
    return name.startsWith(typed) || (typed.length >= MIN_INNER && name.includes(typed));
  };
  return TSOS.find(isMeant) ?? null;
};

/** Finds a day and a TSO among the words of a text. A second one is a word like others. */
export function readQuery(typed: string, today: DeliveryDay): Query {
  const words: string[] = [];
  let given: Given = {};
  for (const word of typed.trim().split(/\s+/)) {
    const day = given.day === undefined ? typedDay(word, today) : null;
    const tso = given.tso === undefined ? typedTso(word) : null;
    if (day !== null) given = { ...given, day };
    else if (tso !== null) given = { ...given, tso };
    // The rest of a name in two words: `Transnet BW`.
    else if (word !== '' && !(given.tso && namesOf(given.tso).includes(fold(word)))) words.push(word);
  }
  return { words, given };
}

/** An entry of the palette that a text can find. */
type Findable = {
  readonly label: string;
  /** Names in both languages, and other words for the same. */
  readonly words: string;
  /** What it can be filtered by. */
  readonly takes: readonly (keyof Given)[];
};

export type Match<T> = { readonly entry: T; readonly given: Given };

const kindsOf = (given: Given) => Object.keys(given) as (keyof Given)[];

/**
 * The entries that a text finds. A day or a TSO filters the entries that take it; alone, it finds all of them. The same word
 * may also begin a name: `morgen` is part of an action's name.
 */
export function findEntries<T extends Findable>(
  entries: readonly T[],
  typed: string,
  today: DeliveryDay,
): Match<T>[] {
  const { words, given } = readQuery(typed, today);
  const kinds = kindsOf(given);
  const plain = typed.trim().split(/\s+/);
  return entries.flatMap((entry): Match<T>[] => {
    const text = `${entry.label} ${entry.words}`;
    const isFiltered = kinds.length > 0 && kinds.every((kind) => entry.takes.includes(kind));
    if (isFiltered && matchesWords(words, text)) return [{ entry, given }];
    return typed.trim() !== '' && matchesWords(plain, text) ? [{ entry, given: {} }] : [];
  });
}
