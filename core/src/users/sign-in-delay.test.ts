import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { forgetTriesMs, judgeTry, NEWCOMER_TRIES, type Subject, type Tries } from './sign-in-delay.ts';

const NOW = Date.parse('2026-10-20T08:00:00Z');
const MINUTE_MS = 60_000;

const judge = (tries: Partial<Record<Subject, Tries>>, now = NOW) =>
  judgeTry(new Map(Object.entries(tries) as [Subject, Tries][]), now);

/** The number of attempts that are admitted within a time, if each is made as early as possible. */
function admittedWithin(subject: Subject, ms: number): number {
  let [count, lastAt, now, admitted] = [0, 0, NOW, 0];
  while (now <= NOW + ms) {
    const verdict = judge({ [subject]: { count, lastAt } }, now);
    if (verdict.kind === 'wait') now += verdict.ms;
    else [count, lastAt, admitted] = [count + 1, now, admitted + 1];
  }
  return admitted;
}

test('no history leads to a delay of more than a minute, whatever the clock shows', () => {
  const tries = fc.record({ count: fc.nat({ max: 2 ** 31 - 1 }), lastAt: fc.integer() });
  const subject = fc.constantFrom<Subject>('device', 'session', 'pair', 'address', 'account');
  fc.assert(
    fc.property(fc.dictionary(subject, tries), fc.integer(), (history, now) => {
      const verdict = judge(history, now);
      assert.ok(verdict.kind === 'admit' || (verdict.ms > 0 && verdict.ms <= MINUTE_MS));
    }),
  );
});

test('the next attempt is admitted once the delay is over', () => {
  const subject = fc.constantFrom<Subject>('device', 'session', 'pair', 'address');
  fc.assert(
    fc.property(subject, fc.nat({ max: 1000 }), (name, count) => {
      const history = { [name]: { count, lastAt: NOW } };
      const verdict = judge(history);
      if (verdict.kind === 'wait') assert.equal(judge(history, NOW + verdict.ms).kind, 'admit');
    }),
  );
});

test('the delay grows with every attempt and never shrinks', () => {
  let before = -1;
  for (let count = 0; count < 50; count++) {
    const verdict = judge({ pair: { count, lastAt: NOW } });
    const ms = verdict.kind === 'wait' ? verdict.ms : 0;
    assert.ok(
      ms >= before && ms >= Math.min(MINUTE_MS, count >= 5 ? 1000 * 2 ** (count - 5) : 0),
      String(count),
    );
    before = ms;
  }
});

test('an address has fewer than a hundred attempts per account and hour, and so has a device', () => {
  const HOUR_MS = 60 * MINUTE_MS;
  for (const subject of ['pair', 'device', 'session'] as const) {
    const admitted = admittedWithin(subject, HOUR_MS);
    assert.ok(admitted > 30 && admitted < 100, `${subject}: ${admitted}`);
  }
  assert.ok(admittedWithin('address', HOUR_MS) < 200);
});

test('under attack a new address is delayed before its first attempt, and admitted after the delay', () => {
  const attacked = { account: { count: 20, lastAt: NOW }, address: { count: 0, lastAt: 0 } };
  const first = judge({ ...attacked, pair: { count: 0, lastAt: 0 } });
  assert.deepEqual(first, { kind: 'wait', ms: 32_000, isNewcomer: true });
  const waiting = { ...attacked, pair: { count: NEWCOMER_TRIES, lastAt: NOW } };
  assert.deepEqual(judge(waiting, NOW + 31_999), { kind: 'wait', ms: 1, isNewcomer: false });
  assert.deepEqual(judge(waiting, NOW + 32_000), { kind: 'admit' });
  const calm = { ...attacked, account: { count: 19, lastAt: NOW }, pair: { count: 0, lastAt: 0 } };
  assert.deepEqual(judge(calm), { kind: 'admit' });
});

test('with a known password there are about a hundred attempts at the second factor per day', () => {
  const DAY_MS = 24 * 60 * MINUTE_MS;
  assert.ok(admittedWithin('code', DAY_MS) < 120);
  assert.ok(admittedWithin('code', 0) === 10, 'mistakes of the owner are not delayed');
  // Waiting until the tries are forgotten gives fewer attempts than using each one.
  assert.ok(forgetTriesMs('code') >= DAY_MS);
});
