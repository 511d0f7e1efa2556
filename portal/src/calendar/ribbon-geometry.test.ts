import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayStart, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import {
  mismatchedStretches,
  type RibbonDay,
  ribbonArea,
  ribbonGates,
  timeScale,
  valueScale,
} from './ribbon-geometry.ts';

const ribbonDay = (day: string, rest: Partial<RibbonDay> = {}): RibbonDay => ({
  day,
  gates: [],
  valuesKwh: null,
  mismatched: [],
  ...rest,
});
/** The clock goes back on 25 October: 96, 100 and 96 quarter-hours. */
const days = ['2026-10-24', '2026-10-25', '2026-10-26'].map((day) => ribbonDay(day));

test('a quarter-hour has the same width on each day, also when the clock goes back', () => {
  const x = timeScale(days, 292);
  for (const { day } of days)
    for (let slot = 1; slot <= slotCount(day); slot++)
      assert.equal(
        Math.round(x(slotStart(day, slot) + 900_000) - x(slotStart(day, slot))),
        1,
        `${day} ${slot}`,
      );
  assert.deepEqual(
    [x(dayStart('2026-10-24')), x(dayStart('2026-10-25')), x(dayStart('2026-10-26'))],
    [0, 96, 196],
  );
});

test('zero is a line between delivering and receiving, and at the bottom if all groups deliver', () => {
  const both = valueScale([ribbonDay('2026-10-24', { valuesKwh: [300, -100] })], 100);
  assert.deepEqual([both(300), both(0), both(-100)], [0, 75, 100]);
  const one = valueScale([ribbonDay('2026-10-24', { valuesKwh: [300, 100] })], 100);
  assert.deepEqual([one(300), one(0)], [0, 100]);
  assert.equal(valueScale(days, 100)(0), 0, 'without any value');
});

test('the area has one step per quarter-hour with a saldo, and none where it is not known', () => {
  const day = ribbonDay('2026-10-24', { valuesKwh: [100, 0, -100] });
  const x = (instant: number) => (instant - dayStart('2026-10-24')) / 900_000;
  assert.equal(
    ribbonArea(day, x, (kwh) => -kwh),
    'M0 0V-100H1V0ZM2 0V100H3V0Z',
  );
  assert.equal(
    ribbonArea(ribbonDay('2026-10-24'), x, (kwh) => -kwh),
    '',
  );
});

test('mismatched quarter-hours that follow each other are one stretch', () => {
  const stretches = mismatchedStretches(ribbonDay('2026-10-24', { mismatched: [3, 1, 2, 96] }));
  assert.deepEqual(
    stretches.map(({ from, to }) => [(from - dayStart('2026-10-24')) / 900_000, (to - from) / 900_000]),
    [
      [0, 3],
      [95, 1],
    ],
  );
});

test('the gates within the three days are in order of time', () => {
  const gates = (day: number, after: number): RibbonDay['gates'] => [
    { phase: 'day_ahead', closes_at: `2026-11-${day - 1}T13:30:00Z`, open: true },
    { phase: 'wait', closes_at: `2026-11-${day - 1}T15:00:00Z`, open: true },
    { phase: 'intraday', closes_at: `2026-11-${day}T22:30:00Z`, open: true },
    { phase: 'day_after', closes_at: `2026-11-${after}T15:00:00Z`, open: true },
  ];
  const found = ribbonGates(
    [17, 18, 19].map((day) => ribbonDay(`2026-11-${day}`, { gates: gates(day, day + 1) })),
  );
  assert.deepEqual(
    found.map(({ phase, day }) => `${phase} ${day}`),
    [
      'day_ahead 2026-11-18',
      'wait 2026-11-18',
      'day_ahead 2026-11-19',
      'day_after 2026-11-17',
      'wait 2026-11-19',
      'day_after 2026-11-18',
    ],
    'those of the first day before it and of the last day after it are outside',
  );
});
