/** Parsers for Postgres's text format of the column types on hot paths, without intermediate objects. */
import pg from 'pg';

const ZERO = 48;

/** `{12,NULL,-3}` → numbers and nulls. */
export function parseArray(text: string): (number | null)[] {
  const values: (number | null)[] = [];
  let value = 0;
  let negative = false;
  let isNull = false;
  if (text.length <= 2) return values;
  for (let i = 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code <= ZERO + 9) {
      value = value * 10 + (code - ZERO);
    } else if (code === 44 /* , */ || code === 125 /* } */) {
      values.push(isNull ? null : negative ? -value : value);
      value = 0;
      negative = false;
      isNull = false;
    } else if (code === 45 /* - */) {
      negative = true;
    } else {
      isNull = true;
    }
  }
  return values;
}

const digits = (text: string, from: number, to: number): number => {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + (text.charCodeAt(i) - ZERO);
  return value;
};

/** `2026-01-15 14:00:00.123456+00` → epoch milliseconds. Sessions run in UTC, so the offset is always zero. */
export function parseTimestamp(text: string): number {
  const seconds = Date.UTC(
    digits(text, 0, 4),
    digits(text, 5, 7) - 1,
    digits(text, 8, 10),
    digits(text, 11, 13),
    digits(text, 14, 16),
    digits(text, 17, 19),
  );
  if (text.charCodeAt(19) !== 46 /* . */) return seconds;
  const end = text.indexOf('+', 20);
  const millis = text.slice(20, end).padEnd(3, '0').slice(0, 3);
  return seconds + Number(millis);
}

/** Epoch milliseconds as a parameter of type timestamptz. */
export const timestamp = (instant: number): string => new Date(instant).toISOString();

export const timestampOrNull = (instant: number | null): string | null =>
  instant === null ? null : timestamp(instant);

const INT2_ARRAY = 1005;
const INT4_ARRAY = 1007;
const INT8_ARRAY = 1016;
const keepText = (text: string) => text;

function textParser(oid: number): ((text: string) => unknown) | null {
  switch (oid) {
    case pg.types.builtins.TIMESTAMPTZ:
      return parseTimestamp;
    case INT2_ARRAY:
    case INT4_ARRAY:
    case INT8_ARRAY:
      return parseArray;
    case pg.types.builtins.DATE:
    case pg.types.builtins.UUID:
      return keepText;
    case pg.types.builtins.INT8:
      return Number;
    default:
      return null;
  }
}

/** The column parsers of every connection. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? null : textParser(oid)) ?? pg.types.getTypeParser(oid, format),
};
