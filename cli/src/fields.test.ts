import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDayArgument } from './fields.ts';
import { localTime } from './tables.ts';

test('text that is no existing day is a usage error', () => {
  assert.equal(parseDayArgument('2028-02-29'), '2028-02-29');
  for (const text of ['2026-02-30', '2026-13-01', 'yesterday', '', '26-10-25', '2026-10-25T00:00:00Z', '+']) {
    assert.throws(() => parseDayArgument(text), /is not a day; write it like 2026-10-25/);
  }
});

test('today, tomorrow and +2 count days from today in Germany', () => {
  const daysAt = (now: string) =>
    ['today', 'tomorrow', '+2', '+0', '2026-10-25'].map((text) => parseDayArgument(text, Date.parse(now)));
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
  assert.equal(parseDayArgument('tomorrow', Date.parse('2026-12-31T12:00:00Z')), '2027-01-01');
});

test('times are shown in German local time', () => {
  assert.equal(localTime('2026-10-25T01:15:00Z'), '2026-10-25 02:15');
});
