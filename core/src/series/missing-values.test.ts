import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, dayStart, isWeekend } from '../delivery-day.ts';
import { isHoliday } from '../holidays.ts';
import { inForce } from '../market-rules.ts';
import { BUILT_IN_RULES } from '../market-rules-file.ts';
import { forecastWatch, lastMeterDay, missingSlots } from './missing-values.ts';

const at = (text: string) => Date.parse(text);
const MINUTE = 60_000;

test('the forecast of tomorrow is missing from 12:00 German time on, and critical from 14:00 on', () => {
  assert.equal(forecastWatch(at('2026-11-17T10:59:59Z')), null);
  assert.deepEqual(forecastWatch(at('2026-11-17T11:00Z')), { day: '2026-11-18', severity: 'warning' });
  assert.deepEqual(forecastWatch(at('2026-11-17T12:59:59Z')), { day: '2026-11-18', severity: 'warning' });
  assert.deepEqual(forecastWatch(at('2026-11-17T13:00Z')), { day: '2026-11-18', severity: 'critical' });
  assert.deepEqual(forecastWatch(at('2026-11-17T22:59:59Z')), { day: '2026-11-18', severity: 'critical' });
  assert.equal(forecastWatch(at('2026-11-17T23:00Z')), null);
});

test('on days with a clock change noon is local noon', () => {
  for (const [noon, next] of [
    ['2026-03-29T10:00Z', '2026-03-30'],
    ['2026-10-25T11:00Z', '2026-10-26'],
  ] as const) {
    assert.equal(forecastWatch(at(noon) - 1), null);
    assert.deepEqual(forecastWatch(at(noon)), { day: next, severity: 'warning' });
  }
});

test('a meter is missing from 00:00 of the second working day after delivery on', () => {
  const changesAt = (day: string, before: string, after: string) => {
    assert.equal(lastMeterDay(dayStart(day) - MINUTE, BUILT_IN_RULES), before, day);
    assert.equal(lastMeterDay(dayStart(day), BUILT_IN_RULES), after, day);
  };
  // Deliveries of Friday, Saturday and Sunday are due on Tuesday, that of Monday on Wednesday.
  changesAt('2026-11-10', '2026-11-05', '2026-11-08');
  changesAt('2026-11-11', '2026-11-08', '2026-11-09');
  // 18 November 2026 is a holiday in Saxony.
  changesAt('2026-11-19', '2026-11-15', '2026-11-16');
  // 24 to 27 December 2026 are holidays or a weekend: the 23rd is due when two working days have begun, on the 29th.
  changesAt('2026-12-29', '2026-12-22', '2026-12-27');
});

test('every delivery day is due when exactly its second working day begins', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2000 }), (days) => {
      const delivery = addDays('2024-01-01', days);
      let day = delivery;
      for (let working = 0; working < 2; ) {
        day = addDays(day, 1);
        if (!isWeekend(day) && !isHoliday(day, inForce(BUILT_IN_RULES.holidays, day))) working++;
      }
      assert.ok(lastMeterDay(dayStart(day), BUILT_IN_RULES) >= delivery);
      assert.ok(lastMeterDay(dayStart(day) - 1, BUILT_IN_RULES) < delivery);
    }),
  );
});

test('slots without a value are missing, slots with 0 Wh are not', () => {
  assert.deepEqual(missingSlots([0, null, 5, null]), [2, 4]);
});
