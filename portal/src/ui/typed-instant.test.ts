import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLocal, wholeMinute } from './typed-instant.ts';

const at = (day: string, time: string) => {
  const instant = parseLocal(day, time);
  return instant === null ? null : new Date(instant).toISOString();
};

test('a day and a time in Germany are an instant, on days of 23 and 25 hours too', () => {
  assert.equal(at('2026-11-17', '14:25'), '2026-11-17T13:25:00.000Z');
  assert.equal(at('2026-07-01', '0:05'), '2026-06-30T22:05:00.000Z');
  assert.equal(at('2026-03-29', '03:00'), '2026-03-29T01:00:00.000Z');
  assert.equal(at('2026-10-25', '02:30'), '2026-10-25T00:30:00.000Z', 'the first of both');
  assert.equal(at('2026-10-25', '12:00'), '2026-10-25T11:00:00.000Z');
});

test('texts that are no day or time are no instant', () => {
  for (const [day, time] of [
    ['2026-11-17', '24:00'],
    ['2026-11-17', '14'],
    ['2026-11-17', ''],
    ['', '14:25'],
    ['2026-02-30', '14:25'],
  ] as const)
    assert.equal(parseLocal(day, time), null, `${day} ${time}`);
  assert.equal(
    new Date(wholeMinute(Date.parse('2026-11-17T13:25:59.999Z'))).toISOString(),
    '2026-11-17T13:25:00.000Z',
  );
});
