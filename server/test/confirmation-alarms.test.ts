import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alarm } from '@saldo/api';
import { type Answer, type Confirmation } from '@saldo/core/exchange/answer.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { agree, newPlace, operating, readSchedule } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';

/** A schedule must end in an answer. The wait phase ends at 15:00Z in winter; each test has its own day. */
const platform = await startTestPlatform({ now: '2026-11-16T08:00:00Z' });
const { clock, db, exchange, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, messages } = operating(platform, operator);
const contract = await agree(
  world,
  await newPlace(platform, 'DE_TENNET'),
  await newPlace(platform, 'DE_TENNET'),
);

async function sendAt(instant: string, day: string, kwh: number): Promise<Schedule> {
  clock.set(instant);
  await world.volumes(contract, day, kwh);
  await world.nominate();
  const [message] = (await send({ delivery_date: day })).messages;
  return readSchedule(Buffer.from((await operator(`/operator/v1/messages/${message?.id}/raw`)).text));
}

async function give(answer: Answer | null): Promise<void> {
  assert.ok(answer);
  const received = await receive(writeAnswer(answer, 'ess'));
  assert.equal(received.body.message.state, 'applied', received.text);
}
const answersNow = (schedule: Schedule) => answersTo(schedule, CONFORMING, clock.now());
const acknowledge = (schedule: Schedule) => give(answersNow(schedule).acknowledgement);

/** The kinds of the open alarms of a day at this time, and the number of status requests about it. */
async function watchedAt(instant: string, day: string): Promise<[kinds: string[], requests: number]> {
  clock.set(instant);
  await Promise.all([1, 2, 3].map(() => watchExchange(db, clock, exchange)));
  const { body } = await operator(`/operator/v1/exchange/alarms?delivery_date=${day}`);
  const requests = await messages(`&delivery_date=${day}&type=status_request`);
  return [(body.alarms as Alarm[]).map(({ kind }) => kind), requests.length];
}
const alarmOf = async (day: string): Promise<Alarm | undefined> =>
  (await operator(`/operator/v1/exchange/alarms?delivery_date=${day}&order=newest_first`)).body.alarms[0];

test('an acknowledged schedule without a confirmation raises an alarm an hour after the wait phase', async () => {
  const day = '2026-11-18';
  const schedule = await sendAt('2026-11-17T13:00:00Z', day, 100);
  await acknowledge(schedule);
  assert.deepEqual(await watchedAt('2026-11-17T15:59:59Z', day), [[], 0]);
  assert.deepEqual(await watchedAt('2026-11-17T16:00:00Z', day), [['confirmation_overdue'], 1]);
  const alarm = await alarmOf(day);
  const [sent] = await messages(`&delivery_date=${day}&type=schedule`);
  assert.deepEqual(
    [alarm?.severity, alarm?.message_id, alarm?.text],
    [
      'warning',
      sent?.id,
      'TenneT has acknowledged version 1 of the schedule of 18 Nov 2026, sent on 17 Nov 2026 at 14:00 German time, and has not confirmed it.',
    ],
  );
  assert.deepEqual(await watchedAt('2026-11-17T19:00:00Z', day), [['confirmation_overdue'], 1]);
  await give(answersNow(schedule).intermediate);
  assert.deepEqual(await watchedAt('2026-11-17T19:01:00Z', day), [[], 1]);

  // The day-after gate of a Wednesday is on Thursday at 15:00Z.
  assert.deepEqual(await watchedAt('2026-11-19T15:09:59Z', day), [[], 1]);
  assert.deepEqual(await watchedAt('2026-11-19T15:10:00Z', day), [['final_missing'], 2]);
  assert.equal(
    (await alarmOf(day))?.text,
    'TenneT has not sent its final confirmation of version 1 of the schedule of 18 Nov 2026, and the day-after gate has closed.',
  );
  await give(answersNow(schedule).final);
  assert.deepEqual(await watchedAt('2026-11-19T16:00:00Z', day), [[], 2]);
});

test('without any confirmation both alarms are open, and a final one ends them', async () => {
  const day = '2026-11-24';
  const schedule = await sendAt('2026-11-23T13:00:00Z', day, 100);
  await acknowledge(schedule);
  assert.deepEqual(await watchedAt('2026-11-23T19:00:00Z', day), [['confirmation_overdue'], 1]);
  assert.deepEqual(await watchedAt('2026-11-28T12:00:00Z', day), [
    ['confirmation_overdue', 'final_missing'],
    2,
  ]);
  await give(answersNow(schedule).final);
  assert.deepEqual(await watchedAt('2026-11-28T12:01:00Z', day), [[], 2]);
});

test('alarms that begin together share one status request', async () => {
  const day = '2026-12-01';
  const schedule = await sendAt('2026-11-30T13:00:00Z', day, 100);
  await acknowledge(schedule);
  const [kinds, requests] = await watchedAt('2026-12-05T12:00:00Z', day);
  assert.deepEqual([kinds.toSorted(), requests], [['confirmation_overdue', 'final_missing'], 1]);
  await give(answersNow(schedule).final);
});

test('a version sent later has an hour of its own, and further versions do not extend it', async () => {
  const day = '2026-12-09';
  const first = await sendAt('2026-12-08T13:00:00Z', day, 100);
  await acknowledge(first);
  clock.set('2026-12-08T15:00:00Z');
  await give(answersNow(first).intermediate);
  const second = await sendAt('2026-12-08T18:00:00Z', day, 200);
  await acknowledge(second);
  const third = await sendAt('2026-12-08T18:50:00Z', day, 300);
  await acknowledge(third);
  assert.deepEqual(await watchedAt('2026-12-08T18:59:59Z', day), [[], 0]);
  assert.deepEqual(await watchedAt('2026-12-08T19:00:00Z', day), [['confirmation_overdue'], 1]);
  assert.match((await alarmOf(day))?.text ?? '', /version 2 /);
  await give(answersNow(third).intermediate);
  assert.deepEqual(await watchedAt('2026-12-08T19:01:00Z', day), [[], 1]);
  await give(answersNow(third).final);
});

test('the version that counts after a rejection has to be confirmed', async () => {
  const day = '2026-12-15';
  const first = await sendAt('2026-12-14T13:00:00Z', day, 100);
  await acknowledge(first);
  const second = await sendAt('2026-12-14T13:05:00Z', day, 200);
  const { acknowledgement } = answersNow(second);
  await give({ ...acknowledgement, outcome: 'rejected', reasons: [{ code: 'A02', text: null }] });
  const [kinds] = await watchedAt('2026-12-14T16:00:00Z', day);
  assert.deepEqual(kinds.toSorted(), ['confirmation_overdue', 'rejected']);
  const final: Confirmation | null = answersNow(first).final;
  await give(final);
  assert.deepEqual((await watchedAt('2026-12-14T16:01:00Z', day))[0], ['rejected']);
  assert.deepEqual((await watchedAt('2026-12-18T12:00:00Z', day))[0], ['rejected'], 'version 1 is final');
});
