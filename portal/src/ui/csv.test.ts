import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CsvColumn, csvOf, germanCsv, memberColumns } from './csv.ts';

type Row = { name: string | null; volume: string };

const columns: readonly CsvColumn<Row>[] = [
  ...memberColumns<Row>('name'),
  { name: 'volume', value: ({ volume }) => volume, isDecimal: true },
];

test('a file has a header and a line for each record', () => {
  const rows = [
    { name: 'Windpark', volume: '1.250' },
    { name: null, volume: '-0.500' },
  ];
  assert.equal(csvOf(columns, rows), 'name,volume\r\nWindpark,1.250\r\n,-0.500\r\n');
  assert.equal(csvOf(columns, []), 'name,volume\r\n');
});

test('commas, quotes and line breaks stay within their cell', () => {
  assert.equal(
    csvOf(columns, [{ name: 'A "B", C\nD', volume: '1' }]),
    'name,volume\r\n"A ""B"", C\nD",1\r\n',
  );
});

test('text that a spreadsheet would run as a formula stays text; a negative number stays a number', () => {
  const [, line] = csvOf(columns, [{ name: '=HYPERLINK("x")', volume: '-12.345' }]).split('\r\n');
  assert.equal(line, `"'=HYPERLINK(""x"")",-12.345`);
});

test('the German form has semicolons and decimal commas; text stays as it is', () => {
  const rows = [
    { name: '1.5, A', volume: '1234.500' },
    { name: 'B; C', volume: '-0.125' },
  ];
  assert.equal(csvOf(columns, rows, 'german'), 'name;volume\r\n1.5, A;1234,500\r\n"B; C";-0,125\r\n');
  assert.equal(germanCsv('id,volume\ntxn_1,7.125\n'), 'id;volume\ntxn_1;7,125\n');
});
