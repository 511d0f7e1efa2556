import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, formatInstant, localInstant } from '../delivery-day.ts';
import { gatesOf } from '../gates.ts';
import { BUILT_IN_RULES } from '../market-rules-file.ts';
import { isTooSoon, sendingPhase } from './sending.ts';

const phaseAt = (day: string, instant: string) =>
  sendingPhase(day, BUILT_IN_RULES, 'hold', Date.parse(instant)).phase;

test('a day is gathering, open, waiting and open again at the gates of the market', () => {
  const phases = [
    ['2026-10-21T11:59:59.999Z', 'gathering'],
    ['2026-10-21T12:00:00Z', 'open'],
    ['2026-10-21T12:29:59.999Z', 'open'],
    ['2026-10-21T12:30:00Z', 'waiting'],
    ['2026-10-21T13:59:59.999Z', 'waiting'],
    ['2026-10-21T14:00:00Z', 'open'],
    ['2026-10-23T13:59:59.999Z', 'open'],
    ['2026-10-23T14:00:00Z', 'closed'],
  ] as const;
  for (const [instant, phase] of phases) assert.equal(phaseAt('2026-10-22', instant), phase, instant);
  // In winter the same wall times are an hour later.
  assert.equal(phaseAt('2026-11-17', '2026-11-16T13:00:00Z'), 'open');
  assert.equal(phaseAt('2026-11-17', '2026-11-16T13:30:00Z'), 'waiting');
});

test('a TSO that takes changes in the wait phase is open from the day-ahead lead to the last gate', () => {
  fc.assert(
    fc.property(fc.integer({ min: -72 * 60, max: 24 * 60 }), (minutes) => {
      const now = gatesOf('2026-10-22', BUILT_IN_RULES).dayAhead + minutes * 60_000;
      const [held, sent] = (['hold', 'send'] as const).map((wait) =>
        sendingPhase('2026-10-22', BUILT_IN_RULES, wait, now),
      );
      if (held?.phase === 'waiting') assert.deepEqual(sent, { phase: 'open' });
      else assert.deepEqual(sent, held);
    }),
  );
});

test('the day after tomorrow can be sent at any time of day, tomorrow not while the TSOs wait', () => {
  const waiting: string[] = [];
  for (let minute = 0; minute < 24 * 60; minute++) {
    const now = localInstant('2026-10-23', minute);
    const phaseOf = (day: string) => sendingPhase(day, BUILT_IN_RULES, 'hold', now).phase;
    assert.equal(phaseOf('2026-10-25'), 'gathering');
    if (phaseOf('2026-10-24') === 'waiting') waiting.push(formatInstant(now));
  }
  assert.deepEqual(
    [waiting.length, waiting[0], waiting.at(-1)],
    [90, '2026-10-23T12:30:00Z', '2026-10-23T13:59:00Z'],
  );
});

test('a phase opens at its opensAt', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 800 }), fc.integer({ min: -72, max: 24 }), (days, hours) => {
      const day = addDays('2026-01-01', days);
      const now = gatesOf(day, BUILT_IN_RULES).dayAhead + hours * 3_600_000;
      const sending = sendingPhase(day, BUILT_IN_RULES, 'hold', now);
      if (!('opensAt' in sending)) return;
      assert.ok(sending.opensAt > now);
      assert.equal(sendingPhase(day, BUILT_IN_RULES, 'hold', sending.opensAt).phase, 'open');
    }),
  );
});

test('the first change is sent immediately, later ones together, and none misses its gate', () => {
  const made = Date.parse('2026-10-22T08:00:00Z');
  const minutes = (count: number) => made + count * 60_000;
  assert.equal(isTooSoon(null, null, made), false);
  assert.equal(isTooSoon(made, minutes(60), minutes(1)), true);
  assert.equal(isTooSoon(made, null, minutes(1)), true);
  assert.equal(isTooSoon(made, minutes(60), minutes(5)), false);
  assert.equal(isTooSoon(made, minutes(4), minutes(1)), false);
  assert.equal(isTooSoon(made, minutes(5), minutes(1)), false, 'a gate is closed at its deadline');
  assert.equal(isTooSoon(made, minutes(60), minutes(-1)), false, 'a clock that was moved back');
});
