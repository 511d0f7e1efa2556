import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayEnd, dayStart } from '../delivery-day.ts';
import { contractStatus, isDayWithin } from './contract.ts';

const period = {
  deliveryStart: dayStart('2026-03-28'),
  deliveryEnd: dayEnd('2026-03-30'),
  isActivated: true,
};

test('a contract is in progress from its first instant to the one before its end', () => {
  const { deliveryStart, deliveryEnd } = period;
  const moments = [deliveryStart - 1, deliveryStart, deliveryEnd - 1, deliveryEnd];
  assert.deepEqual(
    moments.map((now) => contractStatus(period, now)),
    ['pending', 'in_progress', 'in_progress', 'completed'],
  );
});

test('a contract is pending as long as one of its customers was never activated', () => {
  const { deliveryStart, deliveryEnd } = period;
  for (const now of [deliveryStart - 1, deliveryStart, deliveryEnd])
    assert.equal(contractStatus({ ...period, isActivated: false }, now), 'pending');
});

test('a contract without a start is pending, one without an end never completes', () => {
  const { deliveryEnd } = period;
  assert.equal(contractStatus({ ...period, deliveryStart: null }, deliveryEnd), 'pending');
  assert.equal(contractStatus({ ...period, deliveryEnd: null }, Number.MAX_SAFE_INTEGER), 'in_progress');
});

test('the days of a contract are those that lie within it, clock change or not', () => {
  const days = ['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31'];
  assert.deepEqual(
    days.map((day) => isDayWithin(period, day)),
    [false, true, true, true, false],
  );
});

test('a contract that lacks a date has no days', () => {
  assert.equal(isDayWithin({ ...period, deliveryStart: null }, '2026-03-29'), false);
  assert.equal(isDayWithin({ ...period, deliveryEnd: null }, '2026-03-29'), false);
});
