import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_SLOT_KWH, mwhText } from './energy.ts';
import { volumeFromText } from './volume.ts';
import {
  CSV_COLUMNS,
  csvFields,
  csvReader,
  type LineReader,
  ndjsonReader,
  type SaidLine,
} from './volume-lines.ts';

const read = (reader: LineReader, line: string): SaidLine => {
  // Within other bytes, as it stands in a file.
  const bytes = Buffer.from(`before\n${line}\nafter`);
  return { ...reader(bytes, 7, bytes.length - 6) };
};

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

test('a line that is compared with the one before says what it says on its own', () => {
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
      const reader = csvReader(CSV_COLUMNS);
      let before: SaidLine | null = null;
      for (const line of given) {
        const said = read(reader, line);
        const alone = read(csvReader(CSV_COLUMNS), line);
        assert.deepEqual([said.isReadable, said.fault], [alone.isReadable, alone.fault], line);
        if (!said.isReadable) continue;
        assert.deepEqual([said.contract, said.date, said.day], [alone.contract, alone.date, alone.day], line);
        if (said.fault === null) assert.deepEqual([said.slot, said.kwh], [alone.slot, alone.kwh], line);
        const isSame: boolean =
          before !== null && before.contract === said.contract && before.date === said.date;
        assert.equal(said.isSameDay, isSame, line);
        before = said;
      }
    }),
    { numRuns: 1000 },
  );
});

test('a volume is read on the short way as it is on the long one', () => {
  const reader = csvReader(CSV_COLUMNS);
  read(reader, 'PPA-1,2026-10-22,1,1');
  fc.assert(
    fc.property(fieldText, (text) => {
      if (text.includes(',') || text.includes('"')) return;
      const said = read(reader, `PPA-1,2026-10-22,1,${text}`);
      const expected = volumeFromText(text);
      assert.equal(
        said.fault === null ? said.kwh : null,
        typeof expected === 'number' ? expected : null,
        text,
      );
    }),
    { numRuns: 3000 },
  );
});

test('columns in any order say the same', () => {
  const values = { contract: 'PPA "1", Nord', delivery_date: '2026-10-22', slot: '7', volume: '1.25' };
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(fc.shuffledSubarray([...CSV_COLUMNS], { minLength: 4 }), (columns) => {
      const said = read(csvReader(columns), columns.map((column) => quoted(values[column])).join(','));
      const { contract, day, slot, kwh, fault } = said;
      assert.deepEqual(
        { contract, day, slot, kwh, fault },
        { contract: values.contract, day: '2026-10-22', slot: 7, kwh: 1250, fault: null },
      );
    }),
  );
});

test('fields come back from RFC 4180, and a quote that is not closed does not pass', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }), (fields) => {
      const line = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
      assert.deepEqual(csvFields(line), fields);
      assert.equal(typeof csvFields(`${line},"`), 'string');
    }),
  );
  assert.deepEqual(csvFields('a,,"",b'), ['a', '', '', 'b']);
  assert.deepEqual(csvFields('"a",'), ['a', '']);
  assert.deepEqual(csvFields(''), ['']);
  for (const line of ['"a"b', 'a"b', '"a', '"', 'a,"b""'])
    assert.equal(typeof csvFields(line), 'string', line);
});

test('a day of JSON numbers is read to the kWh, nulls say nothing, and a fault names its place', () => {
  const kwh = fc.option(fc.integer({ min: 0, max: MAX_SLOT_KWH }));
  fc.assert(
    fc.property(fc.array(kwh, { minLength: 96, maxLength: 96 }), (volumes) => {
      const mwh = volumes.map((volume) => (volume === null ? null : volume / 1000));
      const line = JSON.stringify({ contract: 'PPA-1', delivery_date: '2026-10-22', volumes: mwh });
      assert.deepEqual(read(ndjsonReader(), line).volumes, volumes);
    }),
  );
  const volumes = Array.from({ length: 96 }, (_, at) => (at === 41 ? -1 : 1));
  const line = JSON.stringify({ contract: 'PPA-1', delivery_date: '2026-10-22', volumes });
  assert.deepEqual(read(ndjsonReader(), line).fault, {
    code: 'negative_volume',
    message: 'volumes[41] must not be negative',
  });
});
