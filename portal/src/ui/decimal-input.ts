import { numberFromUnits, parseDecimal } from '@saldo/core/decimal.ts';

const DECIMALS = 3;

/** Parses a number into thousandths, such as MWh into kWh. Accepts a decimal comma or point; null for other text. */
export function parseTyped(typed: string): number | null {
  const text = typed.trim().replace(',', '.');
  const thousandths = parseDecimal(text, DECIMALS);
  return typeof thousandths === 'number' && !text.startsWith('-') ? thousandths : null;
}

/** Parses a number for the API; null for other text. */
export function parseTypedNumber(typed: string): number | null {
  const thousandths = parseTyped(typed);
  return thousandths === null ? null : numberFromUnits(thousandths, DECIMALS);
}

/** Parses cells copied from a spreadsheet or a file: rows by line, columns by tab, semicolon or space. */
export const cellsOf = (pasted: string): string[][] =>
  pasted
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/[\t;]| +/).filter((cell) => cell !== ''));

const MONTHS = 12;
const HOURS = 24;

export type ShapeReading =
  | { readonly powersMw: number[][] }
  | { readonly problem: 'rows' | 'columns' | 'number'; readonly row: number; readonly found: string };

/** Parses the power per month and local hour of a shaped profile: 12 lines of 24 numbers in MW. */
export function readShape(pasted: string): ShapeReading {
  const rows = cellsOf(pasted);
  if (rows.length !== MONTHS) return { problem: 'rows', row: rows.length, found: String(rows.length) };
  const powersMw: number[][] = [];
  for (const [index, row] of rows.entries()) {
    if (row.length !== HOURS) return { problem: 'columns', row: index + 1, found: String(row.length) };
    const powers = row.map(parseTypedNumber);
    const wrong = powers.indexOf(null);
    if (wrong >= 0) return { problem: 'number', row: index + 1, found: row[wrong] ?? '' };
    powersMw.push(powers.filter((power) => power !== null));
  }
  return { powersMw };
}
