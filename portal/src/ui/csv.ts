import type { CsvForm } from '../i18n/format.ts';

type CsvValue = string | number | null;

/**
 * A column of a CSV file: its heading and its value of a record. Columns have the names of the API's fields, so that a file can
 * be compared with a response.
 */
export type CsvColumn<Row> = {
  readonly name: string;
  readonly value: (row: Row) => CsvValue;
  /** The value is a decimal number as text. */
  readonly isDecimal?: true;
};

type CsvMember<Row> = {
  [Name in keyof Row]-?: Row[Name] extends CsvValue | undefined ? Name : never;
}[keyof Row] &
  string;

/** Columns of members that are written as they are, under their own names. */
export const memberColumns = <Row>(...names: readonly CsvMember<Row>[]): CsvColumn<Row>[] =>
  names.map((name) => ({ name, value: (row) => (row[name] as CsvValue | undefined) ?? null }));

/** Spreadsheets detect UTF-8 by it. */
export const BYTE_ORDER_MARK = '\uFEFF';

const DELIMITERS: Readonly<Record<CsvForm, string>> = { plain: ',', german: ';' };

/** CSV for spreadsheets and programs, with UTC times. */
export function csvOf<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  form: CsvForm = 'plain',
): string {
  const delimiter = DELIMITERS[form];
  const decimal = (text: string) => (form === 'german' ? text.replace('.', ',') : text);
  const cellOf = ({ value, isDecimal }: CsvColumn<Row>, row: Row): string => {
    const found = value(row);
    if (found === null) return '';
    return typeof found === 'number' || isDecimal ? decimal(String(found)) : textCell(found, delimiter);
  };
  const header = columns.map(({ name }) => textCell(name, delimiter));
  const lines = rows.map((row) => columns.map((column) => cellOf(column, row)));
  return [header, ...lines].map((cells) => `${cells.join(delimiter)}\r\n`).join('');
}

function textCell(value: string, delimiter: string): string {
  // A spreadsheet would execute text that begins like a formula; a leading quote prevents that. Numbers stay numbers.
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(?:\.\d+)?$/.test(value);
  const text = isFormula ? `'${value}` : value;
  const needsQuotes = text.includes(delimiter) || /["\r\n]/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The server's CSV of volumes in the German form. Commas in it only separate fields, and points are only in decimal
 * numbers, because its fields are ids, EICs, times, numbers and fixed words.
 */
export const germanCsv = (csv: string): string => csv.replaceAll(',', ';').replaceAll('.', ',');
