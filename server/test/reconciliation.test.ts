import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reconciliation } from '@saldo/api';
import type { Acknowledgement, Answer, Confirmation } from '@saldo/core/exchange/answer.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import { createBrpClient } from '@saldo/sdk';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { agree, newPlace, operating, type Place, readSchedule } from './exchanging.ts';
import { answerWithoutId, assertProblem, client, startTestPlatform } from './harness.ts';
import { listNominated, type Nominated } from './nominated.ts';

/** Each test has its own day. */
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, answer } = operating(platform, operator);
const seller = await newPlace(platform, 'DE_TENNET');
const buyer = await newPlace(platform, 'DE_TENNET');
const contract = await agree(world, seller, buyer);

async function deliver(day: string, kwh = 1000): Promise<Schedule> {
  await world.volumes(contract, day, kwh);
  await world.nominate();
  const { messages } = await send({ delivery_date: day });
  const raw = await operator(`/operator/v1/messages/${messages[0]?.id}/raw`);
  return readSchedule(Buffer.from(raw.text));
}

async function newest({ ask }: Place, day: string): Promise<Nominated> {
  const found = await listNominated(ask, `&delivery_date=${day}`);
  return found.find(({ status }) => status !== 'superseded') ?? assert.fail();
}

async function reconcile({ ask }: Place, { id }: Nominated): Promise<Reconciliation> {
  const found = await ask(`/v1/nominations/${id}/reconciliation`);
  assert.equal(found.status, 200, found.text);
  return found.body as Reconciliation;
}

async function receiveAnswer(given: Answer, format: 'ess' | 'cim' = 'ess'): Promise<void> {
  const received = await receive(writeAnswer(given, format));
  assert.equal(received.status, 200, received.text);
  assert.equal(received.body.message.state, 'applied', received.body.message.error);
}

const codes = (reasons: readonly { code: string }[]) => reasons.map(({ code }) => code);

test('a nomination that was not sent has amounts, and nothing else is known', async () => {
  const day = '2026-10-22';
  await world.volumes(contract, day, 1000);
  await world.nominate();
  const nomination = await newest(seller, day);
  const { slots, ...head } = await reconcile(seller, nomination);
  assert.deepEqual(head, {
    nomination_id: nomination.id,
    tso: 'DE_TENNET',
    message_version: null,
    sent_at: null,
    acknowledged_at: null,
    confirmed_at: null,
    reasons: [],
  });
  assert.equal(slots.length, 96);
  assert.deepEqual(slots[60], {
    slot_number: 61,
    delivery_start: '2026-10-22T13:00:00Z',
    delivery_end: '2026-10-22T13:15:00Z',
    amount: 1,
    matched_amount: null,
    counterpart_amount: null,
    difference: null,
    reasons: [],
  });
});

for (const [format, day, slotCount] of [
  ['ess', '2026-10-23', 96],
  ['cim', '2026-10-25', 100],
] as const) {
  test(`a cut slot has both values and the TSO’s reasons, answered in ${format}`, async () => {
    await deliver(day);
    // 1 kW less is a quarter of a kWh less: too little for amounts with three decimals, and still a difference.
    const deviation = { eic: buyer.group.eic, tso: null, day: null, slots: [45], differenceKw: -1 };
    await answer({ deviations: [deviation] }, { format });
    const nomination = await newest(buyer, day);
    assert.equal(nomination.status, 'partial_match');
    const { slots, reasons, ...head } = await reconcile(buyer, nomination);
    assert.deepEqual(head, {
      nomination_id: nomination.id,
      tso: 'DE_TENNET',
      message_version: 1,
      sent_at: '2026-10-20T08:00:00Z',
      acknowledged_at: '2026-10-20T08:00:00Z',
      confirmed_at: '2026-10-20T08:00:00Z',
    });
    assert.deepEqual(reasons, [
      { code: 'A07', text: 'Schedule partially accepted.' },
      { code: 'A63', text: 'Time series modified.' },
      { code: 'A09', text: 'Time series of both sides do not match.' },
    ]);
    assert.equal(slots.length, slotCount);
    const cut = slots[44];
    assert.deepEqual(
      [cut?.amount, cut?.matched_amount, cut?.counterpart_amount, cut?.difference, cut?.reasons],
      [1, 0.99975, 0.99975, 0.00025, [{ code: 'A44', text: 'Quantity decreased.' }]],
    );
    for (const slot of slots.toSpliced(44, 1)) {
      assert.deepEqual([slot.counterpart_amount, slot.difference, slot.reasons], [1, 0, []]);
    }
    const matched = await reconcile(seller, await newest(seller, day));
    assert.deepEqual(codes(matched.reasons), ['A07', 'A88'], 'the other side is not affected');
    assert.deepEqual(new Set(matched.slots.map((slot) => slot.counterpart_amount)), new Set([null]));
  });
}

test('a missing schedule of the BRP is named', async () => {
  const day = '2026-10-26';
  await deliver(day);
  await answer({ missing: [{ eic: seller.group.eic, tso: null, day: null }] });
  const { reasons, slots } = await reconcile(seller, await newest(seller, day));
  assert.deepEqual(reasons.at(-1), { code: 'A28', text: 'The TSO has no such time series from you.' });
  assert.deepEqual([slots[0]?.matched_amount, slots[0]?.counterpart_amount], [0, null]);
});

test('a rejected schedule has the reasons of the rejection and no acknowledgement', async () => {
  const day = '2026-10-27';
  const schedule = await deliver(day);
  const { acknowledgement } = answersTo(schedule, CONFORMING, platform.clock.now());
  const own = schedule.series.find(({ outParty }) => outParty === seller.group.eic) ?? assert.fail();
  const rejected: Acknowledgement = {
    ...acknowledgement,
    outcome: 'rejected',
    reasons: [
      { code: 'A02', text: 'see series' },
      { code: 'A59', text: null },
    ],
    rejectedSeries: [
      { identification: own.identification, reasons: [{ code: 'A42', text: 'in position 7' }] },
    ],
  };
  await receiveAnswer(rejected);
  const mine = await reconcile(seller, await newest(seller, day));
  assert.deepEqual([mine.message_version, mine.acknowledged_at], [1, null]);
  assert.deepEqual(mine.reasons, [
    { code: 'A02', text: 'Message fully rejected.' },
    { code: 'A59', text: 'Against the market rules of this control area.' },
    { code: 'A42', text: 'in position 7' },
  ]);
  const theirs = await reconcile(buyer, await newest(buyer, day));
  assert.deepEqual(codes(theirs.reasons), ['A02', 'A59'], 'reasons of other series stay with their BRP');
});

test('unknown codes keep their text, and no text names another balance group', async () => {
  const day = '2026-10-28';
  const schedule = await deliver(day);
  const { final } = answersTo(schedule, CONFORMING, platform.clock.now());
  assert.ok(final);
  const stranger = buyer.group.eic;
  const confirmation: Confirmation = {
    ...final,
    outcome: 'partial',
    reasons: [
      { code: 'A07', text: `because of ${stranger}` },
      { code: 'Z98', text: 'announced maintenance' },
    ],
    series: final.series.map((series) => {
      if (series.outParty !== seller.group.eic) return series;
      const slotReasons = [{ slot: 3, reasons: [{ code: 'Z97', text: null }] }];
      const reasons = [
        { code: 'Z99', text: `as agreed with ${seller.group.eic}` },
        { code: 'A29', text: `unlike ${stranger}` },
      ];
      return { ...series, reasons, slotReasons };
    }),
  };
  await receiveAnswer(confirmation);
  const { reasons, slots } = await reconcile(seller, await newest(seller, day));
  assert.deepEqual(reasons, [
    { code: 'A07', text: 'Schedule partially accepted.' },
    { code: 'Z98', text: 'announced maintenance' },
    { code: 'Z99', text: `as agreed with ${seller.group.eic}` },
    { code: 'A29', text: 'The quantities of your time series differ.' },
  ]);
  assert.deepEqual(slots[2]?.reasons, [{ code: 'Z97', text: 'No description of this code is known.' }]);
});

test('an imposed series is found by its parties', async () => {
  const day = '2026-10-29';
  const schedule = await deliver(day);
  const { final } = answersTo(schedule, CONFORMING, platform.clock.now());
  const own = schedule.series.find(({ outParty }) => outParty === seller.group.eic) ?? assert.fail();
  assert.ok(final);
  await receiveAnswer(
    {
      ...final,
      outcome: 'partial',
      reasons: [{ code: 'A07', text: null }],
      imposed: [
        {
          ...own,
          identification: 'IMPOSED',
          powersKw: own.powersKw.map(() => 3000),
          reasons: [{ code: 'A30', text: null }],
          slotReasons: [],
        },
      ],
    },
    'cim',
  );
  const { reasons, slots } = await reconcile(seller, await newest(seller, day));
  assert.deepEqual(codes(reasons), ['A07', 'A88', 'A30']);
  assert.equal(slots[0]?.matched_amount, 0.75);
});

test('a superseded version keeps what was said about it, and the new one starts without', async () => {
  const day = '2026-10-30';
  await deliver(day, 1000);
  const deviation = { eic: seller.group.eic, tso: null, day: null, slots: [1], differenceKw: -400 };
  await answer({ deviations: [deviation] }, { isIntermediateOnly: true });
  const first = await newest(seller, day);
  await deliver(day, 2000);
  const second = await newest(seller, day);
  const old = await reconcile(seller, first);
  assert.deepEqual([old.message_version, old.slots[0]?.difference], [1, 0.1]);
  assert.deepEqual(codes(old.reasons), ['A07', 'A63', 'A09']);
  const current = await reconcile(seller, second);
  assert.deepEqual(
    [current.message_version, current.acknowledged_at, current.reasons, current.slots[0]?.counterpart_amount],
    [2, null, [], null],
  );
});

test('a nomination in two schedules is explained by the newest one, and by the last confirmation', async () => {
  const day = '2026-10-31';
  await deliver(day, 1000);
  await answer({}, { isIntermediateOnly: true });
  const other = await newPlace(platform, 'DE_TENNET');
  const third = await agree(world, other, buyer);
  await world.volumes(third, day, 500);
  await world.nominate();
  await send({ delivery_date: day });
  const unchanged = await reconcile(seller, await newest(seller, day));
  assert.deepEqual(
    [unchanged.message_version, unchanged.acknowledged_at, codes(unchanged.reasons)],
    [2, null, ['A06', 'A88']],
  );
  await answer();
  const confirmed = await reconcile(seller, await newest(seller, day));
  assert.deepEqual([confirmed.message_version, confirmed.acknowledged_at], [2, '2026-10-20T08:00:00Z']);
});

test('another BRP’s nomination looks like one that does not exist', async () => {
  const { id } = await newest(seller, '2026-10-23');
  const missing = 'nom_01jhm52x6yf6rbkm2s8hq3j5zd';
  const foreign = await buyer.ask(`/v1/nominations/${id}/reconciliation`);
  assertProblem(foreign, 404, 'nomination_not_found');
  const unknown = await buyer.ask(`/v1/nominations/${missing}/reconciliation`);
  assert.deepEqual(answerWithoutId(id, foreign), answerWithoutId(missing, unknown));
  assertProblem(await buyer.ask('/v1/nominations/nom_x/reconciliation'), 404, 'nomination_not_found');
});

test('the SDK reconciles a nomination', async () => {
  const { nominations } = createBrpClient({ baseUrl: platform.baseUrl, apiKey: buyer.brp.key });
  const { id } = await newest(buyer, '2026-10-23');
  const { slots } = await nominations.reconcile(id);
  assert.deepEqual(
    slots.filter(({ difference }) => difference !== 0).map(({ slot_number }) => slot_number),
    [45],
  );
});
