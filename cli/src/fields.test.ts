import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDayArgument, RelativeDay } from './fields.ts';
import { localTime } from './tables.ts';

test('text that is no existing day is a usage error', () => {
  assert.equal(parseDayArgument('2028-02-29'), '2028-02-29');
  for (const text of [
    '2026-02-30',
    '2026-13-01',
    'morgen',
    '',
    '26-10-25',
    '2026-10-25T00:00:00Z',
    '+',
    '-',
    '2',
    '+12345',
    'toString',
  ]) {
    assert.throws(() => parseDayArgument(text), /is not a day; write it like 2026-10-25/);
  }
});

test('days that are counted from today are told apart from written ones', () => {
  const counted = ['yesterday', 'today', 'tomorrow', '-1', '+2', '-0'].map(parseDayArgument);
  assert.deepEqual(
    counted,
    [-1, 0, 1, -1, 2, -0].map((days) => new RelativeDay(days)),
  );
});

test('times are shown in German local time', () => {
  assert.equal(localTime('2026-10-25T01:15:00Z'), '2026-10-25 02:15');
});
