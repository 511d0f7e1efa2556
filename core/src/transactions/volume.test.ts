import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { MAX_SLOT_KWH, mwhText, parseMwh } from '../energy.ts';
import { volumeFromJson, volumeFromText } from './volume.ts';

const kwhValues = fc.integer({ min: 0, max: MAX_SLOT_KWH });

test('every whole number of kWh is read from its number and from its text', () => {
  fc.assert(
    fc.property(kwhValues, (kwh) => {
      assert.equal(volumeFromJson(kwh / 1000), kwh);
      assert.equal(volumeFromText(mwhText(kwh)), kwh);
    }),
    { numRuns: runs(2000) },
  );
  assert.equal(volumeFromJson(MAX_SLOT_KWH / 1000), MAX_SLOT_KWH);
});

test('a number is a volume exactly when its shortest text is one', () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true }),
    fc.double({ min: 0, max: 3_000_000, noNaN: true }),
    kwhValues.map((kwh) => kwh / 1000),
    fc.tuple(kwhValues, fc.integer({ min: 1, max: 9 })).map(([kwh, digit]) => kwh / 1000 + digit / 10_000),
    fc.tuple(kwhValues, fc.constantFrom(1, -1)).map(([kwh, sign]) => neighbour(kwh / 1000, sign)),
  );
  fc.assert(
    fc.property(numbers, (number) => {
      const byText = parseMwh(String(number));
      const expected = typeof byText === 'number' && byText >= 0 ? byText : null;
      const found = volumeFromJson(number);
      assert.equal(typeof found === 'number' ? found : null, expected, String(number));
    }),
    { numRuns: runs(5000) },
  );
});

/** The next representable number. */
function neighbour(value: number, sign: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(value === 0 ? 1 : sign));
  return view.getFloat64(0);
}

test('each fault has its own code', () => {
  assert.equal(volumeFromJson('1.25'), 'not_a_number');
  assert.equal(volumeFromJson(null), 'not_a_number');
  assert.equal(volumeFromJson(-0.001), 'negative');
  assert.equal(volumeFromJson(-1e300), 'negative');
  assert.equal(volumeFromJson(0.0001), 'too_precise');
  assert.equal(volumeFromJson(1e300), 'too_large');
  assert.equal(volumeFromJson((MAX_SLOT_KWH + 1) / 1000), 'too_large');
  assert.ok(Object.is(volumeFromJson(-0), 0));
  for (const text of ['', '-', '.5', '5.', '1,25', '+1', '1e3', ' 1', 'NaN'])
    assert.equal(volumeFromText(text), 'not_a_number', text);
  assert.equal(volumeFromText('-0.5'), 'negative');
  assert.equal(volumeFromText('-99999999999'), 'negative');
  assert.equal(volumeFromText('-0.0'), 0);
  assert.equal(volumeFromText('1.2345'), 'too_precise');
  assert.equal(volumeFromText('1.2500'), 1250);
  assert.equal(volumeFromText('99999999999'), 'too_large');
});
