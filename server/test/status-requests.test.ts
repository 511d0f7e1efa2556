import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Tso } from '@saldo/api';
import { readStatusRequest } from '@saldo/core/exchange/documents/status-request.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { sendDue } from '../src/exchange/process/send.ts';
import { watchExchange } from '../src/exchange/process/watch.ts';
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
    operator('/operator/v1/exchange/status-request', { method: 'POST', body: { delivery_date: day, tso } });
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
  assert.deepEqual(readStatusRequest(raw.text, exchange.rules), { tso: 'DE_AMPRION', day });
  const { body: audit } = await operator(`/operator/v1/audit?subject=${made.body.id}`);
  assert.equal(audit.entries[0].action, 'status.requested');

  const before = await messages(`&delivery_date=${day}&direction=in&tso=DE_TENNET`);
  await answer();
  const again = (await messages(`&delivery_date=${day}&direction=in&tso=DE_TENNET`)).slice(before.length);
  assert.deepEqual(
    again.map(({ type, state, answers }) => [type, state, answers]),
    [['confirmation', 'applied', schedule?.id]],
  );
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
  const made = await operator('/operator/v1/exchange/status-request', { method: 'POST', body });
  assert.equal(made.body.state, 'stored');
  assert.match(made.body.error, /the outbox cannot be written/);
  assert.deepEqual((await operator('/operator/v1/exchange/unsent')).body.unsent, []);
  await rm(outboxDir);
  const run = await sendDue(db, clock.now(), exchange);
  assert.deepEqual([run.messageIds.length, run.faults], [1, []]);
  const sent = await operator(`/operator/v1/messages/${made.body.id}`);
  assert.deepEqual([sent.body.state, sent.body.error], ['sent', null]);
  await answer();
  clock.set('2026-11-25T14:00:00Z');
  const { begun } = await watchExchange(db, clock.now(), exchange);
  assert.deepEqual(begun, [], 'no answer to a status request is overdue');
});

test('a TSO that rejects a status request rejects no schedule', async () => {
  const day = '2026-11-27';
  await sendAt('2026-11-26T13:00:00Z', day, 100);
  const body = { delivery_date: day, tso: 'DE_TENNET' };
  const made = await operator('/operator/v1/exchange/status-request', { method: 'POST', body });
  const raw = await operator(`/operator/v1/messages/${made.body.id}/raw`);
  const [, messageId = ''] = /MessageIdentification v="([^"]+)"/.exec(raw.text) ?? [];
  const [schedule] = await messages(`&delivery_date=${day}&type=schedule`);
  const sent = await operator(`/operator/v1/messages/${schedule?.id}/raw`);
  const { acknowledgement } = answersTo(await readSchedule(Buffer.from(sent.text)), CONFORMING, clock.now());
  for (const version of [0, 1]) {
    const rejection = {
      ...acknowledgement,
      id: `SRQ-${version}`,
      outcome: 'rejected' as const,
      reasons: [{ code: 'A02', text: null }],
      answers: { messageId, version },
    };
    const document = writeAnswer(rejection, 'ess').replace('<ReceivingMessageVersion v="0"/>\n', '');
    assert.equal((await receive(document)).body.message.state, 'ignored');
  }
  assert.equal((await operator(`/operator/v1/messages/${schedule?.id}`)).body.state, 'sent');
  await answer();
});
