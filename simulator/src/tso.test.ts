import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, applyAnswer } from '@saldo/core/exchange/answer.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import { buildSchedules } from '@saldo/core/exchange/schedule.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { BehaviourError, readBehaviour } from './behaviour.ts';
import { answersTo, answerTimes, type Behaviour, CONFORMING } from './tso.ts';

const OPERATOR = '11XSALDO-------Z';
const [PRODUCER, CONSUMER] = ['11XNORDWIND----J', '11XRHEINSTROM--O'];
const DAY = '2026-10-22';

function scheduleOf(kwh: readonly number[]): Schedule {
  const [entry] = buildSchedules({
    operatorEic: OPERATOR,
    day: DAY,
    rules: BUILT_IN_RULES,
    positions: [
      { eic: PRODUCER, tso: 'DE_TENNET', outKwh: kwh, inKwh: null },
      { eic: CONSUMER, tso: 'DE_TENNET', outKwh: null, inKwh: kwh },
    ],
    previous: [],
    closedSlots: 0,
  });
  assert.ok(entry?.kind === 'schedule');
  return entry.schedule;
}

const flat = (value: number) => Array.from({ length: 96 }, () => value);
const decide = (answer: Answer | null, schedule: Schedule) => {
  assert.ok(answer);
  const { operatorEic, version: newestVersion } = schedule;
  const unanswered = { replacedBy: null, isFinal: false, acknowledgedAt: null, confirmedAt: null };
  const reception = { operatorEic, isFromTso: true, isRepeated: false };
  return applyAnswer(answer, reception, { schedule, newestVersion, ...unanswered });
};

test('the smaller value of both sides is confirmed', () => {
  const slots = fc.uniqueArray(fc.integer({ min: 1, max: 96 }), { maxLength: 96 });
  const kwh = fc.array(fc.nat(5000), { minLength: 96, maxLength: 96 });
  fc.assert(
    fc.property(kwh, slots, fc.integer({ min: -30_000, max: 30_000 }), (amounts, where, differenceKw) => {
      const schedule = scheduleOf(amounts);
      const deviations = [{ eic: CONSUMER, tso: null, day: null, slots: where, differenceKw }];
      const { intermediate, final } = answersTo(schedule, { ...CONFORMING, deviations }, 0);
      for (const [answer, isFinal] of [
        [intermediate, false],
        [final, true],
      ] as const) {
        const decision = decide(answer, schedule);
        assert.ok(decision.kind === 'confirmed' && decision.isFinal === isFinal);
        for (const { series, matchedKw } of decision.matched) {
          const deviates = series.inParty === CONSUMER;
          const expected = series.powersKw.map((kw, at) =>
            deviates && where.includes(at + 1) ? Math.min(kw, Math.max(0, kw + differenceKw)) : kw,
          );
          assert.deepEqual(matchedKw, expected);
        }
      }
    }),
    { numRuns: runs(50) },
  );
});

test('an anomaly report has both sides’ values, and exists only for a difference', () => {
  const schedule = scheduleOf(flat(250));
  assert.equal(answersTo(schedule, CONFORMING, 0).anomaly, null);
  const deviations = [{ eic: PRODUCER, tso: 'DE_TENNET' as const, day: DAY, slots: [96], differenceKw: 5 }];
  const decision = decide(answersTo(schedule, { ...CONFORMING, deviations }, 0).anomaly, schedule);
  assert.ok(decision.kind === 'anomaly');
  assert.deepEqual(
    decision.mismatches.map(({ outParty, oursKw, theirsKw }) => [outParty, oursKw?.at(-1), theirsKw?.at(-1)]),
    [[PRODUCER, 1000, 1005]],
  );
});

test('answers come at the times of a TSO', () => {
  const schedule = scheduleOf(flat(250));
  const at = (text: string) => Date.parse(text);
  const cases: [receivedAt: string, intermediateAt: string, finalAt: string][] = [
    ['2026-10-20T08:00:00Z', '2026-10-21T12:30:00Z', '2026-10-23T14:00:00Z'],
    ['2026-10-21T12:30:00Z', '2026-10-21T14:00:00Z', '2026-10-23T14:00:00Z'],
    ['2026-10-21T13:59:59Z', '2026-10-21T14:00:00Z', '2026-10-23T14:00:00Z'],
    ['2026-10-22T09:00:00Z', '2026-10-22T09:00:00Z', '2026-10-23T14:00:00Z'],
    ['2026-10-23T16:00:00Z', '2026-10-23T16:00:00Z', '2026-10-23T16:00:00Z'],
  ];
  for (const [receivedAt, intermediateAt, finalAt] of cases) {
    const times = answerTimes(schedule, at(receivedAt), BUILT_IN_RULES);
    assert.deepEqual(
      times,
      { acknowledgedAt: at(receivedAt), intermediateAt: at(intermediateAt), finalAt: at(finalAt) },
      receivedAt,
    );
    const { acknowledgement, intermediate, final } = answersTo(schedule, CONFORMING, times);
    assert.deepEqual(
      [acknowledgement.createdAt, intermediate?.createdAt, final?.createdAt],
      Object.values(times),
    );
  }
});

test('behaviour set for another day or TSO does not apply', () => {
  const schedule = scheduleOf(flat(250));
  const elsewhere: Behaviour = {
    deviations: [{ eic: PRODUCER, tso: 'DE_AMPRION', day: null, slots: null, differenceKw: -1 }],
    missing: [{ eic: CONSUMER, tso: null, day: '2026-10-23' }],
    rejections: [
      { tso: 'DE_50HERTZ', day: null },
      { tso: 'DE_TENNET', day: '2026-10-23' },
    ],
  };
  assert.deepEqual(answersTo(schedule, elsewhere, 0), answersTo(schedule, CONFORMING, 0));
});

test('a schedule that does not net to zero is rejected, as by a real TSO', () => {
  const schedule = scheduleOf(flat(250));
  const [first, ...rest] = schedule.series;
  assert.ok(first);
  const unbalanced = { ...schedule, series: [{ ...first, powersKw: flat(1001) }, ...rest] };
  const { acknowledgement, final } = answersTo(unbalanced, CONFORMING, 0);
  assert.deepEqual([acknowledgement.outcome, final], ['rejected', null]);
  assert.ok(acknowledgement.reasons.some(({ code }) => code === 'A54'));
});

test('simulator settings are accepted, or rejected with the reason', () => {
  const texts = { deviate: [], missing: [], reject: [], day: null };
  assert.deepEqual(
    readBehaviour({
      deviate: [`${CONSUMER}@DE_TENNET:45-47,61:-50`, `${PRODUCER}:all:+8`],
      missing: [PRODUCER],
      reject: ['DE_AMPRION'],
      day: DAY,
    }),
    {
      deviations: [
        { eic: CONSUMER, tso: 'DE_TENNET', day: DAY, slots: [45, 46, 47, 61], differenceKw: -50 },
        { eic: PRODUCER, tso: null, day: DAY, slots: null, differenceKw: 8 },
      ],
      missing: [{ eic: PRODUCER, tso: null, day: DAY }],
      rejections: [{ tso: 'DE_AMPRION', day: DAY }],
    },
  );
  for (const wrong of [
    { deviate: [CONSUMER] },
    { deviate: [`${CONSUMER}:0-4:-50`] },
    { deviate: [`${CONSUMER}:9-4:-50`] },
    { deviate: [`${CONSUMER}:1:1.5`] },
    { deviate: ['11XRHEINSTROM--1:1:5'] },
    { missing: [`${CONSUMER}@DE_NOBODY`] },
    { missing: [`${CONSUMER}@DE_TENNET@DE_TENNET`] },
    { reject: ['TenneT'] },
    { day: '2026-02-30' },
  ]) {
    assert.throws(() => readBehaviour({ ...texts, ...wrong }), BehaviourError, JSON.stringify(wrong));
  }
});

test('a schedule that breaks a rule of the check is rejected with its code', () => {
  const schedule = scheduleOf(flat(250));
  const reasonsOf = (changed: Schedule) =>
    answersTo(changed, CONFORMING, 0).acknowledgement.reasons.map(({ code }) => code);
  const series = schedule.series.map((one) => ({ ...one, version: 2 }));
  assert.deepEqual(reasonsOf({ ...schedule, series }), ['A02', 'A50']);
  const [first, ...others] = schedule.series;
  assert.ok(first);
  const elsewhere = { ...first, inArea: '10YDE-RWENET---I', outArea: '10YDE-RWENET---I' };
  const zeros = { powersKw: first.powersKw.map(() => 0) };
  const empty = [elsewhere, ...others].map((one) => ({ ...one, ...zeros }));
  assert.deepEqual(reasonsOf({ ...schedule, series: empty }), ['A02', 'A82']);
});
