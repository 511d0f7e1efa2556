import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationText } from './duration.ts';

const days = (count: number) => `${count} d`;

test('a countdown shows days, hours and minutes, within a day also seconds, and ends at zero', () => {
  assert.equal(durationText(90_061_000, days), '1 d 01:01');
  assert.equal(durationText(3_599_001, days), '01:00:00');
  assert.equal(durationText(1, days), '00:00:01');
  assert.equal(durationText(-5, days), '00:00:00');
});
