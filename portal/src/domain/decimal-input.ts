/** Three decimals: whole kWh, whole kW. */
const DECIMALS = 3;

/** What a person typed for MWh or MW, in thousandths: with a comma or a point, as both are used. Null when it is no such number. */
export function thousandthsOf(typed: string): number | null {
  const match = /^(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(typed.trim());
  if (!match) return null;
  const [, whole = '', fraction = ''] = match;
  return Number(whole + fraction.padEnd(DECIMALS, '0'));
}

/** Cells that were copied from a spreadsheet or a file: rows by line, columns by tab, semicolon or blank. */
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

/** The power per month and hour of a shaped profile: 12 lines of 24 numbers in MW. */
export function readShape(pasted: string): ShapeReading {
  const rows = cellsOf(pasted);
  if (rows.length !== MONTHS) return { problem: 'rows', row: rows.length, found: String(rows.length) };
  for (const [index, row] of rows.entries()) {
    if (row.length !== HOURS) return { problem: 'columns', row: index + 1, found: String(row.length) };
    const wrong = row.find((cell) => thousandthsOf(cell) === null);
    if (wrong !== undefined) return { problem: 'number', row: index + 1, found: wrong };
  }
  return { powersMw: rows.map((row) => row.map((cell) => Number(thousandthsOf(cell)) / 1000)) };
}
