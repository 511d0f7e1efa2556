import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePower, powerText } from './power.ts';

test('power that is written and read again is the same power, with three decimals', () => {
  fc.assert(
    fc.property(fc.nat({ max: 999_999_999_999 }), (powerKw) => {
      const text = powerText(powerKw);
      assert.match(text, /^\d+\.\d{3}$/);
      assert.equal(parsePower(text), powerKw);
    }),
  );
  assert.deepEqual([0, 250, 1000, 12_345].map(powerText), ['0.000', '0.250', '1.000', '12.345']);
});

test('fewer decimals are as good as three', () => {
  assert.deepEqual(['1', '1.5', '0.25', '007.100'].map(parsePower), [1000, 1500, 250, 7100]);
});

test('what is no power of whole kW says why', () => {
  const faults: [string, RegExp][] = [
    ['-1', /negative/],
    ['-0.000', /negative/],
    ['1,5', /comma/],
    ['1.2500', /4 decimals/],
    ['1234567890', /too large/],
  ];
  for (const text of ['', '.5', '5.', '1e3', '+1', ' 1', '1 ', 'NaN', '0x10', '1.2.3', '١']) {
    faults.push([text, /not a decimal number/]);
  }
  for (const [text, expected] of faults) {
    const read = parsePower(text);
    assert.ok(typeof read === 'object', text);
    assert.match(read.fault, expected, text);
  }
});

test('a fraction of a kW or less than nothing is a programming error', () => {
  for (const powerKw of [0.5, -1, Number.NaN]) assert.throws(() => powerText(powerKw));
});
