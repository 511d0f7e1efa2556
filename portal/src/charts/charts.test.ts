import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import { levelOf, scaleOf } from './heat-levels.ts';
import { hourTicks } from './hour-ticks.ts';
import { stepArea, stepPath, ticksUpTo } from './scale.ts';
import { slotByKey } from './slot-keys.ts';

const x = (index: number) => index * 10;
const y = (value: number) => 100 - value;

test('an unknown value is a gap in the chart, never zero', () => {
  assert.equal(stepPath([5, 7, null, 0], x, y), 'M0 95H10V93H20M30 100H40');
  assert.equal(stepPath([null, null], x, y), '');
  assert.equal(stepArea([null, 4], x, y), 'M10 100V96H20V100Z');
});

test('the scale has round steps and exceeds the largest value', () => {
  assert.deepEqual(ticksUpTo(7.2, 4), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticksUpTo(10, 4), [0, 2.5, 5, 7.5, 10]);
  assert.deepEqual(ticksUpTo(0, 4), [0, 1]);
});

test('arrow keys move through the slots and stop at both ends', () => {
  assert.equal(slotByKey('ArrowRight', 5, 100), 6);
  assert.equal(slotByKey('ArrowLeft', 1, 100), 1);
  assert.equal(slotByKey('PageUp', 98, 100), 100);
  assert.equal(slotByKey('PageDown', 9, 96), 5);
  assert.equal(slotByKey('Home', 40, 92), 1);
  assert.equal(slotByKey('End', 40, 92), 92);
  assert.equal(slotByKey('Tab', 40, 92), null);
});

const labels = (day: string, width: number) =>
  hourTicks(
    Array.from({ length: slotCount(day) }, (_, index) => slotStart(day, index + 1)),
    width,
  ).map(({ label }) => label);

test('the axis of the 25-hour day labels the repeated hour, on narrow screens too', () => {
  for (const width of [1800, 1300]) {
    const found = labels('2026-10-25', width);
    assert.ok(found.includes('02:00A') && found.includes('02:00B'), `${width}: ${found.join(' ')}`);
  }
  for (const width of [900, 300]) {
    const found = labels('2026-10-25', width);
    assert.ok(found.includes('02:00A/B'), `${width}: ${found.join(' ')}`);
  }
  assert.ok(!labels('2026-03-29', 1800).includes('02:00'));
});

test('the shades of a heat map have round limits in MW that contain the largest value', () => {
  const scale = scaleOf([{ values: [0, null, 250] }, { values: [-1300, 40] }]);
  assert.deepEqual(scale, { stepKw: 1000, hasAbove: true, hasBelow: true });
  // 0.25, 1, 1.004, 5.2 and 6 MW.
  assert.deepEqual(
    [62, 250, 251, -1300, 1500].map((kwh) => levelOf(kwh, scale)),
    [1, 1, 2, 6, 6],
  );
  assert.deepEqual(scaleOf([{ values: [null, 0] }]), { stepKw: 1, hasAbove: false, hasBelow: false });
});
