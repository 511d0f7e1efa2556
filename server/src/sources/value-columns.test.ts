import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecimalNotation } from '@saldo/core/csv.ts';
import { formatFixed } from '@saldo/core/decimal.ts';
import { VALUE_UNITS } from '@saldo/core/enums.ts';
import { MAX_SLOT_WH, whFromText } from '@saldo/core/series/value.ts';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { csvLineParser } from '../transactions/csv-lines.ts';
import { ImportReader } from '../transactions/import-stream.ts';
import { VALUE_COLUMNS } from './value-columns.ts';

const number = fc.oneof(
  fc.nat({ max: 4 * MAX_SLOT_WH }).map((units) => formatFixed(units, 3)),
  fc.nat({ max: 4 * MAX_SLOT_WH }).map((units) => formatFixed(units, 6)),
  fc.nat({ max: 20_000_000 }).map(String),
  fc.stringMatching(/^[0-9.x-]{0,12}$/),
);

test('the fast path reads values of every unit as the slow path does', () => {
  for (const unit of VALUE_COLUMNS.units) {
    const parser = csvLineParser({
      ...{ subject: 'series', unit, delimiter: ',', notation: new DecimalNotation(',', null) },
      columns: ['series', 'delivery_date', 'slot', unit.name],
    });
    const read = (line: string) => parser(Buffer.from(line), 0, line.length);
    read('ser_1,2026-10-22,1,1');
    fc.assert(
      fc.property(number, (text) => {
        const { fault, value } = read(`ser_1,2026-10-22,1,${text}`);
        const expected = whFromText(text, VALUE_UNITS.find((name) => name === unit.name)!);
        assert.equal(fault === null ? value : null, typeof expected === 'number' ? expected : null, text);
      }),
      { numRuns: runs(2000) },
    );
  }
});

test('slots and starts, CSV and NDJSON, quarter-hours and lists of a day make the same blocks', () => {
  const header = (...columns: string[]) => `${columns.join(',')}\n`;
  const slots = Array.from({ length: 100 }, (_, at) => at + 1);
  const instant = (slot: number) => new Date(Date.UTC(2026, 9, 24, 22) + (slot - 1) * 900_000).toISOString();
  const names = { series: 'ser_1', delivery_date: '2026-10-25' };
  const files = [
    ['csv', header('series', 'delivery_date', 'slot', 'energy_kwh')],
    ['csv', header('energy_kwh', 'delivery_start', 'series')],
    ['ndjson', ''],
    ['ndjson', ''],
  ] as const;
  const bodies = [
    slots.map((slot) => `ser_1,2026-10-25,${slot},${slot}\n`).join(''),
    slots.map((slot) => `${slot},${instant(slot)},ser_1\n`).join(''),
    slots.map((slot) => `${JSON.stringify({ ...names, slot, energy_kwh: slot })}\n`).join(''),
    JSON.stringify({ ...names, energy_kwh: slots }),
  ];
  for (const [at, [format, head]] of files.entries()) {
    const reader = new ImportReader(VALUE_COLUMNS, format);
    reader.push(Buffer.from(head + bodies[at]));
    reader.finish();
    const { days, rejected } = reader.take();
    assert.deepEqual(rejected, []);
    assert.deepEqual(
      days.map(({ subject, kind, day, values }) => ({ subject, kind, day, values })),
      [{ subject: 'ser_1', kind: null, day: '2026-10-25', values: slots.map((slot) => slot * 1000) }],
    );
  }
});
