import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, dayEnd, dayOf, dayStart, SLOT_MS, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import fc from 'fast-check';
import {
  deliveryRange,
  FIRST_DAY,
  instantOf,
  LAST_DAY,
  slotsWithin,
  startOf,
  touchedDays,
  wholeDays,
} from './time-filter.ts';

const EVERYTHING = { start: dayStart(FIRST_DAY), end: dayEnd(LAST_DAY) };
const at = (text: string) => Date.parse(text);

test('a date-time means the same instant in every offset', () => {
  assert.equal(instantOf('2026-10-24T22:00:00Z'), at('2026-10-24T22:00:00Z'));
  assert.equal(instantOf('2026-10-25T00:00:00+02:00'), at('2026-10-24T22:00:00Z'));
  assert.equal(instantOf('2026-10-24T18:30:00-03:30'), at('2026-10-24T22:00:00Z'));
  assert.equal(instantOf(undefined), null);
});

test('a start finer than a millisecond is rounded up, since nothing begins in between', () => {
  const second = at('2026-10-24T22:00:00Z');
  for (const fraction of ['.0000001', '.000001', '.0009', '.000999999']) {
    assert.equal(startOf(`2026-10-24T22:00:00${fraction}Z`), second + 1, fraction);
    assert.equal(instantOf(`2026-10-24T22:00:00${fraction}Z`), second, fraction);
  }
  for (const fraction of ['', '.0', '.000', '.000000', '.000000000']) {
    assert.equal(startOf(`2026-10-24T22:00:00${fraction}Z`), second, fraction);
  }
  assert.equal(startOf('2026-10-24T22:00:00.1230Z'), second + 123);
  assert.equal(startOf(undefined), null);
  assert.deepEqual(
    deliveryRange({
      delivery_start: '2026-10-24T22:00:00.0005Z',
      delivery_end: '2026-10-24T22:15:00.0005Z',
    }),
    { start: second + 1, end: second + 900_000 },
  );
});

test('the first and the last valid instants stay within the dates of Postgres', () => {
  for (const text of ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59']) {
    assert.equal(instantOf(text), EVERYTHING.start, text);
  }
  for (const text of ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59.9999Z']) {
    assert.equal(instantOf(text), EVERYTHING.end - 1, text);
    assert.ok((startOf(text) ?? 0) <= EVERYTHING.end, text);
  }
});

test('without filters the range is everything', () => {
  assert.deepEqual(deliveryRange({}), EVERYTHING);
  assert.deepEqual(touchedDays(EVERYTHING), { first: FIRST_DAY, last: LAST_DAY });
  assert.deepEqual(wholeDays(EVERYTHING), { first: FIRST_DAY, last: LAST_DAY });
});

test('a delivery day is the range from local midnight to local midnight', () => {
  assert.deepEqual(deliveryRange({ delivery_date: '2026-10-25' }), {
    start: at('2026-10-24T22:00:00Z'),
    end: at('2026-10-25T23:00:00Z'),
  });
  assert.deepEqual(deliveryRange({ delivery_date: '2026-03-29' }), {
    start: at('2026-03-28T23:00:00Z'),
    end: at('2026-03-29T22:00:00Z'),
  });
});

test('all filters given apply together', () => {
  const query = { delivery_start: '2026-10-25T10:00:00Z', delivery_end: '2026-10-26T10:00:00Z' };
  assert.deepEqual(deliveryRange({ ...query, delivery_date: '2026-10-25' }), {
    start: at('2026-10-25T10:00:00Z'),
    end: at('2026-10-25T23:00:00Z'),
  });
  assert.deepEqual(deliveryRange({ ...query, delivery_date: '2026-10-26' }), {
    start: at('2026-10-25T23:00:00Z'),
    end: at('2026-10-26T10:00:00Z'),
  });
  const none = deliveryRange({ ...query, delivery_date: '2026-10-28' });
  assert.ok(none.start > none.end);
});

test('days outside of the valid range give an empty range, not an error', () => {
  for (const delivery_date of ['0001-01-01', '9999-12-31']) {
    const range = deliveryRange({ delivery_date });
    assert.equal(range.start, range.end);
    const { first, last } = touchedDays(range);
    assert.ok(first > last, `${first} to ${last}`);
  }
});

const anyDay = fc.integer({ min: 0, max: 3_000 }).map((days) => addDays('2024-01-01', days));
/** Times around the clock changes and at random. */
const tellingDay = fc.oneof(anyDay, fc.constantFrom('2026-03-29', '2026-10-25', '2025-03-30', '2027-10-31'));
const anyRange = fc
  .record({
    day: tellingDay,
    from: fc.integer({ min: -30 * 60, max: 30 * 60 }),
    minutes: fc.integer({ min: 0, max: 4 * 24 * 60 }),
    isAligned: fc.boolean(),
  })
  .map(({ day, from, minutes, isAligned }) => {
    const unit = isAligned ? SLOT_MS : 1;
    const aligned = (instant: number) => Math.floor(instant / unit) * unit;
    const start = aligned(dayStart(day) + from * 60_000);
    return { day, range: { start, end: aligned(start + minutes * 60_000) } };
  });

test('a slot is in a range when all of it is', () => {
  fc.assert(
    fc.property(anyRange, ({ day, range }) => {
      const { from, to } = slotsWithin(day, range);
      for (let slot = 1; slot <= slotCount(day); slot++) {
        const start = slotStart(day, slot);
        const isWithin = start >= range.start && start + SLOT_MS <= range.end;
        assert.equal(slot >= from && slot <= to, isWithin, `slot ${slot} of ${from}..${to}`);
      }
      assert.ok(from >= 1 && to <= slotCount(day));
    }),
  );
});

test('the days that a range touches are those that have an instant in it', () => {
  fc.assert(
    fc.property(anyRange, ({ range }) => {
      fc.pre(range.start < range.end);
      const { first, last } = touchedDays(range);
      assert.ok(dayStart(first) <= range.start && range.start < dayEnd(first));
      assert.ok(dayStart(last) < range.end && range.end <= dayEnd(last));
    }),
  );
});

test('the whole days of a range are those that begin and end in it', () => {
  fc.assert(
    fc.property(anyRange, ({ range }) => {
      const { first, last } = wholeDays(range);
      for (
        let day = addDays(dayOf(range.start), -1);
        day <= addDays(dayOf(range.end), 1);
        day = addDays(day, 1)
      ) {
        const isWithin = dayStart(day) >= range.start && dayEnd(day) <= range.end;
        assert.equal(day >= first && day <= last, isWithin, `${day} of ${first}..${last}`);
      }
    }),
  );
});
