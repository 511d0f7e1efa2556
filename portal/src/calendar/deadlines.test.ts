import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryDayCalendar } from '@saldo/api';
import { deadlineOf } from './deadlines.ts';

/** 18 November 2026 in Germany, one hour ahead of UTC. */
const calendar = {
  slots: Array.from({ length: 96 }, (_, at) => ({
    slot_number: at + 1,
    delivery_start: new Date(Date.UTC(2026, 10, 17, 23, 15 * at)).toISOString(),
  })),
  gates: [
    { phase: 'day_ahead', closes_at: '2026-11-17T13:30:00Z' },
    { phase: 'wait', closes_at: '2026-11-17T15:00:00Z' },
    { phase: 'intraday', closes_at: '2026-11-18T22:30:00Z' },
    { phase: 'day_after', closes_at: '2026-11-19T15:00:00Z' },
  ],
} as DeliveryDayCalendar;

const ALL = Array.from({ length: 96 }, (_, at) => at + 1);
/** 10:00 to 14:15, 17 quarter-hours. */
const MIDDAY = ALL.slice(40, 57);

// Local times. The third column is the deadline, then what can still be changed, then the end of the wait phase.
for (const [slots, now, at, changeable, waitsUntil] of [
  [ALL, '17 14:29:59', '17 14:30', 96, null],
  [ALL, '17 14:30:00', '17 23:45', 96, '17 16:00'],
  [ALL, '17 14:31:00', '17 23:45', 96, '17 16:00'],
  [ALL, '17 16:05:00', '17 23:45', 96, null],
  [ALL, '17 23:44:59', '17 23:45', 96, null],
  [ALL, '17 23:50:00', '18 00:00', 95, null],
  [ALL, '18 23:29:59', '18 23:30', 1, null],
  [ALL, '18 23:30:00', '19 16:00', 0, null],
  [ALL, '19 16:00:00', null, null, null],
  [MIDDAY, '17 14:31:00', '18 09:45', 17, '17 16:00'],
  [MIDDAY, '18 09:45:00', '18 10:00', 16, null],
  [MIDDAY, '18 10:07:00', '18 10:15', 15, null],
  [MIDDAY, '18 13:45:00', '19 16:00', 0, null],
] as const)
  test(`a mismatch of ${slots.length} quarter-hours at ${now} is due at ${at}`, () => {
    const instant = (text: string) => Date.parse(`2026-11-${text.replace(' ', 'T')}+01:00`);
    const deadline = deadlineOf(calendar, { slots }, instant(now));
    const expected = at && {
      at: instant(`${at}:00`),
      changeable,
      affected: slots.length,
      waitsUntil: waitsUntil && instant(`${waitsUntil}:00`),
    };
    assert.deepEqual(deadline, expected);
  });

test('an unsent version is due at its own deadline; when that has passed, with the next quarter-hour', () => {
  const closures = ['2026-11-18T09:45:00+01:00', '2026-11-18T12:00:00+01:00'].map((at) => Date.parse(at));
  const at = (time: string) =>
    deadlineOf(calendar, { slots: null, closures }, Date.parse(`2026-11-18T${time}:00+01:00`))?.at;
  assert.equal(at('08:03'), closures[0]);
  assert.equal(at('09:45'), closures[1]);
  assert.equal(at('12:00'), Date.parse('2026-11-18T12:15:00+01:00'));
});
