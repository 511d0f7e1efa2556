import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { simulationEndpoints } from '@saldo/api';
import { isTrial } from '../src/start/first-start.ts';
import { temporaryFolder } from './clean-up.ts';
import { assertProblem, client, startTestPlatform } from './harness.ts';
import { listNominated } from './nominated.ts';
import { sendRepeatedly } from './repetition.ts';

const DAY = '2026-10-22';
const NOW = '2026-10-20T08:00:00Z';
const platform = await startTestPlatform({ now: NOW, environment: { SANDBOX: 'on' } });
const plain = await startTestPlatform({ now: NOW });
const { world } = platform;
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const operator = client(platform.baseUrl, await world.operatorKey());
const asSeller = client(platform.baseUrl, seller.key);

/** Sends a changed schedule of the day and returns the id of its message. */
async function sendDay(day: string, kwh: number): Promise<string> {
  await world.volumes(contract, day, kwh);
  await world.nominate();
  const sent = await operator.post('/operator/v1/exchange/send', { delivery_date: day });
  assert.equal(sent.body.messages.length, 1, sent.text);
  return sent.body.messages[0].id;
}
const sendSchedule = (kwh: number) => sendDay(DAY, kwh);
const simulate = (id: string, answer: string, headers: Record<string, string> = {}) =>
  operator.post(`/operator/v1/messages/${id}/simulated-answer`, { answer }, { headers });
const stateOf = async (id: string) => (await operator(`/operator/v1/messages/${id}`)).body.state;
const current = async () => {
  const versions = await listNominated(asSeller, `&delivery_date=${DAY}`);
  return versions.find(({ status }) => status !== 'superseded');
};

test('the simulated TSO rejects, confirms with other amounts, or confirms a schedule now', async () => {
  const rejected = await sendSchedule(100);
  const refusal = await simulate(rejected, 'rejection');
  assert.deepEqual(
    refusal.body.messages.map(({ type, state, answers }: Record<string, string>) => [type, state, answers]),
    [['acknowledgement', 'applied', rejected]],
  );
  assert.equal(await stateOf(rejected), 'rejected');

  const differing = await sendSchedule(110);
  await simulate(differing, 'mismatch');
  assert.equal(await stateOf(differing), 'confirmed');
  const short = await current();
  assert.equal(short?.status, 'partial_match');
  // 40 kW less than 440 kW.
  assert.deepEqual([short?.slots[0]?.amount, short?.slots[0]?.matched_amount], [0.11, 0.1]);

  const equal = await sendSchedule(120);
  const document = await operator('/operator/openapi.json');
  const { body } = await sendRepeatedly(document, simulationEndpoints.simulateAnswer, (headers) =>
    simulate(equal, 'match', headers),
  );
  assert.deepEqual(
    body.messages.map(({ type }: { type: string }) => type),
    ['acknowledgement', 'confirmation', 'confirmation'],
  );
  assert.equal((await current())?.status, 'match');
  const [audited] = (await operator(`/operator/v1/audit?subject=${body.messages[0].id}`)).body.entries;
  assert.equal(audited.action, 'message.received');
});

test('a mismatch concerns the balance group that the request names', async () => {
  const day = '2026-10-23';
  let id = await sendDay(day, 100);
  const statuses = async () =>
    new Map(
      (await operator(`/operator/v1/nominations?delivery_date=${day}`)).body.nominations
        .filter(({ status }: Record<string, string>) => status !== 'superseded')
        .map(({ eic, status }: Record<string, string>) => [eic, status]),
    );
  // Each of them, so that neither is the one that is chosen without a name.
  const eics = [...(await statuses()).keys()];
  assert.equal(eics.length, 2);
  for (const [at, eic] of eics.entries()) {
    if (at > 0) id = await sendDay(day, 110);
    const path = `/operator/v1/messages/${id}/simulated-answer`;
    assert.equal((await operator.post(path, { answer: 'mismatch', eic })).status, 200);
    assert.deepEqual(
      await statuses(),
      new Map(eics.map((known) => [known, known === eic ? 'partial_match' : 'match'])),
    );
  }
});

test('a balance group that is not in the schedule, or of an answer without differences, is rejected', async () => {
  const id = await sendDay('2026-10-24', 100);
  const path = `/operator/v1/messages/${id}/simulated-answer`;
  const listed = await operator('/operator/v1/nominations?delivery_date=2026-10-24');
  const { eic } = listed.body.nominations[0];
  const elsewhere = await world.group(await world.brp());
  const before = await stateOf(id);
  for (const body of [
    { answer: 'mismatch', eic: elsewhere.eic },
    { answer: 'match', eic },
    { answer: 'rejection', eic },
  ])
    assertProblem(await operator.post(path, body), 400, 'validation', ['eic validation_failed']);
  assert.equal(await stateOf(id), before);
  const { messages } = (await operator('/operator/v1/messages?delivery_date=2026-10-24')).body;
  assert.deepEqual(
    messages.map((message: { id: string }) => message.id),
    [id],
  );
});

test('only schedules of ours are answered', async () => {
  const id = await sendSchedule(130);
  const [answer] = (await simulate(id, 'match')).body.messages;
  for (const other of [answer.id, `msg_${'0'.repeat(26)}`, 'nonsense']) {
    const { status, body } = await simulate(other, 'match');
    assert.deepEqual([status, body.type.split('/').at(-1)], [404, 'message_not_found']);
  }
  const wrong = await simulate(id, 'nothing');
  assert.deepEqual([wrong.status, wrong.body.errors[0].code], [400, 'invalid_enum_value']);
});

test('without a demo world or a sandbox no answer can be simulated', async () => {
  const key = await plain.world.operatorKey();
  const asked = client(plain.baseUrl, key);
  const id = `msg_${'0'.repeat(26)}`;
  const path404 = `/operator/v1/messages/${id}/simulated-answer`;
  const { status, body } = await asked.post(path404, { answer: 'match' });
  assert.deepEqual([status, body.type.split('/').at(-1)], [404, 'not_found']);
  assert.equal((await asked('/operator/v1/health')).body.can_simulate, false);
  assert.equal((await operator('/operator/v1/health')).body.can_simulate, true);
});

test('a platform has a demo world if its data folder has the file of the demo', async () => {
  const dataDir = await temporaryFolder();
  const config = { ...plain.config, sandbox: false, demo: true, dataDir };
  assert.equal(isTrial(config), false);
  await writeFile(path.join(dataDir, 'demo.json'), '{}');
  assert.equal(isTrial(config), true);
  assert.equal(isTrial({ ...config, demo: false }), false);
});
