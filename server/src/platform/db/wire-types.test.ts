import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseArray, parseTimestamp, timestamp, timestampOrNull } from './wire-types.ts';

const arrayText = (values: readonly (number | null)[]) =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;

test('an array column is read as Postgres writes it', () => {
  assert.deepEqual(parseArray('{}'), []);
  assert.deepEqual(parseArray('{0}'), [0]);
  assert.deepEqual(parseArray('{NULL}'), [null]);
  assert.deepEqual(parseArray('{12,NULL,-3}'), [12, null, -3]);
  assert.deepEqual(parseArray('{NULL,NULL,7}'), [null, null, 7]);
  assert.deepEqual(parseArray('{-2147483648,2147483647}'), [-2_147_483_648, 2_147_483_647]);
});

test('an array column holds any numbers and nulls, up to the largest exact one', () => {
  const value = fc.option(fc.oneof(fc.integer(), fc.maxSafeInteger()), { nil: null });
  fc.assert(
    fc.property(fc.array(value, { maxLength: 100 }), (values) => {
      const plain = values.map((one) => (one === 0 ? 0 : one));
      assert.deepEqual(parseArray(arrayText(plain)), plain);
    }),
  );
});

test('a timestamp column is read to the millisecond, finer digits are cut off', () => {
  assert.equal(parseTimestamp('2026-01-15 14:00:00+00'), Date.UTC(2026, 0, 15, 14));
  assert.equal(parseTimestamp('2026-01-15 14:00:00.5+00'), Date.UTC(2026, 0, 15, 14, 0, 0, 500));
  assert.equal(parseTimestamp('2026-01-15 14:00:00.05+00'), Date.UTC(2026, 0, 15, 14, 0, 0, 50));
  assert.equal(parseTimestamp('2026-01-15 14:00:00.123456+00'), Date.UTC(2026, 0, 15, 14, 0, 0, 123));
  assert.equal(parseTimestamp('2026-01-15 14:00:00.000999+00'), Date.UTC(2026, 0, 15, 14));
  assert.equal(parseTimestamp('2024-02-29 23:59:59.999+00'), Date.UTC(2024, 1, 29, 23, 59, 59, 999));
});

test('every instant is read back unchanged', () => {
  const instant = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, (date) => {
      const [day = '', time = '', fraction = ''] = date.toISOString().split(/[TZ.]/);
      // Postgres omits trailing zeros of a fraction, and a fraction of zero.
      const digits = fraction.replace(/0+$/, '');
      const column = `${day} ${time}${digits === '' ? '' : `.${digits}`}+00`;
      assert.equal(parseTimestamp(column), date.getTime());
    }),
  );
});

test('an instant is sent to Postgres in UTC, and a missing one as null', () => {
  assert.equal(timestamp(Date.UTC(2026, 9, 24, 22)), '2026-10-24T22:00:00.000Z');
  assert.equal(timestampOrNull(Date.UTC(2026, 9, 24, 22)), '2026-10-24T22:00:00.000Z');
  assert.equal(timestampOrNull(null), null);
});
