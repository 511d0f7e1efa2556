import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BoardArea, type ExchangeBoard, operatorEndpoints } from '@saldo/api';
import { calendarOf } from '../calendar/deadlines.ts';
import { deadlineOfArea, noticedGates, problemOf, signalBetween } from './board-cells.ts';

const board = operatorEndpoints.getExchangeBoard.example.response as ExchangeBoard;
const [day] = board.days;
assert.ok(day?.areas[0]);
const quiet: BoardArea = {
  ...day.areas[0],
  unsent: 0,
  mismatched: 0,
  mismatched_slots: [],
  gate_closure: null,
};
const schedule = { message_id: 'msg_1', version: 2, sent_at: null };

test('a rejected schedule is more urgent than a mismatch, and that than an unsent nomination', () => {
  const unsent = { ...quiet, unsent: 1 };
  const mismatched = { ...unsent, mismatched: 1 };
  assert.equal(problemOf(quiet), null);
  assert.equal(problemOf(unsent), 'unsent');
  assert.equal(problemOf(mismatched), 'mismatch');
  assert.equal(problemOf({ ...mismatched, schedule: { ...schedule, state: 'rejected' } }), 'rejected');
});

// 15 January 2026; slot 61 begins at 15:00 in Germany.
const at = (time: string) => Date.parse(`2026-01-15T${time}:00+01:00`);
const deadline = (area: BoardArea, now: number) =>
  deadlineOfArea(calendarOf(day.delivery_date, day.gates), area, now)?.at;

test('a mismatch is due 15 minutes before its first quarter-hour that is still open', () => {
  const area = { ...quiet, mismatched: 1, mismatched_slots: [61, 62] };
  assert.equal(deadline(area, at('14:00')), at('14:45'));
  assert.equal(deadline(area, at('14:45')), at('15:00'));
  assert.equal(deadline(area, at('15:00')), Date.parse('2026-01-16T15:00:00Z'), 'the day-after gate');
  assert.equal(deadline(quiet, at('14:00')), undefined);
});

test('unsent nominations are due at their own gate', () => {
  assert.equal(
    deadline({ ...quiet, unsent: 2, gate_closure: '2026-01-15T14:45:00Z' }, at('14:00')),
    at('15:45'),
  );
});

test('the control room notices day-ahead and day-after gates, and the gates of what is not sent', () => {
  const late = { ...quiet, unsent: 1, gate_closure: '2026-01-15T10:00:00Z' };
  assert.deepEqual(
    noticedGates({ ...board, days: [{ ...day, areas: [late, late] }] }).map((gate) =>
      new Date(gate).toISOString(),
    ),
    ['2026-01-14T13:30:00.000Z', '2026-01-15T10:00:00.000Z', '2026-01-16T15:00:00.000Z'],
  );
});

test('a signal comes 15 minutes before a gate and at the gate, once each', () => {
  const gate = at('14:30');
  const signals = [];
  for (let now = at('14:00'); now < at('15:00'); now += 1000) {
    const signal = signalBetween(now - 1000, now, [gate]);
    if (signal) signals.push([signal.kind, signal.gate, now]);
  }
  assert.deepEqual(signals, [
    ['soon', gate, at('14:15')],
    ['closed', gate, gate],
  ]);
});

test('signals are not repeated after a machine has slept; a closing gate is more important than a coming one', () => {
  const gate = at('14:30');
  assert.equal(signalBetween(at('10:00'), at('16:00'), [gate]), null);
  assert.deepEqual(signalBetween(gate - 5000, gate + 5000, [gate, gate + 15 * 60_000]), {
    kind: 'closed',
    gate,
  });
});
