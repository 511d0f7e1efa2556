/** A column of a CSV file: its heading and its value of a record. */
export type CsvColumn<Row> = {
  readonly name: string;
  readonly value: (row: Row) => string | number | null;
};

/**
 * CSV for spreadsheets and programs (RFC 4180): decimal points and UTC times, independent of the
 * language.
 */
export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const header = columns.map(({ name }) => cell(name));
  const lines = rows.map((row) => columns.map(({ value }) => cell(value(row))));
  return [header, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A spreadsheet would execute text that begins like a formula; a leading quote prevents that. Numbers stay numbers.
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(?:\.\d+)?$/.test(value);
  const text = isFormula ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
