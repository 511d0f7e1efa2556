import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayStart, instantOf, localTime, nextDay, parseDay, slotCount } from './days.ts';

test('a delivery day begins at German midnight, in summer as in winter', () => {
  assert.equal(instantOf(dayStart('2026-01-01')), '2025-12-31T23:00:00Z');
  assert.equal(instantOf(dayStart('2026-07-01')), '2026-06-30T22:00:00Z');
  assert.equal(instantOf(dayStart('2026-03-29')), '2026-03-28T23:00:00Z');
  assert.equal(instantOf(dayStart('2026-03-30')), '2026-03-29T22:00:00Z');
  assert.equal(instantOf(dayStart('2026-10-25')), '2026-10-24T22:00:00Z');
  assert.equal(instantOf(dayStart('2026-10-26')), '2026-10-25T23:00:00Z');
});

test('a day has 96 slots, and 92 or 100 when the clock changes', () => {
  assert.deepEqual(
    ['2026-03-28', '2026-03-29', '2026-10-25', '2026-12-31'].map(slotCount),
    [96, 92, 100, 96],
  );
});

test('the day after the last of a month is the first of the next', () => {
  assert.deepEqual(['2028-02-28', '2026-12-31', '2026-10-25'].map(nextDay), [
    '2028-02-29',
    '2027-01-01',
    '2026-10-26',
  ]);
});

test('what is no day is refused', () => {
  for (const text of ['2026-02-30', '2026-13-01', 'yesterday', '', '26-10-25', '2026-10-25T00:00:00Z', '+']) {
    assert.throws(() => dayStart(text), /is not a day/);
    assert.throws(() => parseDay(text), /is not a day/);
  }
});

test('today, tomorrow and +2 count days from today in Germany', () => {
  const daysAt = (now: string) =>
    ['today', 'tomorrow', '+2', '+0', '2026-10-25'].map((text) => parseDay(text, Date.parse(now)));
  // 23:30 and 00:30 German time, in the night in which the clock goes back.
  assert.deepEqual(daysAt('2026-10-24T21:30:00Z'), [
    '2026-10-24',
    '2026-10-25',
    '2026-10-26',
    '2026-10-24',
    '2026-10-25',
  ]);
  assert.deepEqual(daysAt('2026-10-24T22:30:00Z'), [
    '2026-10-25',
    '2026-10-26',
    '2026-10-27',
    '2026-10-25',
    '2026-10-25',
  ]);
  assert.equal(parseDay('tomorrow', Date.parse('2026-12-31T12:00:00Z')), '2027-01-01');
});

test('times are shown as German clocks show them', () => {
  assert.equal(localTime('2026-10-25T01:15:00Z'), '2026-10-25 02:15');
});
