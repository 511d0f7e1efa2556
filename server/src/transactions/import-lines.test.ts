import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvFields, DecimalNotation, type Delimiter } from '@saldo/core/csv.ts';
import { formatFixed } from '@saldo/core/decimal.ts';
import { MAX_SLOT_KWH, mwhText } from '@saldo/core/energy.ts';
import type { ParsedLine } from '@saldo/core/transactions/day-input.ts';
import { volumeFromText } from '@saldo/core/transactions/volume.ts';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { csvLineParser } from './csv-lines.ts';
import { VOLUME_COLUMNS } from './import-columns.ts';
import type { LineParser } from './import-lines.ts';
import { ndjsonLineParser } from './ndjson-lines.ts';

const CSV_COLUMNS = ['contract', 'delivery_date', 'slot', 'volume'] as const;
type CsvColumn = (typeof CSV_COLUMNS)[number];
const volumeLines = () => ndjsonLineParser(VOLUME_COLUMNS);

const read = (parser: LineParser, line: string): ParsedLine => {
  // Surrounded by other bytes, as in a file.
  const bytes = Buffer.from(`before\n${line}\nafter`);
  return { ...parser(bytes, 7, bytes.length - 6) };
};

const parserOf = (columns: readonly CsvColumn[] = CSV_COLUMNS, delimiter: Delimiter = ',') =>
  csvLineParser({
    subject: 'contract',
    unit: VOLUME_COLUMNS.units[0]!,
    columns,
    delimiter,
    notation: new DecimalNotation(delimiter, null),
  });

const fieldText = fc.oneof(
  fc.constantFrom(
    '1',
    '96',
    '97',
    '0',
    '01',
    '',
    '1.5',
    '-1',
    '0.125',
    '12.345',
    '12.3456',
    '1.',
    '.5',
    'x',
    '1e3',
  ),
  fc.integer({ min: 0, max: MAX_SLOT_KWH }).map(mwhText),
  fc.integer({ min: 0, max: 200 }).map(String),
  fc.stringMatching(/^[0-9.,"x-]{0,14}$/),
);

test('a line is parsed the same after other lines as alone', () => {
  const prefix = fc.constantFrom(
    'PPA-1,2026-10-25',
    'PPA-1,2026-10-22',
    'PPA-2,2026-10-22',
    'Ü,2026-10-22',
    'PPA-1,x',
  );
  const lines = fc.array(
    fc.tuple(prefix, fieldText, fieldText).map(([start, slot, volume]) => `${start},${slot},${volume}`),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(lines, (given) => {
      const parser = parserOf();
      let before: ParsedLine | null = null;
      for (const line of given) {
        const parsed = read(parser, line);
        const alone = read(parserOf(), line);
        assert.deepEqual([parsed.isReadable, parsed.fault], [alone.isReadable, alone.fault], line);
        if (!parsed.isReadable) continue;
        assert.deepEqual(
          [parsed.subject, parsed.date, parsed.day],
          [alone.subject, alone.date, alone.day],
          line,
        );
        if (parsed.fault === null)
          assert.deepEqual([parsed.slot, parsed.value], [alone.slot, alone.value], line);
        const isSame: boolean =
          before !== null && before.subject === parsed.subject && before.date === parsed.date;
        assert.equal(parsed.isSameDay, isSame, line);
        before = parsed;
      }
    }),
    { numRuns: runs(1000) },
  );
});

test('the fast path reads a volume as the slow path does', () => {
  const parser = parserOf();
  read(parser, 'PPA-1,2026-10-22,1,1');
  fc.assert(
    fc.property(fieldText, (text) => {
      if (text.includes(',') || text.includes('"')) return;
      const parsed = read(parser, `PPA-1,2026-10-22,1,${text}`);
      const expected = volumeFromText(text);
      assert.equal(
        parsed.fault === null ? parsed.value : null,
        typeof expected === 'number' ? expected : null,
        text,
      );
    }),
    { numRuns: runs(3000) },
  );
});

test('the fast path reads a decimal comma as the slow path does', () => {
  const parser = parserOf(CSV_COLUMNS, ';');
  read(parser, 'PPA-1;2026-10-22;1;0,5');
  fc.assert(
    fc.property(fieldText, (given) => {
      const text = given.replaceAll('"', '').replaceAll(',', '').replace('.', ',');
      const parsed = read(parser, `PPA-1;2026-10-22;1;${text}`);
      const expected = text.includes('.') ? 'not_a_number' : volumeFromText(text.replace(',', '.'));
      assert.equal(
        parsed.fault === null ? parsed.value : null,
        typeof expected === 'number' ? expected : null,
        text,
      );
    }),
    { numRuns: runs(3000) },
  );
});

test('the fast path reads a power as the slow path does', () => {
  for (const unit of VOLUME_COLUMNS.units.slice(1)) {
    const form = { subject: 'contract', unit, delimiter: ',' } as const;
    const parser = csvLineParser({
      ...form,
      columns: ['contract', 'delivery_date', 'slot', unit.name],
      notation: new DecimalNotation(',', null),
    });
    read(parser, 'PPA-1,2026-10-22,1,1');
    fc.assert(
      fc.property(
        fc.oneof(
          fieldText,
          fc.nat().map((watts) => formatFixed(watts, 6)),
        ),
        (text) => {
          if (text.includes(',') || text.includes('"')) return;
          const parsed = read(parser, `PPA-1,2026-10-22,1,${text}`);
          const expected = unit.fromText(text, 'PT15M');
          assert.equal(
            parsed.fault === null ? parsed.value : null,
            typeof expected === 'number' ? expected : null,
          );
        },
      ),
      { numRuns: runs(1000) },
    );
  }
});

test('the order of columns does not matter', () => {
  const values = { contract: 'PPA "1", Nord', delivery_date: '2026-10-22', slot: '7', volume: '1.25' };
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(fc.shuffledSubarray([...CSV_COLUMNS], { minLength: 4 }), (columns) => {
      const parsed = read(parserOf(columns), columns.map((column) => quoted(values[column])).join(','));
      const { subject: contract, day, slot, value: kwh, fault } = parsed;
      assert.deepEqual(
        { contract, day, slot, kwh, fault },
        { contract: values.contract, day: '2026-10-22', slot: 7, kwh: 1250, fault: null },
      );
    }),
  );
});

test('RFC 4180 fields are parsed, and an unclosed quote is rejected', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }), (fields) => {
      const line = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
      assert.deepEqual(csvFields(line), fields);
      assert.ok('key' in csvFields(`${line},"`));
    }),
  );
  assert.deepEqual(csvFields('a,,"",b'), ['a', '', '', 'b']);
  assert.deepEqual(csvFields('"a",'), ['a', '']);
  assert.deepEqual(csvFields(''), ['']);
  for (const line of ['"a"b', 'a"b', '"a', '"', 'a,"b""']) assert.ok('key' in csvFields(line), line);
});

test('a day of JSON numbers is exact to the kWh, nulls are skipped, and a fault has its place', () => {
  const kwh = fc.option(fc.integer({ min: 0, max: MAX_SLOT_KWH }));
  fc.assert(
    fc.property(fc.array(kwh, { minLength: 96, maxLength: 96 }), (volumes) => {
      const mwh = volumes.map((volume) => (volume === null ? null : volume / 1000));
      const line = JSON.stringify({ contract: 'PPA-1', delivery_date: '2026-10-22', volumes: mwh });
      assert.deepEqual(read(volumeLines(), line).values, volumes);
    }),
  );
  const repeated = '{"contract":"PPA:1","delivery_date":"2026-10-22","slot":1,"volume":1,"\\u0073lot":2}';
  assert.deepEqual(read(volumeLines(), repeated).fault, {
    code: 'malformed_line',
    message: { key: 'import.member_repeated', member: 'slot' },
  });
  const colons = '{"contract":"PPA:1:\\"slot\\":2","delivery_date":"2026-10-22","slot":1,"volume":1}';
  assert.equal(read(volumeLines(), colons).fault, null);
  const volumes = Array.from({ length: 96 }, (_, at) => (at === 41 ? -1 : 1));
  const line = JSON.stringify({ contract: 'PPA-1', delivery_date: '2026-10-22', volumes });
  assert.deepEqual(read(volumeLines(), line).fault, {
    code: 'negative_volume',
    message: { key: 'import.volume_at', at: 41, fault: { key: 'import.negative' } },
  });
});
