import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { runs } from '../../../../test/runs.ts';
import { idColumn, numberColumn, sequenceColumn, textColumn } from './columns.ts';
import { ParquetFile } from './parquet-file.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'saldo-parquet-'));
after(() => rm(folder, { recursive: true, force: true }));
const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
after(() => duckdb.closeSync());

type Row = [text: string, id: string | null, integer: number, sequence: number | null, decimal: number];

let files = 0;

async function write(rowGroups: readonly Row[][]): Promise<string> {
  const columns = [
    textColumn('text'),
    idColumn('id', true),
    numberColumn('integer', 'integer'),
    sequenceColumn('sequence', 'instant', true),
    sequenceColumn('decimal', 'decimal'),
  ] as const;
  const file = new ParquetFile(columns);
  const parts = [file.begin()];
  for (const rows of rowGroups) {
    for (const [text, id, integer, sequence, decimal] of rows) {
      columns[0].add(text);
      columns[1].add(id);
      columns[2].add(integer);
      columns[3].add(sequence);
      columns[4].add(decimal);
    }
    parts.push(await file.rowGroup(rows.length));
  }
  parts.push(file.end());
  // DuckDB caches files by name, and a rewritten one may have the same time and size.
  const name = path.join(folder, `${++files}.parquet`);
  await writeFile(name, Buffer.concat(parts));
  return `'${name}'`;
}

const select = async (sql: string) => (await duckdb.runAndReadAll(sql)).getRowsJson();

async function assertReadBack(rowGroups: readonly Row[][]): Promise<void> {
  const name = await write(rowGroups);
  const read = await select(
    `select text, id, integer, epoch_ms(sequence), (decimal::decimal(38, 3) * 1000)::bigint from ${name}`,
  );
  const expected = rowGroups
    .flat()
    .map(([text, id, integer, sequence, decimal]) => [
      ...[text, id, integer],
      sequence === null ? null : String(sequence),
      String(decimal),
    ]);
  assert.deepEqual(read, expected);
}

/** A value that is repeated: values of exports mostly equal the one before. */
const runsOf = <T>(value: fc.Arbitrary<T>) =>
  fc
    .array(fc.tuple(value, fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 12 })
    .map((runs) => runs.flatMap(([one, count]) => Array.from({ length: count }, () => one)));

const text = fc.stringMatching(/^[ -~]{0,8}$/);
const instant = fc.oneof(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 0, max: 100 }));
const decimal = fc.oneof(fc.integer(), fc.integer({ min: -(2 ** 50), max: 2 ** 50 }), fc.constant(0));
const rowGroup = fc
  .tuple(
    runsOf(fc.oneof(text, fc.string({ unit: 'grapheme', maxLength: 8 }))),
    runsOf(fc.option(fc.tuple(text, text).map((parts) => parts.join('')))),
    runsOf(fc.integer()),
    runsOf(fc.option(instant)),
    runsOf(decimal),
  )
  .map(([texts, ids, integers, sequences, decimals]): Row[] => {
    const rows = Math.min(...[texts, ids, integers, sequences, decimals].map(({ length }) => length));
    const at = (row: number): Row => [
      texts[row]!,
      ids[row]!,
      integers[row]!,
      sequences[row]!,
      decimals[row]!,
    ];
    return Array.from({ length: rows }, (_, row) => at(row));
  });

test('another implementation reads back any rows, in any number of row groups', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rowGroup, { maxLength: 3 }), (rowGroups) => assertReadBack(rowGroups)),
    { numRuns: runs(150) },
  );
});

test('columns of nulls only, of one value, and of many different ones are read back', async () => {
  const rows = (count: number, row: (at: number) => Row) => Array.from({ length: count }, (_, at) => row(at));
  await assertReadBack([rows(300, () => ['', null, 0, null, 0])]);
  await assertReadBack([rows(1, () => ['one', 'id', -1, 1, -1])]);
  // Dictionaries of more than 16 bits, and all sizes of a block of differences.
  await assertReadBack([rows(70_000, (at) => [`t${at}`, `id_${at}`, at * 7, at * at, -at])]);
  for (const count of [127, 128, 129, 130, 160, 161, 256, 257])
    await assertReadBack([
      rows(count, (at) => ['x', `${at % 3}`, at % 9, at % 7 === 0 ? null : at, 2 ** at % 1e15]),
    ]);
});

test('the statistics of a row group have its smallest and largest number', async () => {
  const name = await write([
    [
      ['a', 'x', 3, null, -5],
      ['b', null, -2, 10, 2 ** 40],
      ['b', null, 1, 4, 0],
    ],
  ]);
  const found = await select(
    `select path_in_schema, stats_null_count, stats_min_value, stats_max_value from parquet_metadata(${name})
     order by column_id`,
  );
  assert.deepEqual(found, [
    ['text', '0', null, null],
    ['id', '2', null, null],
    ['integer', '0', '-2', '3'],
    ['sequence', '1', '1970-01-01 00:00:00.004+00', '1970-01-01 00:00:00.01+00'],
    ['decimal', '0', '-0.005', '1099511627.776'],
  ]);
});
