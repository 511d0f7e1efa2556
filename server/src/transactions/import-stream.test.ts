import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { linesOf } from '@saldo/core/transactions/day-input.ts';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { VOLUME_COLUMNS } from './import-columns.ts';
import { type ImportFormat, ImportReader } from './import-stream.ts';

function readAll(format: ImportFormat, chunks: readonly Buffer[]) {
  const reader = new ImportReader(VOLUME_COLUMNS, format);
  for (const chunk of chunks) reader.push(chunk);
  reader.finish();
  const { days, rejected, rows, rejectedLines } = reader.take();
  return {
    rows,
    rejectedLines,
    rejected,
    days: days.map((day) => ({ ...day, apart: null, firstLine: 0, lines: linesOf(day) })),
  };
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
}

const line = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('PPA-1', 'Windpark Süd', '"a ""b"""'),
      fc.integer({ min: 0, max: 97 }),
      fc.constantFrom('1', '-1', '2.5'),
    )
    .map(([contract, slot, volume]) => Buffer.from(`${contract},2026-10-22,${slot},${volume}`)),
  fc.constantFrom('', 'unreadable', '"open', 'ÄÖÜ€😀').map((text) => Buffer.from(text)),
  fc.constant(Buffer.from([0xc3, 0x28])),
  fc.constant(Buffer.from([0xe2, 0x82])),
);

test('the result does not depend on how a file is cut into chunks', () => {
  const endings = fc.constantFrom('\n', '\r\n');
  const file = fc.record({
    bom: fc.boolean(),
    lines: fc.array(fc.tuple(line, endings), { maxLength: 30 }),
    isOpen: fc.boolean(),
  });
  fc.assert(
    fc.property(file, fc.array(fc.nat(), { maxLength: 30 }), ({ bom, lines, isOpen }, places) => {
      const bytes = Buffer.concat([
        Buffer.from(`${bom ? '\ufeff' : ''}contract,delivery_date,slot,volume\r\n`),
        ...lines.flatMap(([text, ending]) => [text, Buffer.from(ending)]),
        ...(isOpen ? [Buffer.from('PPA-1,2026-10-22,3,1')] : []),
      ]);
      const whole = readAll('csv', [bytes]);
      assert.deepEqual(readAll('csv', cut(bytes, places)), whole);
      assert.deepEqual(
        readAll(
          'csv',
          Array.from(bytes, (byte) => Buffer.from([byte])),
        ),
        whole,
      );
      const data = lines.filter(([text]) => text.length > 0).length + Number(isOpen);
      assert.equal(whole.rows, data);
    }),
    { numRuns: runs(200) },
  );
});

test('the maximum line length does not depend on chunk borders', () => {
  const good = `PPA-1,2026-10-22,1,1`;
  const padded = (bytes: number) => `"${'x'.repeat(bytes - good.length + 3)}",2026-10-22,1,1`;
  for (const ending of ['\n', '\r\n', '']) {
    for (const [length, isTooLong] of [
      [LIMITS.importLineBytes, false],
      [LIMITS.importLineBytes + 1, true],
      [LIMITS.importLineBytes * 3, true],
    ] as const) {
      const bytes = Buffer.from(`contract,delivery_date,slot,volume\n${padded(length)}${ending}`);
      assert.equal(bytes.length, 35 + length + ending.length);
      for (const places of [[], [40], [35, 60_000], [bytes.length - 1]]) {
        const { rows, rejected } = readAll('csv', cut(bytes, places));
        assert.equal(rows, 1);
        assert.deepEqual(
          rejected.map(({ code }) => code),
          isTooLong ? ['line_too_long'] : [],
        );
      }
    }
  }
});
