import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  addMonths,
  dayOf,
  dayStart,
  daysOfMonth,
  deliveryRange,
  hourOf,
  isDay,
  SLOT_MS,
  slotCount,
  slotLabel,
  slotStart,
} from './delivery-day.ts';

const labelsOf = (day: string) =>
  Array.from({ length: slotCount(day) }, (_, index) => slotLabel(slotStart(day, index + 1)));

test('the day on which the clock goes back has 100 slots, and the hour that comes twice is told apart', () => {
  const labels = labelsOf('2026-10-25');
  assert.equal(labels.length, 100);
  assert.deepEqual(labels.slice(7, 17), [
    '01:45',
    '02:00A',
    '02:15A',
    '02:30A',
    '02:45A',
    '02:00B',
    '02:15B',
    '02:30B',
    '02:45B',
    '03:00',
  ]);
  assert.equal(new Set(labels).size, 100);
  assert.equal(labels.at(-1), '23:45');
});

test('the day on which the clock goes forward has 92 slots, and no hour from two to three', () => {
  const labels = labelsOf('2026-03-29');
  assert.equal(labels.length, 92);
  assert.deepEqual(labels.slice(7, 9), ['01:45', '03:00']);
  assert.ok(labels.every((label) => label.length === 5));
});

test('the hours of a clock-change day are 25 and 23', () => {
  const hours = (day: string) =>
    new Set(Array.from({ length: slotCount(day) }, (_, index) => hourOf(slotStart(day, index + 1))));
  assert.equal(hours('2026-10-25').size, 25);
  assert.ok(hours('2026-10-25').has('02:00B'));
  assert.equal(hours('2026-03-29').size, 23);
});

const anyDay = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2060-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

test('every slot lies in its day, labels are unique, and days join without a gap', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const count = slotCount(day);
      assert.ok([92, 96, 100].includes(count));
      assert.equal(dayOf(slotStart(day, 1)), day);
      assert.equal(dayOf(slotStart(day, count)), day);
      assert.equal(slotStart(day, count) + SLOT_MS, dayStart(addDays(day, 1)));
      assert.equal(new Set(labelsOf(day)).size, count);
    }),
    { numRuns: 60 },
  );
});

test('the range of days is half-open in UTC, from local midnight to local midnight', () => {
  assert.deepEqual(deliveryRange('2026-10-25', '2026-10-25'), {
    delivery_start: '2026-10-24T22:00:00Z',
    delivery_end: '2026-10-25T23:00:00Z',
  });
});

test('months have their days, and lead over the turn of the year', () => {
  assert.equal(daysOfMonth('2028-02').length, 29);
  assert.equal(daysOfMonth('2026-11').at(-1), '2026-11-30');
  assert.equal(addMonths('2026-12', 1), '2027-01');
  assert.equal(addMonths('2026-01', -1), '2025-12');
});

test('a day that does not exist is no day', () => {
  assert.ok(isDay('2028-02-29'));
  for (const text of ['2026-02-29', '2026-13-01', '26-01-01', 'today', '']) assert.ok(!isDay(text), text);
});
