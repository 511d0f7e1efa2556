import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { deviationBySlot, differencesBySlot, mismatchedSlots } from './mismatched-slots.ts';

const DAY = '2026-10-25';
const slot = (number: number, amount: number, matched: number | null, counterpart: number | null = null) => ({
  slot_number: number,
  delivery_start: new Date(slotStart(DAY, number)).toISOString(),
  delivery_end: new Date(slotStart(DAY, number) + SLOT_MS).toISOString(),
  amount,
  matched_amount: matched,
  counterpart_amount: counterpart,
});

test('the TSO’s value counts, and until there is one that of the counterpart', () => {
  const slots = mismatchedSlots({
    slots: [slot(1, 7.125, 7, 6.5), slot(2, 1, null, 1.25), slot(3, 0.3, 0.1)],
  });
  assert.deepEqual(
    slots.map(({ differenceKw }) => differenceKw),
    [500, -1000, 800],
  );
  assert.equal(slots[1]?.matchedKw, null);
});

test('a difference of 1 kW counts', () => {
  const [found] = mismatchedSlots({ slots: [slot(1, 1.75, 1.74975)] });
  assert.deepEqual([found?.amountKw, found?.matchedKw, found?.differenceKw], [7000, 6999, 1]);
});

test('a day of 100 quarter-hours has 100 values, and none where nothing differs', () => {
  const values = differencesBySlot(DAY, mismatchedSlots({ slots: [slot(100, 1, 0.5)] }));
  assert.equal(values.length, 100);
  assert.deepEqual(values.slice(98), [null, 2000]);
});

test('an excess of one nomination does not hide a shortfall of another', () => {
  const values = deviationBySlot(DAY, [{ slots: [slot(5, 1, 0.75)] }, { slots: [slot(5, 1, 1.25)] }]);
  assert.equal(values[4], 2000);
  assert.equal(values[5], null);
});
