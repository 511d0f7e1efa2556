import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { findUnits, formatFixed, getUnits, numberFromUnits, parseDecimal } from './decimal.ts';

test('a number survives the conversion to whole units, and has no more decimals than allowed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), fc.integer({ min: 0, max: 3 }), (units, decimals) => {
      const text = `${units}`.padStart(decimals + 1, '0');
      const value = Number(`${text.slice(0, text.length - decimals)}.${text.slice(text.length - decimals)}`);
      assert.equal(findUnits(value, decimals), units);
    }),
  );
});

test('numbers with further decimals, or too large to be exact, are rejected', () => {
  for (const value of [0.001, 58.505, 0.1 + 0.2, 1e300, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
    assert.equal(findUnits(value, 2), null, String(value));
  }
  assert.equal(findUnits(1e-3, 3), 1);
});

test('a JSON number has the units that its shortest text has', () => {
  const numbers = fc.oneof(
    fc.double({ min: -1e12, max: 1e12, noNaN: true }),
    fc.integer({ min: -1e15, max: 1e15 }).map((units) => units / 1000),
    fc
      .tuple(fc.integer({ min: 0, max: 1e9 }), fc.constantFrom(1, -1))
      .map(([units, sign]) => neighbour(units / 1000, sign)),
  );
  fc.assert(
    fc.property(numbers, (value) => {
      // Numbers below 1e-6 print with an exponent, which is not plain decimal text; all of them are too precise.
      const byText = parseDecimal(String(value), 3);
      assert.equal(findUnits(value, 3), typeof byText === 'number' ? byText : null, String(value));
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

test('a number with further decimals that was not validated is a programming error', () => {
  assert.equal(getUnits(58.5, 2), 5850);
  assert.throws(() => getUnits(58.505, 2), /58.505 has more than 2 decimals/);
  assert.throws(() => numberFromUnits(0.5, 2));
  assert.throws(() => formatFixed(0.5, 2));
});

test('units survive the conversion to a number and to text', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e15, max: 1e15 }), fc.integer({ min: 1, max: 3 }), (units, decimals) => {
      assert.equal(findUnits(numberFromUnits(units, decimals), decimals), units);
      assert.equal(parseDecimal(formatFixed(units, decimals), decimals), units);
    }),
  );
});

test('units are read with and without decimals, up to the maximum', () => {
  assert.equal(parseDecimal('12', 0), 12);
  assert.equal(parseDecimal('12.0', 0), 12);
  assert.equal(parseDecimal('12.5', 0), 'too_precise');
  assert.equal(parseDecimal('58.5', 2, 5850), 5850);
  assert.equal(parseDecimal('58.51', 2, 5850), 'too_large');
  assert.equal(parseDecimal('9007199254740991', 0), Number.MAX_SAFE_INTEGER);
  assert.equal(parseDecimal('9007199254740992', 0), 'too_large');
});
