import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMonths, daysOfMonth, deliveryRange, isMonth, slotText } from './delivery-period.ts';

test('the range of days is half-open in UTC, from local midnight to local midnight', () => {
  assert.deepEqual(deliveryRange('2026-10-25', '2026-10-25'), {
    delivery_start: '2026-10-24T22:00:00Z',
    delivery_end: '2026-10-25T23:00:00Z',
  });
});

test('months have the right days, also across the turn of the year', () => {
  assert.equal(daysOfMonth('2028-02').length, 29);
  assert.equal(daysOfMonth('2026-11').at(-1), '2026-11-30');
  assert.equal(addMonths('2026-12', 1), '2027-01');
  assert.equal(addMonths('2026-01', -1), '2025-12');
  assert.ok(isMonth('2026-12'));
  for (const text of ['2026-13', '2026-1', '2026-01-01', '']) assert.ok(!isMonth(text), text);
});

test('a slot that a shorter day lacks has no text', () => {
  assert.equal(slotText('2026-10-25', 100), '23:45');
  assert.equal(slotText('2026-10-26', 97), '');
});
