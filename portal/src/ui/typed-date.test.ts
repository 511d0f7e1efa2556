import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTypedDate, parseTypedDay, parseTypedMonth } from './typed-date.ts';

test('a day is read in the form of either language, and as ISO', () => {
  for (const typed of ['25.10.2026', '25/10/2026', ' 25-10-2026 ', '2026-10-25'])
    assert.equal(parseTypedDay(typed), '2026-10-25', typed);
  assert.equal(parseTypedDay('1.2.2026'), '2026-02-01');
  for (const typed of ['', '25.10.26', '30.02.2026', '10/25/2026', '25.10.', '2026-10', 'morgen'])
    assert.equal(parseTypedDay(typed), null, typed);
});

test('a month is read likewise', () => {
  for (const typed of ['10.2026', '10/2026', '2026-10']) assert.equal(parseTypedMonth(typed), '2026-10');
  for (const typed of ['13.2026', '10.26', '', '25.10.2026']) assert.equal(parseTypedMonth(typed), null);
});

test('dates are written in the form of the language', () => {
  assert.equal(formatTypedDate('2026-10-25', '.'), '25.10.2026');
  assert.equal(formatTypedDate('2026-10', '/'), '10/2026');
  assert.equal(formatTypedDate('', '.'), '');
});
