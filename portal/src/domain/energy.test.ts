import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalOf, kwhOf, kwOfKwh, sumKwh } from './energy.ts';

const anyKwh = fc.integer({ min: 0, max: 2_147_483_647 });

test('the wire’s MWh become whole kWh without loss', () => {
  fc.assert(fc.property(anyKwh, (kwh) => assert.equal(kwhOf(Number(decimalOf(kwh))), kwh)));
});

test('sums are exact where floating point is not', () => {
  assert.notEqual(0.1 + 0.2, 0.3);
  assert.equal(decimalOf(sumKwh([0.1, 0.2].map(kwhOf))), '0.300');
  const day = Array.from({ length: 100 }, () => kwhOf(0.001));
  assert.equal(decimalOf(sumKwh(day)), '0.100');
});

test('decimal text has three decimals and its sign', () => {
  assert.equal(decimalOf(0), '0.000');
  assert.equal(decimalOf(7), '0.007');
  assert.equal(decimalOf(1_234_567), '1234.567');
  assert.equal(decimalOf(-50), '-0.050');
});

test('the power of a quarter-hour is four times its energy', () => {
  assert.equal(decimalOf(kwOfKwh(kwhOf(1.25))), '5.000');
});
