import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { kwhFromMwh, MAX_SLOT_KWH, mwhText } from './energy.ts';
import { volumeOf, volumeOfText } from './volume.ts';

const kwhValues = fc.integer({ min: 0, max: MAX_SLOT_KWH });

test('every whole number of kWh comes back from its number and from its text', () => {
  fc.assert(
    fc.property(kwhValues, (kwh) => {
      assert.equal(volumeOf(kwh / 1000), kwh);
      assert.equal(volumeOfText(mwhText(kwh)), kwh);
    }),
    { numRuns: 2000 },
  );
  assert.equal(volumeOf(MAX_SLOT_KWH / 1000), MAX_SLOT_KWH);
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
      const byText = kwhFromMwh(number);
      const expected = byText !== null && byText >= 0 ? byText : null;
      const found = volumeOf(number);
      assert.equal(typeof found === 'number' ? found : null, expected, String(number));
    }),
    { numRuns: 5000 },
  );
});

/** The next number that can be told apart. */
function neighbour(value: number, sign: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(value === 0 ? 1 : sign));
  return view.getFloat64(0);
}

test('each fault has its name', () => {
  assert.equal(volumeOf('1.25'), 'not_a_number');
  assert.equal(volumeOf(null), 'not_a_number');
  assert.equal(volumeOf(-0.001), 'negative');
  assert.equal(volumeOf(-1e300), 'negative');
  assert.equal(volumeOf(0.0001), 'too_precise');
  assert.equal(volumeOf(1e300), 'too_large');
  assert.equal(volumeOf((MAX_SLOT_KWH + 1) / 1000), 'too_large');
  assert.ok(Object.is(volumeOf(-0), 0));
  for (const text of ['', '-', '.5', '5.', '1,25', '+1', '1e3', ' 1', 'NaN'])
    assert.equal(volumeOfText(text), 'not_a_number', text);
  assert.equal(volumeOfText('-0.5'), 'negative');
  assert.equal(volumeOfText('-99999999999'), 'negative');
  assert.equal(volumeOfText('-0.0'), 0);
  assert.equal(volumeOfText('1.2345'), 'too_precise');
  assert.equal(volumeOfText('1.2500'), 1250);
  assert.equal(volumeOfText('99999999999'), 'too_large');
});
