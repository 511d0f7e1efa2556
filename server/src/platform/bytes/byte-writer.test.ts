import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMwh, MAX_SLOT_KWH } from '@saldo/core/energy.ts';
import fc from 'fast-check';
import { runs } from '../../../../test/runs.ts';
import { ByteWriter } from './byte-writer.ts';

const piece = fc.oneof(
  fc.record({ ascii: fc.stringMatching(/^[ -~]{0,40}$/) }),
  fc.record({ utf8: fc.string({ unit: 'grapheme' }) }),
  fc.record({ kwh: fc.oneof(fc.integer(), fc.integer({ min: -1e15, max: 1e15 })) }),
);

test('written bytes equal the concatenated text, for any initial capacity', () => {
  fc.assert(
    fc.property(fc.nat(64), fc.array(piece, { maxLength: 50 }), (expectedBytes, pieces) => {
      const writer = new ByteWriter(expectedBytes);
      let expected = '';
      for (const given of pieces) {
        if ('ascii' in given) writer.ascii(given.ascii);
        else if ('utf8' in given) writer.append(Buffer.from(given.utf8));
        else writer.mwh(given.kwh);
        expected += 'kwh' in given ? given.kwh / 1000 : Object.values(given)[0];
      }
      assert.deepEqual(writer.written(), Buffer.from(expected));
    }),
  );
});

test('every number of thousandths is written in its shortest form', () => {
  for (let value = -1000; value <= 1000; value++) {
    const writer = new ByteWriter(0);
    writer.mwh(value);
    assert.equal(writer.written().toString(), String(value / 1000));
  }
});

test('the largest safe integers are exact', () => {
  const writer = new ByteWriter(0);
  writer.mwh(Number.MIN_SAFE_INTEGER);
  writer.ascii(' ');
  writer.mwh(Number.MAX_SAFE_INTEGER);
  assert.equal(writer.written().toString(), '-9007199254740.991 9007199254740.991');
});

test('energy as bytes has all digits of its decimal text but trailing zeros', () => {
  const shortest = (kwh: number) => formatMwh(kwh).replace(/\.?0+$/, '');
  const bytesOf = (kwh: number) => {
    const writer = new ByteWriter(0);
    writer.mwh(kwh);
    return writer.written().toString();
  };
  const anyKwh = fc.oneof(
    fc.integer({ min: -MAX_SLOT_KWH, max: MAX_SLOT_KWH }),
    fc.integer({ min: -3000, max: 3000 }),
    fc.maxSafeInteger(),
  );
  fc.assert(
    fc.property(anyKwh, (kwh) => assert.equal(bytesOf(kwh), shortest(kwh))),
    { numRuns: runs(5000) },
  );
  for (const kwh of [0, -0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, MAX_SLOT_KWH])
    assert.equal(bytesOf(kwh), shortest(kwh));
  assert.throws(() => bytesOf(0.5));
});
