import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { kwFromKwh, kwhFromMatchedKw } from '../energy.ts';
import { matchStatus } from './matching.ts';

const anyAmounts = fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 1 });

test('a confirmation as nominated is a match', () => {
  fc.assert(
    fc.property(anyAmounts, (amounts) => assert.equal(matchStatus(amounts, amounts.map(kwFromKwh)), 'match')),
  );
});

test('a single kW of difference in any slot is no match, though it vanishes in whole kWh', () => {
  fc.assert(
    fc.property(anyAmounts, fc.nat(), (amounts, pick) => {
      const at = pick % amounts.length;
      const matched = amounts.map(kwFromKwh);
      matched[at]! += 1;
      assert.equal(kwhFromMatchedKw(matched[at]!), amounts[at]);
      assert.equal(matchStatus(amounts, matched), 'partial_match');
    }),
  );
});

test('a rejected series matches only where nothing was nominated', () => {
  assert.equal(matchStatus([0, 0], [0, 0]), 'match');
  assert.equal(matchStatus([0, 1], [0, 0]), 'partial_match');
});

test('a confirmation with another number of slots is a programming error', () => {
  assert.throws(() => matchStatus([1, 2], [4]));
});
