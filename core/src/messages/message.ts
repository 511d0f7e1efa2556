import { formatLocalTime } from '../delivery-day.ts';
import { ALARMS } from './alarms.ts';
import { DOCUMENTS } from './documents.ts';
import { EXCHANGE } from './exchange.ts';
import { FIELDS } from './fields.ts';
import { IMPORTS } from './imports.ts';
import type { Language } from './language.ts';
import { MSCONS } from './mscons.ts';
import { PROBLEM_DETAILS } from './problems.ts';
import { REASONS } from './reasons.ts';
import { REQUESTS } from './requests.ts';
import { RULE_FINDINGS, SCHEDULE_RULE_TEXTS } from './schedule-rules.ts';
import { SERIES } from './series.ts';
import { WEBHOOKS } from './webhooks.ts';

/** The sentences that people read. A key begins with the name of its file. */
export const MESSAGES = {
  ...FIELDS,
  ...REQUESTS,
  ...PROBLEM_DETAILS,
  ...IMPORTS,
  ...DOCUMENTS,
  ...EXCHANGE,
  ...ALARMS,
  ...REASONS,
  ...SCHEDULE_RULE_TEXTS,
  ...RULE_FINDINGS,
  ...SERIES,
  ...MSCONS,
  ...WEBHOOKS,
};

export type MessageKey = keyof typeof MESSAGES;

/** A parameter. Messages and lists are written in the language of the sentence that they are part of. */
type MessageValue = string | number | Message | readonly (string | Message)[];

/** The names of the parameters of a text. A placeholder with an unknown format is a name that no message has. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Placeholder}}${infer Rest}`
  ? (Placeholder extends `${infer Name}|${Format}` ? Name : Placeholder) | NamesIn<Rest>
  : never;

/**
 * A sentence as data: its key, and a member for each parameter. It can be stored and sent as JSON. The sentence is made
 * where the language of its reader is known.
 */
export type Message = {
  [Key in MessageKey]: {
    readonly [Name in 'key' | NamesIn<(typeof MESSAGES)[Key][Language]>]: Name extends 'key'
      ? Key
      : MessageValue;
  };
}[MessageKey];

/** 'a, b or c' */
const listWith =
  (words: Readonly<Record<Language, string>>) => (texts: readonly string[], language: Language) => {
    const last = texts.slice(-2).join(` ${words[language]} `);
    return [...texts.slice(0, -2), last].join(', ');
  };

function germanNumber(text: string): string {
  const [whole = '', decimals] = text.split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '.');
  return decimals === undefined ? grouped : `${grouped},${decimals}`;
}

const TSO_NAMES: readonly (readonly [string, string])[] = [
  ['DE_AMPRION', 'Amprion'],
  ['DE_TENNET', 'TenneT'],
  ['DE_TRANSNET_BW', 'TransnetBW'],
  ['DE_50HERTZ', '50Hertz'],
];

/** Words of the API as the things that they name. */
const NAMES: Readonly<Record<Language, ReadonlyMap<string, string>>> = {
  en: new Map(TSO_NAMES),
  de: new Map([
    ...TSO_NAMES,
    ['out', 'Lieferung'],
    ['in', 'Bezug'],
    ['forecast', 'Prognose'],
    ['meter', 'Messwert'],
    ['operator', 'Betreiber'],
    ['brp', 'BKV'],
    ['account', 'Kontoinhaber'],
    ['baseload', 'Grundlast'],
    ['peakload', 'Spitzenlast'],
    ['shaped', 'Profil'],
  ]),
};

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A day as people write it. In English with the name of the month, because 05/11 is two different days. */
const dayWith: Readonly<Record<Language, (day: string) => string>> = {
  en: (day) =>
    day.replace(
      /^(\d{4})-(\d{2})-(\d{2})$/,
      (_, year: string, month: string, date: string) =>
        `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`,
    ),
  de: (day) => day.replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$3.$2.$1'),
};

function timeWith(instant: string, language: Language): string {
  const [date = '', clock = ''] = formatLocalTime(Date.parse(instant)).split(' ');
  const day = dayWith[language](date);
  return language === 'de' ? `${day}, ${clock}` : `${day} at ${clock} German time`;
}

/**
 * How a parameter is written. German sentences have days, times and numbers as Germans write them: 25.10.2026,
 * 25.10.2026, 02:15 and 1.234,5. English sentences of the API have them without a format, because the reader may have to
 * type them back. Those of alarms and of the exchange are only read: 25 Oct 2026, and 25 Oct 2026 at 02:15 German time.
 */
const FORMATS = {
  day: ([day = ''], language) => dayWith[language](day),
  time: ([instant = ''], language) => timeWith(instant, language),
  number: ([number = '']) => germanNumber(number),
  /** A word of the API as the thing that it names. */
  name: (texts, language) => texts.map((text) => NAMES[language].get(text) ?? text).join(', '),
  and: listWith({ en: 'and', de: 'und' }),
  or: listWith({ en: 'or', de: 'oder' }),
  /** A list of whole sentences. */
  sentences: (texts) => texts.join(' '),
  /** A list whose items may have commas. */
  parts: (texts) => texts.join('; '),
  /** A sentence within another one, without its full stop. */
  clause: ([text = '']) => text.replace(/\.$/, ''),
} as const satisfies Record<string, (texts: readonly string[], language: Language) => string>;
type Format = keyof typeof FORMATS;

const PLACEHOLDER = /\{(\w+)(?:\|(\w+))?\}/g;

/** The sentence of a message. */
export function formatMessage(message: Message, language: Language): string {
  const values: Readonly<Record<string, MessageValue>> = message;
  return MESSAGES[message.key][language].replaceAll(PLACEHOLDER, (_, name: string, format?: Format) => {
    const texts = [values[name] ?? ''].flat().map((value) => formatValue(value, language));
    return format === undefined ? texts.join(', ') : FORMATS[format](texts, language);
  });
}

const formatValue = (value: string | number | Message, language: Language): string =>
  typeof value === 'object' ? formatMessage(value, language) : String(value);
