import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Tso, UnsentNomination } from '@saldo/api';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { sendDue, sendRequested } from '../src/exchange/process/send.ts';
import { DatabaseStalled } from '../src/platform/db/connection.ts';
import type { Database } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { agree, newPlace, operating, readSchedule } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';
import { flat, only } from './nominated.ts';

const platform = await startTestPlatform({ now: '2026-11-16T08:00:00Z' });
const { clock, db, exchange, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, messages, outbox } = operating(platform, operator);
const place = (tso: Tso) => newPlace(platform, tso);
const [seller, buyer] = [await place('DE_TENNET'), await place('DE_TENNET')];
const contract = await agree(world, seller, buyer);

/** The schedules that the job sends at this instant, by day and version. */
async function jobAt(instant: string): Promise<string[]> {
  clock.set(instant);
  const { messageIds } = await sendDue(db, clock, exchange);
  const ids = new Set(messageIds.map((uuid) => encodeId(ID_PREFIX.message, uuid)));
  const sent = (await messages('&direction=out')).filter(({ id }) => ids.has(id));
  return sent.map(({ delivery_date, version }) => `${delivery_date} ${version}`);
}

async function say(day: string, instant: string, kwh: readonly number[]): Promise<void> {
  clock.set(instant);
  await world.volumes(contract, day, kwh);
  await world.nominate();
}

const unsent = async (query = ''): Promise<UnsentNomination[]> =>
  (await operator(`/operator/v1/exchange/unsent${query}`)).body.unsent;

test('the job sends before the day-ahead gate, not in the wait phase, and from its end on', async () => {
  const day = '2026-11-18';
  await say(day, '2026-11-17T08:00:00Z', flat(day, 100));
  assert.deepEqual(await jobAt('2026-11-17T12:59:59Z'), []);
  const [waiting] = await unsent(`?delivery_date=${day}`);
  assert.deepEqual(
    [waiting?.gate_closure, waiting?.gate_is_closed, waiting?.sends_at],
    ['2026-11-17T13:30:00Z', false, '2026-11-17T13:00:00Z'],
  );
  assert.deepEqual(await jobAt('2026-11-17T13:00:00Z'), [`${day} 1`]);
  assert.deepEqual(await unsent(`?delivery_date=${day}`), []);
  assert.deepEqual(await jobAt('2026-11-17T13:00:10Z'), [], 'there is nothing left to send');

  await say(day, '2026-11-17T13:28:00Z', flat(day, 101));
  assert.deepEqual(await jobAt('2026-11-17T13:29:59.999Z'), [`${day} 2`], 'the last moment is in time');
  await say(day, '2026-11-17T13:30:00Z', flat(day, 102));
  assert.deepEqual(await jobAt('2026-11-17T13:30:00Z'), []);
  const waited = await send({ delivery_date: day });
  assert.deepEqual(waited.messages, [], 'nothing is sent in the wait phase');
  assert.match(
    waited.faults[0]?.error ?? '',
    /Changes for 18 Nov 2026 are held until the wait phase ends on 17 Nov 2026 at 16:00 German time/,
  );
  assert.deepEqual(
    (await unsent(`?delivery_date=${day}`)).map(({ sends_at }) => sends_at),
    ['2026-11-17T15:00:00Z', '2026-11-17T15:00:00Z'],
  );
  assert.deepEqual(await jobAt('2026-11-17T14:59:59Z'), []);
  assert.deepEqual(await jobAt('2026-11-17T15:00:00Z'), [`${day} 3`]);
});

test('a schedule can be sent early on request', async () => {
  const day = '2026-11-26';
  await say(day, '2026-11-17T16:00:00Z', flat(day, 100));
  assert.deepEqual(await jobAt('2026-11-17T16:00:01Z'), []);
  const { messages: sent } = await send({ delivery_date: day });
  assert.deepEqual(
    sent.map(({ version, state }) => [version, state]),
    [[1, 'sent']],
  );
});

test('intraday, the first change is sent at once, a second one after a debounce, and none misses its gate', async () => {
  const day = '2026-11-18';
  // Slot 61 begins at 14:00Z: its gate is at 13:45Z.
  await say(day, '2026-11-18T10:00:00Z', only(day, [90], 50, 102));
  assert.deepEqual(await jobAt('2026-11-18T10:00:01Z'), [`${day} 4`]);
  await say(day, '2026-11-18T10:01:00Z', only(day, [90], 60, 102));
  assert.deepEqual(await jobAt('2026-11-18T10:01:01Z'), [], 'it is debounced');
  assert.deepEqual(await jobAt('2026-11-18T10:05:01Z'), [`${day} 5`]);
  await say(day, '2026-11-18T10:06:00Z', only(day, [90, 47], 60, 102));
  const [urgent] = await unsent(`?delivery_date=${day}`);
  assert.equal(urgent?.gate_closure, '2026-11-18T10:15:00Z');
  assert.deepEqual(await jobAt('2026-11-18T10:06:01Z'), [], 'its gate closes after the debounce');
  await say(day, '2026-11-18T10:09:00Z', only(day, [90, 46], 60, 102));
  await say(day, '2026-11-18T10:09:00Z', only(day, [90, 47], 61, 102));
  assert.deepEqual(await jobAt('2026-11-18T10:10:01Z'), [`${day} 6`]);
  await say(day, '2026-11-18T10:14:00Z', only(day, [90, 47], 62, 102));
  assert.deepEqual(
    await jobAt('2026-11-18T10:14:01Z'),
    [`${day} 7`],
    'its gate closes before the end of the debounce',
  );
});

test('day-after changes are sent at once until the last gate, and never after it', async () => {
  const day = '2026-11-18';
  await say(day, '2026-11-19T14:00:00Z', flat(day, 103));
  assert.deepEqual(await jobAt('2026-11-19T14:00:01Z'), [`${day} 8`]);
  await say(day, '2026-11-19T14:59:00Z', flat(day, 104));
  clock.set('2026-11-19T15:00:00Z');
  const late = await send({ delivery_date: day });
  assert.deepEqual([late.messages, late.faults.length], [[], 1]);
  assert.match(late.faults[0]?.error ?? '', /Every gate of 18 Nov 2026 is closed/);
  assert.deepEqual((await send()).faults, [], 'past days are not reported unless requested');
  assert.deepEqual(await jobAt('2026-11-19T15:00:01Z'), []);
  for (const { gate_is_closed, sends_at } of await unsent(`?delivery_date=${day}`)) {
    assert.deepEqual([gate_is_closed, sends_at], [true, null]);
  }
});

test('several processes that send concurrently create every version once', async () => {
  const day = '2026-11-21';
  await say(day, '2026-11-20T09:00:00Z', flat(day, 100));
  clock.set('2026-11-20T13:10:00Z');
  await Promise.all(Array.from({ length: 8 }, () => sendDue(db, clock, exchange)));
  const sent = await messages(`&delivery_date=${day}`);
  assert.deepEqual(
    sent.map(({ tso, version, state }) => [tso, version, state]),
    [['DE_TENNET', 1, 'sent']],
  );
});

const TAMPER = statement(
  'test_tamper',
  `update nomination set amounts[7] = amounts[7] + 1
   where delivery_day = $1 and eic = $2 and status <> 'superseded'`,
);

test('a schedule that does not net to zero is never sent, and the operator sees it', async () => {
  const day = '2026-11-23';
  await say(day, '2026-11-20T14:00:00Z', flat(day, 100));
  await db.transaction((tx) => tx.query(TAMPER, [day, seller.group.eic]));
  const { messages: sent, faults } = await send({ delivery_date: day });
  assert.deepEqual(sent, []);
  assert.equal(faults.length, 1);
  assert.match(faults[0]?.error ?? '', /TenneT does not net to zero and is not sent: slot 7 by \+4 kW/);
  assert.deepEqual(await messages(`&delivery_date=${day}`), []);
  for (const { error } of await unsent(`?delivery_date=${day}`)) assert.match(error ?? '', /net to zero/);
  await say(day, '2026-11-20T14:01:00Z', flat(day, 200));
  assert.equal((await send({ delivery_date: day })).messages.length, 1, 'once it nets to zero it is sent');
  assert.deepEqual(await unsent(`?delivery_date=${day}`), []);
});

test('an outbox that cannot be written delays nothing else, and the same version is sent later', async () => {
  const day = '2026-11-24';
  await say(day, '2026-11-20T14:10:00Z', flat(day, 100));
  const { outboxDir } = platform.config.exchange;
  await rm(outboxDir, { recursive: true });
  await writeFile(outboxDir, 'a file where the folder should be');
  const { messages: stored, faults } = await send({ delivery_date: day });
  assert.deepEqual(
    stored.map(({ version, state, sent_at }) => [version, state, sent_at]),
    [[1, 'stored', null]],
  );
  assert.match(faults[0]?.error ?? '', /the outbox cannot be written/);
  assert.match((await unsent(`?delivery_date=${day}`))[0]?.error ?? '', /the outbox cannot be written/);
  const raw = (await operator(`/operator/v1/messages/${stored[0]?.id}/raw`)).text;

  await rm(outboxDir);
  clock.set('2026-11-20T14:11:00Z');
  const { messages: sent } = await send({ delivery_date: day });
  assert.deepEqual(
    sent.map(({ id, version, state, sent_at }) => [id, version, state, sent_at]),
    [[stored[0]?.id, 1, 'sent', '2026-11-20T14:11:00Z']],
  );
  const [name = '', bytes = Buffer.alloc(0)] = [...(await outbox())][0] ?? [];
  assert.equal(bytes.toString(), raw, 'to the byte');
  assert.equal(name, stored[0]?.file_name);
  assert.equal((await readSchedule(bytes)).version, 1);
  assert.deepEqual(await unsent(`?delivery_date=${day}`), []);
});

test('an answer proves that a schedule was sent, even if that was not recorded', async () => {
  const day = '2026-11-25';
  await say(day, '2026-11-20T14:20:00Z', flat(day, 100));
  const { outboxDir } = platform.config.exchange;
  await rm(outboxDir, { recursive: true });
  await writeFile(outboxDir, 'a file where the folder should be');
  const { messages: stored } = await send({ delivery_date: day });
  await rm(outboxDir);
  const raw = (await operator(`/operator/v1/messages/${stored[0]?.id}/raw`)).text;
  const { acknowledgement } = answersTo(await readSchedule(Buffer.from(raw)), CONFORMING, clock.now());
  const foreign = { ...acknowledgement, sender: '10XDE-VE-TRANSMK' };
  assert.equal((await receive(writeAnswer(foreign, 'ess'))).body.message.state, 'ignored');
  assert.equal((await messages(`&delivery_date=${day}&direction=out`))[0]?.state, 'stored');
  assert.equal((await receive(writeAnswer(acknowledgement, 'ess'))).body.message.state, 'applied');
  const [answered] = await messages(`&delivery_date=${day}&direction=out`);
  assert.deepEqual([answered?.state, answered?.sent_at], ['acknowledged', '2026-11-20T14:20:00Z']);
  assert.deepEqual(await unsent(`?delivery_date=${day}`), []);
});

test('a TSO that was not requested is sent later, also when only a bridge changed there', async () => {
  const day = '2026-11-27';
  const [north, west, south] = [
    await place('DE_50HERTZ'),
    await place('DE_AMPRION'),
    await place('DE_TRANSNET_BW'),
  ];
  const toWest = await agree(world, north, west);
  const toSouth = await agree(world, north, south);
  const fromSouth = await agree(world, south, west);
  clock.set('2026-11-20T15:00:00Z');
  await world.volumes(toWest, day, 100);
  await world.volumes(toSouth, day, 100);
  await world.volumes(fromSouth, day, 10);
  await world.nominate();
  await send({ delivery_date: day, tso: 'DE_AMPRION' });
  const first = await messages(`&delivery_date=${day}`);
  assert.deepEqual(
    first.map(({ tso }) => tso),
    ['DE_AMPRION'],
  );
  clock.set('2026-11-26T13:05:00Z');
  await sendDue(db, clock, exchange);
  const all = await messages(`&delivery_date=${day}`);
  assert.deepEqual(all.map(({ tso, version }) => `${tso} ${version}`).toSorted(), [
    'DE_50HERTZ 1',
    'DE_AMPRION 1',
    'DE_TRANSNET_BW 1',
  ]);
});

test('a stalled database ends a run of sending with its first timeout, not with one per day', async () => {
  for (const day of ['2026-12-08', '2026-12-09', '2026-12-10']) {
    await say(day, '2026-12-01T08:00:00Z', flat(day, 100));
  }
  let attempts = 0;
  const stalled: Database = {
    ...db,
    transaction(work) {
      // The first transaction of a requested run is before the days.
      if (attempts++ === 0) return db.transaction(work);
      return Promise.reject(new DatabaseStalled('no answer in time'));
    },
  };
  const request = { day: null, tso: null };
  await assert.rejects(sendRequested(stalled, clock, exchange, request), DatabaseStalled);
  assert.equal(attempts, 2);
});

test('the first days of the calendar can be named and can be today', async () => {
  for (const day of ['0001-01-01', '0001-01-02', '0001-01-10']) {
    const answer = await operator('/operator/v1/exchange/send', {
      method: 'POST',
      body: { delivery_date: day },
    });
    assert.deepEqual([answer.status, answer.body.messages], [200, []], day);
    assert.deepEqual(await jobAt(`${day}T12:00:00Z`), []);
  }
});
