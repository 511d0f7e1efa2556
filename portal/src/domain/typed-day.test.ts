import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTypedDay } from './typed-day.ts';

test('a typed date is a day, in the formats of both languages, with or without a year', () => {
  const days: Record<string, string | null> = {
    '25.10.2026': '2026-10-25',
    '5.3.2027': '2027-03-05',
    '25.10.27': '2027-10-25',
    '25.10.': '2026-10-25',
    '25.10': '2026-10-25',
    '25/10/2026': '2026-10-25',
    '25/10/27': '2027-10-25',
    '25/10': '2026-10-25',
    '2026-10-25': '2026-10-25',
    '29.2.2028': '2028-02-29',
    '29.2.2026': null,
    '25.10/2026': null,
    '10/25/2026': null,
    '25.10.202': null,
    '0.1.2026': null,
    '2510': null,
    'PPA-2026-10': null,
    '': null,
  };
  for (const [typed, day] of Object.entries(days))
    assert.equal(parseTypedDay(typed, '2026-10-20'), day, typed);
});
