import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alarm, Message, NominationMismatch, Reconciliation } from '@saldo/api';
import type { Answer } from '@saldo/core/exchange/answer.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { agree, newPlace, operating, type Place, readSchedule } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';
import { listNominated, type Nominated } from './nominated.ts';

/** Which version of a schedule counts when the TSO rejects one or answers an older one. Each test has its own day. */
const platform = await startTestPlatform({ now: '2026-11-16T08:00:00Z' });
const { clock, db, exchange, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, messages } = operating(platform, operator);
const [seller, buyer] = [await newPlace(platform, 'DE_TENNET'), await newPlace(platform, 'DE_TENNET')];
const contract = await agree(world, seller, buyer);

/** Sends a version of the day's schedule with these volumes. */
async function sendVersion(day: string, kwh: number): Promise<Schedule> {
  await world.volumes(contract, day, kwh);
  await world.nominate();
  const [message] = (await send({ delivery_date: day })).messages;
  return readSchedule(Buffer.from((await operator(`/operator/v1/messages/${message?.id}/raw`)).text));
}

/** The answers of a TSO to a version. Each is later than those before it. */
function answersOf(schedule: Schedule) {
  const { acknowledgement, intermediate, final } = answersTo(schedule, CONFORMING, clock.now());
  assert.ok(intermediate !== null && final !== null);
  const rejection: Answer = {
    ...acknowledgement,
    id: `REJ-${schedule.day}-${schedule.version}`,
    outcome: 'rejected',
    reasons: [
      { code: 'A02', text: null },
      { code: 'A57', text: null },
    ],
  };
  return { acknowledgement, intermediate, final, rejection };
}

async function give(answer: Answer): Promise<Message & { nominations: string[] }> {
  const received = await receive(writeAnswer(answer, 'ess'));
  assert.equal(received.status, 200, received.text);
  return { ...received.body.message, nominations: received.body.nominations };
}

const versionsOf = ({ ask }: Place, day: string) => listNominated(ask, `&delivery_date=${day}`);
async function currentOf(place: Place, day: string): Promise<Nominated> {
  const found = await versionsOf(place, day);
  return found.find(({ status }) => status !== 'superseded') ?? assert.fail();
}
const valuesOf = ({ status, slots }: Nominated) => [status, slots[0]?.amount, slots[0]?.matched_amount];
const stateOf = async (day: string, version: number) =>
  (await messages(`&delivery_date=${day}&type=schedule`)).find((one) => one.version === version)?.state;

/** The kinds of the alarms of a day that are open after a run of the job. */
async function alarmsOf(day: string): Promise<string[]> {
  await watchExchange(db, clock, exchange);
  const { body } = await operator(`/operator/v1/exchange/alarms?delivery_date=${day}`);
  return body.alarms.map(({ kind }: Alarm) => kind);
}

test('after a rejection, the confirmation of the version before fills the current nominations', async () => {
  const day = '2026-11-18';
  const first = answersOf(await sendVersion(day, 1000));
  await give(first.acknowledgement);
  const second = answersOf(await sendVersion(day, 1500));
  await give(second.rejection);
  assert.deepEqual(valuesOf(await currentOf(seller, day)), ['pending', 1.5, null]);

  const intermediate = await give(first.intermediate);
  const current = await currentOf(seller, day);
  assert.equal(intermediate.state, 'applied', intermediate.error ?? '');
  assert.ok(intermediate.nominations.includes(current.id));
  assert.deepEqual(valuesOf(current), ['partial_match', 1.5, 1]);
  assert.equal((await seller.ask(`/v1/nominations/${current.id}`)).body.confirmed_at, null);

  assert.equal((await give(first.final)).state, 'applied');
  assert.equal((await seller.ask(`/v1/nominations/${current.id}`)).body.confirmed_at, '2026-11-16T08:00:00Z');
  assert.deepEqual((await versionsOf(seller, day)).map(valuesOf), [
    ['superseded', 1, 1],
    ['partial_match', 1.5, 1],
  ]);
  assert.deepEqual([await stateOf(day, 1), await stateOf(day, 2)], ['confirmed', 'rejected']);

  const { body } = await operator(`/operator/v1/exchange/mismatches?delivery_date=${day}`);
  assert.deepEqual(
    body.mismatches.map(({ version, slots }: NominationMismatch) => [version, slots.length]),
    [
      [2, 96],
      [2, 96],
    ],
  );
  const reconciliation: Reconciliation = (await seller.ask(`/v1/nominations/${current.id}/reconciliation`))
    .body;
  assert.deepEqual([reconciliation.message_version, reconciliation.slots[0]?.matched_amount], [2, 1]);
  assert.deepEqual(
    reconciliation.reasons.map(({ code }) => code),
    ['A02', 'A57', 'A06', 'A88'],
    'why version 2 was rejected, and what the TSO made of version 1',
  );
});

test('a confirmation of an older version changes nothing while the newer one is unanswered, and is an alarm', async () => {
  const day = '2026-11-19';
  const first = answersOf(await sendVersion(day, 1000));
  await give(first.acknowledgement);
  const second = answersOf(await sendVersion(day, 1500));
  assert.deepEqual(await alarmsOf(day), []);
  const early = await give(first.intermediate);
  assert.deepEqual([early.state, early.nominations], ['ignored', []]);
  assert.match(early.error ?? '', /version 1; version 2 was sent since/);
  assert.deepEqual((await versionsOf(seller, day)).map(valuesOf), [
    ['superseded', 1, null],
    ['pending', 1.5, null],
  ]);
  assert.deepEqual(await alarmsOf(day), ['older_version_confirmed']);
  const [alarm] = (await operator(`/operator/v1/exchange/alarms?delivery_date=${day}`)).body
    .alarms as Alarm[];
  assert.match(
    alarm?.text ?? '',
    /^TenneT confirms version 1 .* has not answered version 2, sent on \d+ \w{3} 2026 at \d\d:\d\d German time\. /,
  );
  assert.deepEqual([alarm?.severity, alarm?.tso, alarm?.delivery_date], ['critical', 'DE_TENNET', day]);

  await give(second.acknowledgement);
  assert.deepEqual(await alarmsOf(day), [], 'the TSO has the newer version');
  assert.equal((await give(first.final)).state, 'ignored');
  assert.deepEqual(await alarmsOf(day), []);
  await give(second.final);
  assert.deepEqual(valuesOf(await currentOf(seller, day)), ['match', 1.5, 1.5]);
});

test('a confirmation that came too early counts when the newer version is rejected', async () => {
  const day = '2026-11-20';
  const first = answersOf(await sendVersion(day, 1000));
  await give(first.acknowledgement);
  const second = answersOf(await sendVersion(day, 1500));
  const early = await give(first.final);
  assert.equal(early.state, 'ignored');
  assert.deepEqual(await alarmsOf(day), ['older_version_confirmed']);
  await give(second.rejection);
  assert.deepEqual(await alarmsOf(day), ['rejected']);
  const stored = await operator(`/operator/v1/messages/${early.id}`);
  assert.deepEqual([stored.body.state, stored.body.error], ['applied', null]);
  assert.deepEqual(valuesOf(await currentOf(seller, day)), ['partial_match', 1.5, 1]);
  assert.equal(await stateOf(day, 1), 'confirmed');
});

test('what was confirmed before a version was sent counts again when that version is rejected', async () => {
  const day = '2026-11-21';
  const first = answersOf(await sendVersion(day, 1000));
  await give(first.acknowledgement);
  await give(first.intermediate);
  const second = answersOf(await sendVersion(day, 1500));
  const third = answersOf(await sendVersion(day, 2000));
  await give(second.rejection);
  assert.deepEqual(valuesOf(await currentOf(seller, day)), ['pending', 2, null], 'version 3 is unanswered');
  const rejected = await give(third.rejection);
  const current = await currentOf(seller, day);
  assert.deepEqual(valuesOf(current), ['partial_match', 2, 1]);
  assert.ok(rejected.nominations.includes(current.id));

  const fourth = answersOf(await sendVersion(day, 2500));
  assert.deepEqual(valuesOf(await currentOf(seller, day)), ['pending', 2.5, null]);
  await give(fourth.final);
  assert.deepEqual(valuesOf(await currentOf(seller, day)), ['match', 2.5, 2.5]);
  assert.deepEqual(await alarmsOf(day), []);
});

test('a counterpart that only the rejected version has is matched with zero', async () => {
  const day = '2026-11-23';
  const first = answersOf(await sendVersion(day, 1000));
  await give(first.acknowledgement);
  const other = await newPlace(platform, 'DE_TENNET');
  await world.volumes(await agree(world, other, buyer), day, 500);
  const second = answersOf(await sendVersion(day, 1000));
  await give(second.rejection);
  await give(first.final);
  assert.deepEqual(valuesOf(await currentOf(seller, day)), ['match', 1, 1], 'it did not change');
  assert.deepEqual(valuesOf(await currentOf(buyer, day)), ['partial_match', 1.5, 1]);
  assert.deepEqual(valuesOf(await currentOf(other, day)), ['partial_match', 0.5, 0]);
});

test('acknowledgements count for the version that they name, in any order', async () => {
  const day = '2026-11-24';
  const first = answersOf(await sendVersion(day, 1000));
  const second = answersOf(await sendVersion(day, 1500));
  await give(first.acknowledgement);
  assert.deepEqual([await stateOf(day, 1), await stateOf(day, 2)], ['acknowledged', 'sent']);
  await give(second.rejection);
  await give(first.final);
  assert.deepEqual(valuesOf(await currentOf(seller, day)), ['partial_match', 1.5, 1]);
  const third = answersOf(await sendVersion(day, 1600));
  await give(third.acknowledgement);
  const late = await give({ ...second.acknowledgement, id: 'LATE', createdAt: clock.now() + 1000 });
  assert.equal(late.state, 'ignored', 'a newer version is accepted');
  assert.equal(await stateOf(day, 2), 'rejected');
});
