import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOf } from '../i18n/format.ts';
import { differenceText, totalDifference } from './differences.ts';

test('a small difference in every quarter-hour has its sum and its largest value', () => {
  const each = Array.from({ length: 96 }, () => 40);
  assert.equal(differenceText(each, formatOf('en')), '96 quarter-hours, Σ +0.960 MWh, at most 0.040 MW');
  assert.equal(differenceText(each, formatOf('de')), '96 Viertelstunden, Σ +0,960 MWh, höchstens 0,040 MW');
});

test('differences of both signs cancel out in the sum only, and unknown values are no differences', () => {
  assert.deepEqual(totalDifference([100, -300, 0, null]), { count: 2, sumKw: -200, largestKw: 300 });
  assert.equal(differenceText([-4, null], formatOf('en')), '1 quarter-hour, Σ −0.001 MWh, at most 0.004 MW');
  assert.deepEqual(totalDifference([]), { count: 0, sumKw: 0, largestKw: 0 });
});
