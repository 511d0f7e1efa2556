import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedSlots, dayTotals, differenceWh, gapsOf } from './compared-day.ts';

const value = (slot_number: number, energy_wh: number, version = 1) => ({ slot_number, energy_wh, version });

test('every quarter-hour of a day is compared, also on days with a clock change', () => {
  const none = { forecast: [], meter: [] };
  assert.equal(comparedSlots('2026-03-29', none).length, 92);
  assert.equal(comparedSlots('2026-11-17', none).length, 96);
  assert.equal(comparedSlots('2026-10-25', none).length, 100);
});

test('a missing value is a gap and never zero', () => {
  const slots = comparedSlots('2026-11-17', {
    forecast: [value(1, 1000), value(2, 0)],
    meter: [value(2, 500, 2)],
  });
  assert.deepEqual(slots.slice(0, 3).map(differenceWh), [null, 500, null]);
  assert.equal(gapsOf(slots, 'forecast').length, 94);
  assert.deepEqual(gapsOf(slots, 'meter').slice(0, 2), [1, 3]);
  assert.deepEqual(dayTotals(slots), { forecast: 1000, meter: 500, difference: 500 });
});

test('a series without any value of a day has no gaps and no sum', () => {
  const slots = comparedSlots('2026-11-17', { forecast: [value(1, 1000)], meter: [] });
  assert.deepEqual(gapsOf(slots, 'meter'), []);
  assert.deepEqual(dayTotals(slots), { forecast: 1000, meter: null, difference: null });
});
