/** A column of a file: its name there, and a record's value in it. */
export type CsvColumn<Row> = {
  readonly name: string;
  readonly value: (row: Row) => string | number | null;
};

/**
 * Comma-separated values as spreadsheets and programs read them (RFC 4180): numbers with a point, times in UTC, the same
 * in every language.
 */
export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const header = columns.map(({ name }) => cell(name));
  const lines = rows.map((row) => columns.map(({ value }) => cell(value(row))));
  return [header, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A spreadsheet would run text that begins like a formula; a quote in front keeps it text. Numbers stay numbers.
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(?:\.\d+)?$/.test(value);
  const text = isFormula ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
