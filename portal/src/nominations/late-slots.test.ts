import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateSums, slotRanges } from './late-slots.ts';

const slot = (number: number, nominated: number, transactions: number, difference: number) => ({
  slot_number: number,
  nominated,
  transactions,
  difference,
});

test('a position-day is summed exactly, with signs', () => {
  const slots = [slot(1, 0.1, 0.3, -0.2), slot(2, 0.2, -0.1, 0.3)];
  assert.deepEqual(lateSums({ slots }), { nominatedKwh: 300, transactionsKwh: 200, differenceKwh: 100 });
});

test('neighbouring quarter-hours are a range', () => {
  const ranges = (...numbers: number[]) => slotRanges({ slots: numbers.map((one) => slot(one, 0, 1, -1)) });
  assert.equal(ranges(1, 2, 3, 5, 7, 8), '1–3, 5, 7–8');
  assert.equal(ranges(100), '100');
  assert.equal(ranges(), '');
});
