import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { formatFixed } from '../decimal.ts';
import { dayEnd, dayStart, localHours, SLOT_MS, slotAt, slotCount } from '../delivery-day.ts';
import { RESOLUTIONS, type Resolution, VALUE_UNITS, type ValueUnit } from '../enums.ts';
import { MAX_SLOT_WH, placeValue, whFromJson, whFromText } from './value.ts';

const anyUnit = fc.constantFrom(...VALUE_UNITS);
const anyResolution = fc.constantFrom(...RESOLUTIONS);
const decimalsOf = (unit: ValueUnit) => (unit.endsWith('mwh') || unit.endsWith('mw') ? 6 : 3);

/** The exact energy of `digits` with six decimals, in millionths of Wh times four. */
function exactQuarterParts(digits: bigint, unit: ValueUnit, resolution: Resolution): bigint {
  const perThousand = unit.endsWith('mwh') || unit.endsWith('mw') ? 1_000_000n : 1000n;
  const isPower = unit.startsWith('power');
  return digits * perThousand * (isPower && resolution === 'PT15M' ? 1n : 4n);
}

test('text and number have the exact energy in whole Wh, or a fault that says why not', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: 0, max: 10 ** 9 }), fc.integer({ min: 0, max: 2 ** 45 })),
      fc.nat({ max: 6 }),
      anyUnit,
      anyResolution,
      (number, zeros, unit, resolution) => {
        const digits = number - (number % 10 ** zeros);
        const text = formatFixed(digits, 6);
        const parts = exactQuarterParts(BigInt(digits), unit, resolution);
        const max = BigInt(MAX_SLOT_WH) * (resolution === 'PT15M' ? 1n : 4n);
        const isWhole = parts % 4_000_000n === 0n;
        const wh = whFromText(text, unit, resolution);
        if (isWhole && parts / 4_000_000n <= max) assert.equal(wh, Number(parts / 4_000_000n));
        else if (isWhole) assert.deepEqual(wh, { key: 'series.too_large', maxWh: Number(max) });
        else assert.ok(typeof wh !== 'number', `${text} ${unit}`);
        const fromJson = whFromJson(Number(text), unit, resolution);
        if (typeof wh === 'number') assert.equal(fromJson, wh);
        else assert.equal(typeof fromJson, 'object');
      },
    ),
    { numRuns: runs(5000) },
  );
});

test('each fault has its own key, in text and in JSON', () => {
  for (const unit of VALUE_UNITS) {
    for (const text of ['', '-', '.5', '5.', '1,5', '+1', '1e3', ' 1', 'NaN']) {
      assert.deepEqual(whFromText(text, unit), { key: 'series.not_a_number' }, text);
    }
    for (const value of ['1.5', null, true, undefined]) {
      assert.deepEqual(whFromJson(value, unit), { key: 'series.not_a_number' });
    }
    assert.deepEqual(whFromText('-0.001', unit), { key: 'series.negative' });
    assert.deepEqual(whFromText('-99999999999999999999', unit), { key: 'series.negative' });
    assert.deepEqual(whFromJson(-0.5, unit), { key: 'series.negative' });
    assert.equal(whFromText('-0.0', unit), 0);
    assert.ok(Object.is(whFromJson(-0, unit), 0));
    const smallest = 1 / 10 ** decimalsOf(unit);
    assert.deepEqual(whFromJson(smallest / 10, unit), { key: 'series.no_whole_wh' });
    for (const value of [1e12, 1e300]) {
      assert.deepEqual(whFromJson(value, unit), { key: 'series.too_large', maxWh: MAX_SLOT_WH });
    }
    assert.deepEqual(whFromText('9'.repeat(400), unit), { key: 'series.too_large', maxWh: MAX_SLOT_WH });
  }
  // A power of 1 W is a quarter of a Wh within a quarter-hour, and a whole one within an hour.
  assert.deepEqual(whFromText('0.001', 'power_kw'), { key: 'series.no_whole_wh' });
  assert.equal(whFromText('0.004', 'power_kw'), 1);
  assert.equal(whFromText('0.001', 'power_kw', 'PT60M'), 1);
  assert.equal(whFromText('2147483.6470', 'energy_kwh'), MAX_SLOT_WH);
});

test('the quarter-hours of an hour sum to the hour and differ by at most 1 Wh', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat({ max: 100 }), fc.integer({ min: 0, max: 4 * MAX_SLOT_WH })), (wh) => {
      const placed = placeValue(0, 'PT60M', wh);
      assert.ok('wh' in placed);
      assert.equal(placed.wh.length, 4);
      assert.equal(
        placed.wh.reduce((sum, part) => sum + part, 0),
        wh,
      );
      assert.ok(Math.max(...placed.wh) - Math.min(...placed.wh) <= 1);
      assert.ok(Math.max(...placed.wh) <= MAX_SLOT_WH);
    }),
    { numRuns: runs(2000) },
  );
  assert.deepEqual(placeValue(0, 'PT60M', 10), { ...slotAt(0), wh: [3, 2, 3, 2] });
});

test('hours fill every slot of a day once, in the order of instants, with 92, 96 and 100 slots', () => {
  for (const [day, slots] of [
    ['2026-03-29', 92],
    ['2026-06-01', 96],
    ['2026-10-25', 100],
  ] as const) {
    const filled: number[] = [];
    for (let start = dayStart(day); start < dayEnd(day); start += 4 * SLOT_MS) {
      const placed = placeValue(start, 'PT60M', 4000);
      assert.ok('wh' in placed);
      assert.equal(placed.day, day);
      filled.push(...placed.wh.map((_, at) => placed.slot + at));
      assert.equal(new Set(filled.slice(-4).map((slot) => localHours(day)[slot - 1])).size, 1);
    }
    assert.deepEqual(
      filled,
      Array.from({ length: slots }, (_, at) => at + 1),
    );
    assert.equal(slotCount(day), slots);
  }
  // Both hours from 02:00 of the day with 25 hours.
  const first = Date.parse('2026-10-25T00:00Z');
  assert.deepEqual(placeValue(first, 'PT60M', 4), { day: '2026-10-25', slot: 9, wh: [1, 1, 1, 1] });
  assert.deepEqual(placeValue(first + 4 * SLOT_MS, 'PT60M', 8), {
    day: '2026-10-25',
    slot: 13,
    wh: [2, 2, 2, 2],
  });
});

test('an interval starts with a quarter-hour, an hour with a full hour', () => {
  const start = Date.parse('2026-11-16T23:15Z');
  assert.deepEqual(placeValue(start, 'PT15M', 5), { ...slotAt(start), wh: [5] });
  assert.deepEqual(placeValue(start, 'PT60M', 5), { key: 'series.interval_start', resolution: 'PT60M' });
  assert.deepEqual(placeValue(start + 60_000, 'PT15M', 5), {
    key: 'series.interval_start',
    resolution: 'PT15M',
  });
});

test('an instant outside of the calendar has no slot', () => {
  const last = Date.parse('9999-12-31T22:45Z');
  assert.deepEqual(placeValue(last, 'PT15M', 1), { day: '9999-12-31', slot: 96, wh: [1] });
  assert.deepEqual(placeValue(last + SLOT_MS, 'PT15M', 1), { key: 'series.year' });
  assert.deepEqual(placeValue(dayStart('0001-01-01'), 'PT15M', 1), { day: '0001-01-01', slot: 1, wh: [1] });
  assert.deepEqual(placeValue(dayStart('0001-01-01') - SLOT_MS, 'PT15M', 1), { key: 'series.year' });
});
