import type { DecimalMark } from './enums.ts';
import type { Message } from './messages/message.ts';

/** Fields are separated by commas or, where the comma may be the decimal mark, by semicolons or tabs. */
const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export const DECIMAL_CHARACTERS: Readonly<Record<DecimalMark, string>> = { comma: ',', point: '.' };

const QUOTE = '"';
/** One group of three digits: 1.234 is 1.234 with a decimal point and 1234 with a thousands separator. */
const AMBIGUOUS = /^-?[1-9]\d{0,2}\.\d{3}$/;
const GROUPED = /^-?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$/;
const SEVERAL_GROUPS = /^-?\d{1,3}(?:\.\d{3}){2,}$/;

/** The delimiter of a file, from its header. Column names contain none of them. */
export const delimiterOf = (header: string): Delimiter =>
  DELIMITERS.find((delimiter) => header.includes(delimiter)) ?? ',';

/**
 * Splits a line by RFC 4180, or returns what is wrong with it. Line breaks within quotes are not supported, so that a
 * forgotten quote fails its own line only and not those after it.
 */
export function csvFields(line: string, delimiter: Delimiter = ','): string[] | Message {
  if (!line.includes(QUOTE)) return line.split(delimiter);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (line[at] === QUOTE) {
      let field = '';
      for (at++; ; at += 2) {
        const close = line.indexOf(QUOTE, at);
        if (close === -1) return { key: 'import.open_quote' };
        field += line.slice(at, close);
        at = close;
        if (line[at + 1] !== QUOTE) break;
        field += QUOTE;
      }
      at++;
      fields.push(field);
      if (at < line.length && line[at] !== delimiter) return { key: 'import.text_after_quote' };
    } else {
      const end = line.indexOf(delimiter, at);
      const field = line.slice(at, end === -1 ? line.length : end);
      if (field.includes(QUOTE)) return { key: 'import.quote_within' };
      fields.push(field);
      at += field.length;
    }
    if (at >= line.length) return fields;
    at++;
  }
}

/**
 * Reads the numbers of one file. The decimal mark is stated by the sender, or is a point in a file with commas as
 * delimiter, or follows from the first number that has one reading only. Numbers such as 1.234 have two: a file with
 * such a number and without any that decides has an open question, and must be rejected.
 */
export class DecimalNotation {
  private readonly isStated: boolean;
  private ambiguous: string | null = null;
  private known: DecimalMark | null;

  constructor(delimiter: Delimiter, stated: DecimalMark | null) {
    this.isStated = stated !== null;
    this.known = stated ?? (delimiter === ',' ? 'point' : null);
  }

  /** Null while no number has decided it. */
  get mark(): DecimalMark | null {
    return this.known;
  }

  /** The first number with two readings, unless the file was found to have a decimal point. */
  get question(): string | null {
    return this.known === 'point' ? null : this.ambiguous;
  }

  /** The number with a decimal point and without grouping; empty if it does not have the file's notation. */
  normalise(text: string): string {
    if (this.known === null) this.known = this.decide(text);
    if (this.known !== 'comma') return text;
    if (GROUPED.test(text)) {
      if (!this.isStated && !text.includes(',')) this.ambiguous ??= text;
      return text.replaceAll('.', '').replace(',', '.');
    }
    return text.includes('.') ? '' : text.replace(',', '.');
  }

  private decide(text: string): DecimalMark | null {
    if (text.includes(',') || SEVERAL_GROUPS.test(text)) return 'comma';
    if (!AMBIGUOUS.test(text)) return text.includes('.') ? 'point' : null;
    this.ambiguous ??= text;
    return null;
  }
}

/** The question that only the sender of a file can answer. */
export const decimalQuestion = (line: number, number: string): Message => ({
  key: 'import.decimal_mark',
  line,
  number,
  whole: number.replaceAll('.', ''),
});
