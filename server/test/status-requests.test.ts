import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { Alarm, Message, Tso } from '@saldo/api';
import type { Acknowledgement } from '@saldo/core/exchange/answer.ts';
import { readStatusRequest } from '@saldo/core/exchange/documents/status-request.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { sendDue } from '../src/exchange/process/send.ts';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { lockDay } from '../src/exchange/store.ts';
import { statement } from '../src/platform/db/statement.ts';
import { untilBlockedFor } from './blocked.ts';
import { agree, newPlace, operating, readSchedule } from './exchanging.ts';
import { assertRefused, client, startTestPlatform } from './harness.ts';
import { flat } from './nominated.ts';

const platform = await startTestPlatform({
  now: '2026-11-24T08:00:00Z',
  environment: { EXCHANGE_FORMATS: 'DE_AMPRION=cim' },
});
const { clock, db, exchange, world } = platform;
const { outboxDir } = platform.config.exchange;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, messages, answer } = operating(platform, operator);
const place = (tso: Tso) => newPlace(platform, tso);
const [seller, buyer] = [await place('DE_TENNET'), await place('DE_TENNET')];
const contract = await agree(world, seller, buyer);

async function sendAt(instant: string, day: string, kwh: number): Promise<void> {
  clock.set(instant);
  await world.volumes(contract, day, flat(day, kwh));
  await world.nominate();
  await send({ delivery_date: day });
}

test('an operator requests the last answer, and the simulator gives it again', async () => {
  const day = '2026-11-25';
  const ask = (tso: string) =>
    operator.post('/operator/v1/exchange/status-request', { delivery_date: day, tso });
  await sendAt('2026-11-24T13:00:00Z', day, 100);
  const north = await place('DE_AMPRION');
  await world.volumes(await agree(world, north, buyer), day, 10);
  await send({ delivery_date: day });
  await answer({}, { isIntermediateOnly: true });
  const [schedule] = (await messages(`&delivery_date=${day}&type=schedule&tso=DE_TENNET`)).slice(-1);
  assert.deepEqual([schedule?.version, schedule?.state], [2, 'acknowledged']);
  clock.set('2026-11-24T16:30:00Z');
  const made = await ask('DE_TENNET');
  assert.equal(made.status, 200, made.text);
  assert.deepEqual([made.body.type, made.body.state], ['status_request', 'sent']);
  const cim = await ask('DE_AMPRION');
  assert.equal(cim.body.format, 'cim');
  const raw = await operator(`/operator/v1/messages/${cim.body.id}/raw`);
  const asked = readStatusRequest(raw.text, exchange.rules);
  assert.deepEqual([asked?.tso, asked?.day, asked?.format], ['DE_AMPRION', day, 'cim']);
  const { body: audit } = await operator(`/operator/v1/audit?subject=${made.body.id}`);
  assert.equal(audit.entries[0].action, 'status.requested');

  const before = await messages(`&delivery_date=${day}&direction=in&tso=DE_TENNET`);
  await answer();
  const again = (await messages(`&delivery_date=${day}&direction=in&tso=DE_TENNET`)).slice(before.length);
  assert.deepEqual(
    again.map(({ type, state, answers }) => [type, state, answers]),
    [
      ['acknowledgement', 'applied', made.body.id],
      ['confirmation', 'applied', schedule?.id],
    ],
  );
  assert.equal((await operator(`/operator/v1/messages/${made.body.id}`)).body.state, 'acknowledged');
  assert.equal((await operator(`/operator/v1/messages/${schedule?.id}`)).body.state, 'confirmed');
  assertRefused(await ask('DE_NOBODY'), 'tso invalid_enum_value');
});

test('a status request that cannot be delivered is kept with the reason, and delays no schedule', async () => {
  const day = '2026-11-26';
  await sendAt('2026-11-25T13:00:00Z', day, 100);
  await answer();
  await rm(outboxDir, { recursive: true });
  await writeFile(outboxDir, 'a file where the folder should be');
  const body = { delivery_date: day, tso: 'DE_TENNET' };
  const made = await operator.post('/operator/v1/exchange/status-request', body);
  assert.equal(made.body.state, 'stored');
  assert.match(made.body.error, /the outbox cannot be written/);
  assert.deepEqual((await operator('/operator/v1/exchange/unsent')).body.unsent, []);
  await rm(outboxDir);
  const run = await sendDue(db, clock, exchange);
  assert.deepEqual([run.messageIds.length, run.faults], [1, []]);
  const sent = await operator(`/operator/v1/messages/${made.body.id}`);
  assert.deepEqual([sent.body.state, sent.body.error], ['sent', null]);
  await answer();
  clock.set('2026-11-25T14:00:00Z');
  const { begun } = await watchExchange(db, clock, exchange);
  assert.deepEqual(begun, [], 'no answer to a status request is overdue');
});

/** The identification of a status request as its document has it. */
async function identificationOf(messageId: string): Promise<string> {
  const raw = await operator(`/operator/v1/messages/${messageId}/raw`);
  return readStatusRequest(raw.text, exchange.rules)?.id ?? assert.fail();
}

async function ask(day: string): Promise<Message> {
  const body = { delivery_date: day, tso: 'DE_TENNET' };
  return (await operator.post('/operator/v1/exchange/status-request', body)).body;
}

const stateOf = async (id: string | undefined): Promise<[string, string | null]> => {
  const { body } = await operator(`/operator/v1/messages/${id}`);
  return [body.state, body.error];
};

test('a TSO that rejects a status request rejects no schedule, and raises an alarm', async () => {
  const day = '2026-11-27';
  await sendAt('2026-11-26T13:00:00Z', day, 100);
  const [schedule] = await messages(`&delivery_date=${day}&type=schedule`);
  const sent = await operator(`/operator/v1/messages/${schedule?.id}/raw`);
  const { acknowledgement } = answersTo(await readSchedule(Buffer.from(sent.text)), CONFORMING, clock.now());
  const watched = async () => {
    await watchExchange(db, clock, exchange);
    const { body } = await operator(`/operator/v1/exchange/alarms?delivery_date=${day}`);
    return (body.alarms as Alarm[]).map(({ kind, text }) => [kind, text]);
  };
  const made = await ask(day);
  const rejection: Acknowledgement = {
    ...acknowledgement,
    id: 'SRQ-1',
    outcome: 'rejected',
    reasons: [
      { code: 'A02', text: null },
      { code: 'A59', text: 'unknown party' },
    ],
    answers: { messageId: await identificationOf(made.id), version: 1 },
  };
  const stranger = await receive(writeAnswer({ ...rejection, sender: '10XDE-RWENET---W' }, 'ess'));
  assert.equal(stranger.body.message.state, 'ignored');
  const received = await receive(writeAnswer(rejection, 'ess'));
  assert.deepEqual(
    [received.body.message.state, received.body.message.answers, received.body.nominations],
    ['applied', made.id, []],
  );
  const error = 'The TSO rejected the status request: A02; A59 “unknown party”.';
  assert.deepEqual(await stateOf(made.id), ['rejected', error]);
  assert.equal(
    (await receive(writeAnswer(rejection, 'ess'))).body.message.state,
    'ignored',
    'it is repeated',
  );
  const text = `The status request about the schedule of 27 Nov 2026 for TenneT, sent on 26 Nov 2026 at 14:00 German time, was rejected. ${error}`;
  assert.deepEqual(await watched(), [['status_request_rejected', text]]);
  assert.deepEqual(await stateOf(schedule?.id), ['sent', null]);

  clock.set('2026-11-26T13:01:00Z');
  const again = await ask(day);
  const accepted = { ...acknowledgement, id: 'SRQ-2' };
  const answers = { messageId: await identificationOf(again.id), version: null };
  assert.equal((await receive(writeAnswer({ ...accepted, answers }, 'cim'))).status, 200);
  assert.deepEqual(await stateOf(again.id), ['acknowledged', null]);
  assert.deepEqual(await stateOf(made.id), ['rejected', error]);
  assert.deepEqual(await watched(), []);
  await answer();
});

const ACKNOWLEDGED_AT = statement(
  'test_request_acknowledged_at',
  'select acknowledged_at from message where id = $1',
);

test('an answer to a status request that waits for its day has the instant after the wait', async () => {
  const day = '2026-12-01';
  await sendAt('2026-11-28T13:00:00Z', day, 100);
  const [schedule] = await messages(`&delivery_date=${day}&type=schedule`);
  const sent = await operator(`/operator/v1/messages/${schedule?.id}/raw`);
  const { acknowledgement } = answersTo(await readSchedule(Buffer.from(sent.text)), CONFORMING, clock.now());
  const made = await ask(day);
  const answers = { messageId: await identificationOf(made.id), version: null };
  const document = writeAnswer({ ...acknowledgement, id: 'SRQ-4', answers }, 'ess');
  const later = clock.now() + 60_000;
  const answered = await db.transaction(async (tx) => {
    await lockDay(tx, day);
    const receiving = receive(document);
    await Promise.race([untilBlockedFor(tx, 0), receiving]);
    clock.set(new Date(later).toISOString());
    return { receiving };
  });
  assert.equal((await answered.receiving).status, 200);
  const uuid = decodeId(ID_PREFIX.message, made.id);
  assert.deepEqual(await db.query(ACKNOWLEDGED_AT, [uuid]), [{ acknowledged_at: later }]);
  await answer();
});

test('a status request that the TSO could not read is named by its file', async () => {
  const day = '2026-11-30';
  await sendAt('2026-11-29T13:00:00Z', day, 100);
  const first = await ask(day);
  clock.set('2026-11-29T13:01:00Z');
  const second = await ask(day);
  assert.deepEqual(
    [first.file_name, second.file_name],
    [
      '20261130_SRQ_11XSALDO-------Z_10XDE-EON-NETZ-C.XML',
      '20261130_SRQ_11XSALDO-------Z_10XDE-EON-NETZ-C.XML',
    ],
  );
  const sidecar = await readFile(path.join(outboxDir, `${second.file_name}.json`), 'utf8');
  const { document_type, document_no, message_id } = JSON.parse(sidecar);
  assert.deepEqual([document_type, document_no, message_id], ['A59', 1, second.id]);
  const [schedule] = await messages(`&delivery_date=${day}&type=schedule`);
  const sent = await operator(`/operator/v1/messages/${schedule?.id}/raw`);
  const { acknowledgement } = answersTo(await readSchedule(Buffer.from(sent.text)), CONFORMING, clock.now());
  const unnamed = { ...acknowledgement, id: 'SRQ-3', outcome: 'rejected' as const, answers: null };
  const document = writeAnswer({ ...unnamed, reasons: [{ code: 'A02', text: null }] }, 'ess').replace(
    '<ReceiverRole v="A08"/>',
    `$&<ReceivingPayloadName v="${second.file_name}"/>`,
  );
  const received = await receive(document);
  assert.deepEqual(
    [received.body.message.state, received.body.message.answers],
    ['applied', second.id],
    'the newest request of that name',
  );
  assert.equal((await stateOf(first.id))[0], 'sent');
  assert.equal((await stateOf(second.id))[0], 'rejected');
  await answer();
});
