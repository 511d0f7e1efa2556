import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OPERATOR, slotsOf } from '../../test/schedule-worlds.ts';
import { BUILT_IN_RULES } from '../market-rules-file.ts';
import { formatMessage, type Message } from '../messages/message.ts';
import {
  type Acknowledgement,
  type Anomaly,
  type Answer,
  type AnsweredSeries,
  applyAnswer,
  type Confirmation,
  type ConfirmedSeries,
  type Decision,
  type ImposedSeries,
  type SentState,
  type UnusableSeries,
} from './answer.ts';
import { remarkOn } from './remarks.ts';
import { buildSchedules, type Schedule, type Series } from './schedule.ts';

const day = '2026-10-25';
const producer = '11XNORDWIND----J';
const consumer = '11XRHEINSTROM--O';
const amprion = '10XDE-RWENET---W';
const at = Date.parse('2026-10-24T13:00:00Z');

/** Amprion's file: 10 kWh from the producer, 6 to the consumer, the rest is bridged to TenneT. */
const newest: Schedule = (() => {
  const [first] = buildSchedules({
    operatorEic: OPERATOR,
    day,
    rules: BUILT_IN_RULES,
    positions: [
      { eic: producer, tso: 'DE_AMPRION', outKwh: slotsOf(day, { 1: 10, 2: 10 }), inKwh: null },
      { eic: consumer, tso: 'DE_AMPRION', outKwh: null, inKwh: slotsOf(day, { 1: 6, 2: 6 }) },
      { eic: consumer, tso: 'DE_TENNET', outKwh: null, inKwh: slotsOf(day, { 1: 4, 2: 4 }) },
    ],
    previous: [],
    closedSlots: 0,
  });
  assert.ok(first?.kind === 'schedule');
  return { ...first.schedule, version: 2 };
})();
const fromProducer = newest.series.find(({ outParty }) => outParty === producer)!;
const toConsumer = newest.series.find(({ inParty }) => inParty === consumer)!;

const state = (change: Partial<SentState> = {}): SentState => ({
  schedule: newest,
  newestVersion: newest.version,
  replacedBy: null,
  isFinal: false,
  acknowledgedAt: null,
  confirmedAt: null,
  ...change,
});
/** Applies an answer to the operator. */
const apply = (answer: Answer, sent: SentState | null, isRepeated = false) =>
  applyAnswer(answer, { operatorEic: OPERATOR, isFromTso: answer.sender === amprion, isRepeated }, sent);
const head = {
  id: 'CNF-1',
  createdAt: at,
  sender: amprion,
  receiver: OPERATOR,
  answers: { messageId: newest.messageId, version: newest.version },
};
const reasons = (...codes: string[]) => codes.map((code) => ({ code, text: null }));

const acknowledgement = (change: Partial<Acknowledgement> = {}): Acknowledgement => ({
  ...head,
  kind: 'acknowledgement',
  outcome: 'accepted',
  reasons: reasons('A01'),
  rejectedSeries: [],
  ...change,
});
const confirmation = (change: Partial<Confirmation> = {}): Confirmation => ({
  ...head,
  kind: 'confirmation',
  day,
  isFinal: true,
  outcome: 'accepted',
  reasons: reasons('A06'),
  series: [],
  imposed: [],
  unusable: [],
  ...change,
});
const named = (series: Series): AnsweredSeries => {
  const { powersKw: _, ...name } = series;
  return name;
};
const confirmed = (
  series: Series,
  powersKw: readonly number[] | null,
  ...codes: string[]
): ConfirmedSeries => ({ ...named(series), powersKw, reasons: reasons(...codes), slotReasons: [] });
const imposed = (series: AnsweredSeries, powersKw: readonly number[]): ImposedSeries => ({
  ...series,
  powersKw,
  reasons: reasons('A30'),
  slotReasons: [],
});

/** The matched values of the producer's and the consumer's series. */
function matchedOf(answer: Confirmation, sent = state()) {
  const decision = apply(answer, sent);
  assert.ok(decision.kind === 'confirmed', JSON.stringify(decision));
  const of = (series: Series) => decision.matched.find((one) => one.series === series)!.matchedKw;
  return [of(fromProducer), of(toConsumer)];
}
const sentence = (message: Message | null) => message && formatMessage(message, 'en');
/** A decision with its sentence in English. */
const said = (decision: Decision) =>
  'message' in decision ? { ...decision, message: sentence(decision.message) } : decision;
const namesOf = ({ foreign }: Extract<Decision, { kind: 'confirmed' | 'anomaly' }>) =>
  foreign.map(({ name, isWithUs }) => ({ name: sentence(name), isWithUs }));

function whyIgnored(decision: Decision): string {
  assert.ok(decision.kind === 'ignored', JSON.stringify(decision));
  return decision.why;
}

const zeros = slotsOf(day);
const less = slotsOf(day, { 1: 40, 2: 8 });
const asSent = [fromProducer.powersKw, toConsumer.powersKw];

test('an accepted schedule is acknowledged and changes no nomination', () => {
  assert.deepEqual(apply(acknowledgement(), state()), { kind: 'acknowledged' });
});

test('A02 and A03 reject, with their reasons and those of the series', () => {
  const rejected = acknowledgement({
    outcome: 'rejected',
    reasons: [...reasons('A02'), { code: 'A54', text: 'Slot 3 does not balance' }],
  });
  assert.deepEqual(said(apply(rejected, state())), {
    kind: 'rejected',
    message: 'The TSO rejected the schedule: A02; A54 “Slot 3 does not balance”.',
  });
  const inSeries = acknowledgement({
    outcome: 'errors_in_series',
    reasons: reasons('A03'),
    rejectedSeries: [
      { identification: 'X_OUT', reasons: [...reasons('A50'), { code: 'A59', text: 'unknown party' }] },
      { identification: 'Y_IN', reasons: [] },
    ],
  });
  assert.deepEqual(said(apply(inSeries, state())), {
    kind: 'rejected',
    message: 'The TSO found errors in series: A03; X_OUT: A50, A59 “unknown party”; Y_IN.',
  });
});

test('header A06: what is not listed, or listed without periods, is confirmed as sent', () => {
  assert.deepEqual(matchedOf(confirmation()), asSent);
  assert.deepEqual(matchedOf(confirmation({ series: [confirmed(fromProducer, null)] })), asSent);
  assert.deepEqual(matchedOf(confirmation({ series: [confirmed(fromProducer, null, 'A63')] })), asSent);
  assert.deepEqual(matchedOf(confirmation({ series: [confirmed(fromProducer, less, 'A63')] })), [
    less,
    asSent[1],
  ]);
});

test('header A07: what is not listed stays as it was', () => {
  const partial = { outcome: 'partial', reasons: reasons('A07') } as const;
  assert.deepEqual(matchedOf(confirmation(partial)), [null, null]);
  assert.deepEqual(matchedOf(confirmation({ ...partial, series: [confirmed(fromProducer, less, 'A63')] })), [
    less,
    null,
  ]);
  assert.deepEqual(matchedOf(confirmation({ ...partial, series: [confirmed(fromProducer, null, 'A63')] })), [
    null,
    null,
  ]);
});

test('header A08: every series is matched with 0', () => {
  const rejection = confirmation({
    outcome: 'rejected',
    reasons: reasons('A08'),
    series: [confirmed(fromProducer, less, 'A88')],
    imposed: [imposed(named(toConsumer), less)],
  });
  assert.deepEqual(matchedOf(rejection), [zeros, zeros]);
});

test('A20: a rejected series is matched with 0, with periods or without', () => {
  for (const outcome of ['accepted', 'partial'] as const) {
    for (const powers of [null, less]) {
      const answer = confirmation({ outcome, series: [confirmed(fromProducer, powers, 'A20')] });
      assert.deepEqual(matchedOf(answer)[0], zeros);
    }
  }
});

test('A28: without the counterpart a series is matched with 0, or with the periods that it has', () => {
  for (const outcome of ['accepted', 'partial'] as const) {
    const matched = (powers: readonly number[] | null) =>
      matchedOf(confirmation({ outcome, series: [confirmed(fromProducer, powers, 'A28')] }))[0];
    assert.deepEqual(matched(null), zeros);
    assert.deepEqual(matched(less), less);
  }
});

test('A30: the imposed values count, in the series itself or as a series of their own', () => {
  const partial = { outcome: 'partial', reasons: reasons('A07') } as const;
  assert.deepEqual(
    matchedOf(confirmation({ ...partial, series: [confirmed(fromProducer, less, 'A30')] }))[0],
    less,
  );
  const own = confirmation({
    ...partial,
    series: [confirmed(fromProducer, zeros, 'A20', 'A30')],
    imposed: [imposed(named(fromProducer), less)],
  });
  assert.deepEqual(matchedOf(own), [less, null]);
});

test('A20 together with A26 is 0, together with A30 the imposed values', () => {
  const partial = { outcome: 'partial', reasons: reasons('A07') } as const;
  const matched = (...codes: string[]) =>
    matchedOf(confirmation({ ...partial, series: [confirmed(fromProducer, less, ...codes)] }))[0];
  assert.deepEqual(matched('A20', 'A26'), zeros);
  assert.deepEqual(matched('A20', 'A30'), less);
});

test('an imposed series is found by parties, areas and direction, or by our identification', () => {
  const { outParty, outArea, inParty, inArea } = fromProducer;
  const nameless = { identification: 'TSO-77', version: 1, businessType: 'A02' } as const;
  const byFlow = imposed({ ...nameless, outParty, outArea, inParty, inArea }, less);
  assert.deepEqual(matchedOf(confirmation({ imposed: [byFlow] })), [less, asSent[1]]);
  const nothing = { outParty: null, outArea: null, inParty: null, inArea: null };
  const byName = imposed({ ...named(fromProducer), ...nothing }, less);
  assert.deepEqual(matchedOf(confirmation({ imposed: [byName] })), [less, asSent[1]]);
  const otherWay = imposed(
    { ...nameless, outParty: inParty, outArea: inArea, inParty: outParty, inArea: outArea },
    less,
  );
  const decision = apply(confirmation({ imposed: [otherWay] }), state());
  assert.ok(decision.kind === 'confirmed');
  assert.deepEqual(namesOf(decision), [{ name: `TSO-77 from ${OPERATOR} to ${producer}`, isWithUs: true }]);
  assert.deepEqual(matchedOf(confirmation({ imposed: [otherWay] })), asSent);
});

test('A63: the modified values count', () => {
  const answer = confirmation({ outcome: 'partial', series: [confirmed(fromProducer, less, 'A63')] });
  assert.deepEqual(matchedOf(answer)[0], less);
});

test('A88: a matched series counts as sent, or with the periods that it has', () => {
  for (const outcome of ['accepted', 'partial'] as const) {
    const matched = (powers: readonly number[] | null) =>
      matchedOf(confirmation({ outcome, series: [confirmed(fromProducer, powers, 'A88')] }))[0];
    assert.deepEqual(matched(null), fromProducer.powersKw);
    assert.deepEqual(matched(fromProducer.powersKw), fromProducer.powersKw);
  }
});

test('A43 and A44 explain single slots and change nothing by themselves', () => {
  const series = {
    ...confirmed(fromProducer, less, 'A63'),
    slotReasons: [
      { slot: 1, reasons: reasons('A43') },
      { slot: 2, reasons: reasons('A44') },
    ],
  };
  assert.deepEqual(matchedOf(confirmation({ series: [series] }))[0], less);
});

test('bridges are confirmed like every other series', () => {
  const decision = apply(confirmation(), state());
  assert.ok(decision.kind === 'confirmed');
  assert.deepEqual(
    decision.matched.map(({ series }) => series.identification),
    newest.series.map(({ identification }) => identification),
  );
});

test('an intermediate confirmation is not final', () => {
  for (const isFinal of [true, false]) {
    const decision = apply(confirmation({ isFinal }), state());
    assert.ok(decision.kind === 'confirmed');
    assert.equal(decision.isFinal, isFinal);
  }
});

test('after the final confirmation only anomaly reports and newer final confirmations are accepted', () => {
  const final = state({ isFinal: true, confirmedAt: at });
  const later = at + 1000;
  const intermediate = confirmation({ isFinal: false, createdAt: later });
  assert.equal(whyIgnored(apply(intermediate, final)), 'after_final');
  assert.equal(whyIgnored(apply(acknowledgement({ createdAt: later }), final)), 'after_final');
  for (const createdAt of [at - 1000, at]) {
    assert.equal(whyIgnored(apply(confirmation({ createdAt }), final)), 'after_final');
  }
  const corrected = confirmation({ createdAt: later, series: [confirmed(fromProducer, less, 'A63')] });
  assert.deepEqual(matchedOf(corrected, final), [less, asSent[1]]);
  assert.equal(apply(anomaly(), final).kind, 'anomaly');
});

test('a repeated answer is ignored', () => {
  for (const answer of [acknowledgement(), confirmation(), anomaly()]) {
    assert.equal(whyIgnored(apply(answer, state(), true)), 'repeated');
  }
});

test('answers to versions that an accepted one replaced are ignored', () => {
  const replaced = state({ newestVersion: 3, replacedBy: { version: 3, isAnswered: true } });
  for (const answer of [acknowledgement(), confirmation(), anomaly()]) {
    const decision = apply(answer, replaced);
    assert.equal(whyIgnored(decision), 'outdated');
    assert.ok('message' in decision);
    assert.equal(sentence(decision.message), 'It answers version 2; version 3 was sent since.');
  }
  const never = confirmation({ answers: { ...head.answers, version: newest.version + 1 } });
  assert.equal(whyIgnored(apply(never, state())), 'not_ours');
});

test('while a later version is unanswered, only an acknowledgement of an older one counts', () => {
  const overtaken = state({ newestVersion: 3, replacedBy: { version: 3, isAnswered: false } });
  for (const answer of [confirmation(), anomaly()]) {
    const decision = apply(answer, overtaken);
    assert.equal(whyIgnored(decision), 'outdated');
    assert.ok('message' in decision);
    assert.match(
      sentence(decision.message) ?? '',
      /version 2; version 3 was sent since and has no answer yet/,
    );
  }
  assert.equal(apply(acknowledgement(), overtaken).kind, 'acknowledged');
  assert.equal(
    apply(acknowledgement({ outcome: 'rejected', reasons: reasons('A02') }), overtaken).kind,
    'rejected',
  );
});

test('after later versions were rejected, an older version is answered like the newest', () => {
  const rejected = state({ newestVersion: 4 });
  assert.equal(apply(acknowledgement(), rejected).kind, 'acknowledged');
  assert.deepEqual(matchedOf(confirmation(), rejected), asSent);
  assert.equal(apply(anomaly(), rejected).kind, 'anomaly');
});

test('an older answer that arrives late is ignored', () => {
  const earlier = at - 1000;
  const overtaken = state({ acknowledgedAt: at, confirmedAt: at });
  assert.equal(
    whyIgnored(apply(confirmation({ isFinal: false, createdAt: earlier }), overtaken)),
    'outdated',
  );
  assert.equal(apply(confirmation({ isFinal: true, createdAt: earlier }), overtaken).kind, 'confirmed');
  assert.equal(apply(confirmation({ isFinal: false }), overtaken).kind, 'confirmed');
  assert.equal(whyIgnored(apply(acknowledgement(), overtaken)), 'outdated', 'confirmed meanwhile');
  const acknowledged = state({ acknowledgedAt: at });
  assert.equal(whyIgnored(apply(acknowledgement({ createdAt: earlier }), acknowledged)), 'outdated');
});

test('an answer with another message, receiver, sender or day is not ours', () => {
  assert.equal(whyIgnored(apply(confirmation(), null)), 'not_ours');
  const foreign: Partial<Confirmation>[] = [
    { receiver: consumer },
    { sender: '10XDE-EON-NETZ-C' },
    { day: '2026-10-26' },
    { answers: null },
    { answers: { messageId: head.answers.messageId, version: null } },
    { answers: { messageId: '20261025_TPS_OTHER', version: 2 } },
  ];
  for (const change of foreign) {
    assert.equal(whyIgnored(apply(confirmation(change), state())), 'not_ours', JSON.stringify(change));
  }
  // An answer that is not ours stays so when it is repeated or late.
  const stranger = confirmation({ receiver: consumer });
  assert.equal(whyIgnored(apply(stranger, state({ isFinal: true }), true)), 'not_ours');
});

test('a series under our identification with other parties cannot be used', () => {
  const message = `The series ${fromProducer.identification} has other parties or areas than ours.`;
  const turned = { ...confirmed(fromProducer, less, 'A63'), inParty: consumer };
  assert.deepEqual(said(apply(confirmation({ series: [turned] }), state())), { kind: 'unusable', message });
  const moved = imposed({ ...named(fromProducer), inArea: '10YDE-EON------1' }, less);
  assert.deepEqual(said(apply(confirmation({ imposed: [moved] }), state())), { kind: 'unusable', message });
});

test('a faulty series of ours, or one that may be ours, is an error; one of others is only named', () => {
  const { identification, outParty, outArea, inParty, inArea } = fromProducer;
  const nothing = { outParty: null, outArea: null, inParty: null, inArea: null };
  const fault: Message = {
    key: 'document.quantity',
    text: 'x',
    fault: { key: 'document.no_mw' },
  };
  const name = 'the quantity "x" is not a decimal number of MW';
  const ours: UnusableSeries[] = [
    { identification, ...nothing, fault },
    { identification: 'TSO-77', outParty, outArea, inParty, inArea, fault },
    { identification: null, ...nothing, fault },
  ];
  for (const unusable of ours) {
    for (const answer of [confirmation({ unusable: [unusable] }), anomaly({ unusable: [unusable] })]) {
      assert.deepEqual(said(apply(answer, state())), { kind: 'unusable', message: `${name}.` });
    }
  }
  const foreign = {
    identification: 'TS002',
    ...nothing,
    outParty: OPERATOR,
    inParty: '11XFC-CONS-----0',
    fault,
  };
  const decision = apply(confirmation({ unusable: [foreign] }), state());
  assert.ok(decision.kind === 'confirmed');
  assert.deepEqual(namesOf(decision), [{ name, isWithUs: false }]);
  assert.deepEqual(matchedOf(confirmation({ unusable: [foreign] })), asSent);
});

test('forecasts under our balance group are no nominations with us', () => {
  const forecast = {
    ...confirmed(toConsumer, less, 'A88', 'A95'),
    identification: 'TS002',
    businessType: 'A04',
  };
  const answer = confirmation({ series: [forecast] });
  const decision = apply(answer, state());
  assert.ok(decision.kind === 'confirmed');
  const name = `TS002 from ${OPERATOR} to ${consumer}`;
  assert.deepEqual(namesOf(decision), [{ name, isWithUs: false }]);
  assert.equal(
    sentence(remarkOn(answer, decision)),
    `It has series that our schedule does not have: ${name}. Further reasons of the TSO: A95 (series TS002).`,
  );
});

test('reasons that change nothing are remarked with their place; the usual ones are not', () => {
  const answer = confirmation({
    reasons: [...reasons('A06'), { code: 'A95', text: 'see our notice' }],
    series: [
      {
        ...confirmed(fromProducer, zeros, 'A20', 'A26'),
        slotReasons: [{ slot: 7, reasons: reasons('A44', 'A45') }],
      },
    ],
    imposed: [{ ...imposed(named(toConsumer), less), reasons: reasons('A30', 'A29') }],
  });
  const place = fromProducer.identification;
  assert.equal(
    sentence(remarkOn(answer, apply(answer, state()))),
    `Further reasons of the TSO: A95 “see our notice”, A29 (series ${toConsumer.identification}), A26 (series ${place}), A45 (series ${place}, slot 7).`,
  );
  assert.equal(remarkOn(confirmation(), apply(confirmation(), state())), null);
  const many = confirmation({ reasons: reasons('A06', ...Array.from({ length: 23 }, () => 'A95')) });
  assert.match(sentence(remarkOn(many, apply(many, state()))) ?? '', /(?:A95, ){19}A95 and 3 more\.$/);
});

test('series that the schedule does not have are named and change nothing', () => {
  const unknown = { ...confirmed(fromProducer, less, 'A63'), identification: 'NEVER-SENT' };
  const decision = apply(confirmation({ series: [unknown] }), state());
  assert.ok(decision.kind === 'confirmed');
  assert.deepEqual(namesOf(decision), [
    { name: `NEVER-SENT from ${producer} to ${OPERATOR}`, isWithUs: true },
  ]);
  assert.deepEqual(matchedOf(confirmation({ series: [unknown] })), asSent);
});

test('every series of the schedule has one result, and listed values are used unchanged', () => {
  const anyPowers = fc.array(fc.nat(9999), { minLength: zeros.length, maxLength: zeros.length });
  const anyOutcome = fc.constantFrom('accepted', 'partial', 'rejected');
  fc.assert(
    fc.property(
      anyOutcome,
      fc.subarray([...newest.series]),
      fc.subarray([...newest.series]),
      anyPowers,
      (outcome, listed, imposing, powers) => {
        const doubled = powers.map((kw) => kw * 2);
        const decision = apply(
          confirmation({
            outcome,
            series: listed.map((series) => confirmed(series, powers)),
            imposed: imposing.map((series) => imposed(named(series), doubled)),
          }),
          state(),
        );
        assert.ok(decision.kind === 'confirmed');
        assert.deepEqual(decision.foreign, []);
        assert.deepEqual(
          decision.matched.map(({ series }) => series),
          newest.series,
        );
        for (const { series, matchedKw } of decision.matched) {
          const unlisted = outcome === 'accepted' ? series.powersKw : null;
          const otherwise = listed.includes(series) ? powers : unlisted;
          const expected = imposing.includes(series) ? doubled : otherwise;
          assert.deepEqual(matchedKw, outcome === 'rejected' ? zeros : expected);
        }
      },
    ),
  );
});

function anomaly(change: Partial<Anomaly> = {}): Anomaly {
  const message = { messageId: newest.messageId, messageVersion: newest.version, reasons: reasons('A09') };
  const theirs = { ...named(fromProducer), identification: 'THEIR-3', version: 7 };
  return {
    ...head,
    kind: 'anomaly',
    day,
    sides: [
      { ...theirs, ...message, messageId: 'THEIRS', party: producer, powersKw: less },
      { ...named(fromProducer), ...message, party: OPERATOR, powersKw: fromProducer.powersKw },
    ],
    unusable: [],
    ...change,
  };
}

test('an anomaly report shows both sides of a series under our name, and matches nothing', () => {
  assert.deepEqual(apply(anomaly(), state()), {
    kind: 'anomaly',
    mismatches: [{ ...named(fromProducer), oursKw: fromProducer.powersKw, theirsKw: less }],
    foreign: [],
  });
});

test('an anomaly report may show one side only', () => {
  const [theirs, ours] = anomaly().sides;
  const alone = apply(anomaly({ sides: [theirs!], answers: null }), state());
  assert.ok(alone.kind === 'anomaly');
  assert.deepEqual([alone.mismatches[0]!.oursKw, alone.mismatches[0]!.theirsKw], [null, less]);
  const own = apply(anomaly({ sides: [ours!] }), state());
  assert.ok(own.kind === 'anomaly');
  assert.deepEqual([own.mismatches[0]!.oursKw, own.mismatches[0]!.theirsKw], [fromProducer.powersKw, null]);
});

test('an anomaly report about a series that we do not have names the counterpart', () => {
  const [theirs] = anomaly().sides;
  const stranger = { ...theirs!, outParty: consumer, party: consumer };
  const name = `THEIR-3 from ${consumer} to ${OPERATOR}`;
  const alone = anomaly({ sides: [stranger], answers: null });
  for (const sent of [state(), null]) {
    const decision = apply(alone, sent);
    assert.ok(decision.kind === 'anomaly');
    assert.deepEqual(namesOf(decision), [{ name, isWithUs: true }]);
  }
  assert.equal(whyIgnored(apply({ ...alone, sender: consumer }, null)), 'not_ours');
  assert.equal(whyIgnored(apply({ ...alone, receiver: consumer }, null)), 'not_ours');
  assert.equal(whyIgnored(apply(anomaly(), null)), 'not_ours');
});
