import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { centsText, wholeUnits } from './decimal.ts';

test('a number is the same after being taken for whole units, and has no more decimals than it may', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), fc.integer({ min: 0, max: 3 }), (units, decimals) => {
      const text = `${units}`.padStart(decimals + 1, '0');
      const value = Number(`${text.slice(0, text.length - decimals)}.${text.slice(text.length - decimals)}`);
      assert.equal(wholeUnits(value, decimals), units);
    }),
  );
});

test('further decimals and numbers that cannot be told apart are refused', () => {
  for (const value of [0.001, 58.505, 0.1 + 0.2, 1e300, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
    assert.equal(wholeUnits(value, 2), null, String(value));
  }
  assert.equal(wholeUnits(1e-3, 3), 1);
});

test('cents are written as JSON would write them', () => {
  for (let cents = 0; cents < 20_000; cents++) assert.equal(centsText(cents), JSON.stringify(cents / 100));
});
