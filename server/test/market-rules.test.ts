import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { Tso, UnsentNomination } from '@saldo/api';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { sendDue } from '../src/exchange/process/send.ts';
import { temporaryFolder } from './clean-up.ts';
import { agree, newPlace, operating, readSchedule } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';
import { CHECKOUT, parseBlocks } from './markdown-blocks.ts';
import { flat } from './nominated.ts';

/** The last day of the old rules and the first of the new ones in the example of the page of market rules. */
const [BEFORE, SINCE] = ['2027-03-31', '2027-04-01'];
const [OLD_PARTY, NEW_PARTY] = ['10XDE-RWENET---W', '11XNORDWIND----J'];

const folder = await temporaryFolder();
const read = (name: string) => readFile(path.join(CHECKOUT, name), 'utf8');
const builtIn = JSON.parse(await read('core/src/market-rules.json'));
const examples = parseBlocks('docs/market-rules.md', await read('docs/market-rules.md'));
const example = JSON.parse(examples.find(({ text }) => text.includes('"day_ahead"'))?.text ?? '');
const [amprion] = builtIn.control_areas.DE_AMPRION;
const rulesFile = path.join(folder, 'market-rules.json');
await writeFile(
  rulesFile,
  JSON.stringify({
    ...builtIn,
    ...example,
    control_areas: {
      ...builtIn.control_areas,
      DE_AMPRION: [amprion, { ...amprion, valid_from: SINCE, party: NEW_PARTY }],
    },
  }),
);

const platform = await startTestPlatform({
  now: '2027-03-29T08:00:00Z',
  environment: { MARKET_RULES: rulesFile, WAIT_PHASE: 'DE_AMPRION=send' },
});
const { clock, db, exchange, config, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, messages } = operating(platform, operator);
const place = (tso: Tso) => newPlace(platform, tso);
const [seller, buyer] = [await place('DE_AMPRION'), await place('DE_AMPRION')];
const tennet = [await place('DE_TENNET'), await place('DE_TENNET')] as const;
const withinAmprion = await agree(world, seller, buyer);
const withinTennet = await agree(world, ...tennet);
const acrossAreas = await agree(world, seller, tennet[1]);

/** The schedules that the job sends at this instant. */
async function jobAt(instant: string): Promise<string[]> {
  clock.set(instant);
  const { messageIds } = await sendDue(db, clock, exchange);
  const ids = new Set(messageIds.map((uuid) => encodeId(ID_PREFIX.message, uuid)));
  const sent = (await messages('&direction=out')).filter(({ id }) => ids.has(id));
  return sent.map(({ tso, delivery_date, version }) => `${tso} ${delivery_date} ${version}`).toSorted();
}

async function change(day: string, instant: string, kwh: number, contract = withinAmprion): Promise<void> {
  clock.set(instant);
  await world.volumes(contract, day, flat(day, kwh));
  await world.nominate();
}

const unsent = async (day: string): Promise<UnsentNomination[]> =>
  (await operator(`/operator/v1/exchange/unsent?delivery_date=${day}`)).body.unsent;

test('with other rules from a date on, days before it use the old gate and days from it on the new one', async () => {
  const gateOf = async (day: string) =>
    (await operator(`/operator/v1/delivery-days/${day}`)).body.gates.map(
      (gate: { phase: string; closes_at: string }) => `${gate.phase} ${gate.closes_at}`,
    );
  assert.deepEqual((await gateOf(BEFORE)).slice(0, 2), [
    'day_ahead 2027-03-30T12:30:00Z',
    'wait 2027-03-30T14:00:00Z',
  ]);
  assert.deepEqual((await gateOf(SINCE)).slice(0, 2), [
    'day_ahead 2027-03-31T12:00:00Z',
    'wait 2027-03-31T14:00:00Z',
  ]);
});

test('nominations and sending of a day follow the gate in force on it', async () => {
  for (const [day, sendsAt, gate] of [
    [BEFORE, '2027-03-30T12:00:00Z', '2027-03-30T12:30:00Z'],
    [SINCE, '2027-03-31T11:30:00Z', '2027-03-31T12:00:00Z'],
  ] as const) {
    await change(day, '2027-03-29T08:00:00Z', 100);
    for (const waiting of await unsent(day))
      assert.deepEqual([waiting.gate_closure, waiting.sends_at], [gate, sendsAt]);
  }
  assert.deepEqual(await jobAt('2027-03-30T11:59:59Z'), []);
  assert.deepEqual(await jobAt('2027-03-30T12:00:00Z'), [`DE_AMPRION ${BEFORE} 1`]);
  assert.deepEqual(await jobAt('2027-03-31T11:29:59Z'), []);
  assert.deepEqual(await jobAt('2027-03-31T11:30:00Z'), [`DE_AMPRION ${SINCE} 1`]);
  // After 14:00 local time a version has to meet the first intraday gate.
  await change(SINCE, '2027-03-31T12:00:00Z', 101);
  assert.equal((await unsent(SINCE))[0]?.gate_closure, '2027-03-31T21:45:00Z');
  assert.deepEqual(await jobAt('2027-03-31T12:00:01Z'), [`DE_AMPRION ${SINCE} 2`]);
});

test('a schedule is addressed to the party code in force on its day, and answered by it', async () => {
  const receivers: [string, string, string][] = [
    [BEFORE, OLD_PARTY, NEW_PARTY],
    [SINCE, NEW_PARTY, OLD_PARTY],
  ];
  for (const [day, party, other] of receivers) {
    const message = (await messages(`&delivery_date=${day}&direction=out`)).at(-1);
    assert.ok(message?.file_name?.includes(party), message?.file_name ?? '');
    const raw = await operator(`/operator/v1/messages/${message?.id}/raw`);
    assert.match(raw.text, new RegExp(`ReceiverIdentification v="${party}"`));
    const schedule = await readSchedule(Buffer.from(raw.text), config.marketRules);
    const { acknowledgement } = answersTo(schedule, CONFORMING, clock.now());
    const answerOf = (sender: string) =>
      receive(writeAnswer({ ...acknowledgement, sender }, 'ess', config.marketRules));
    const refused = (await answerOf(other)).body.message;
    assert.equal(refused.state, 'ignored');
    assert.match(refused.error, new RegExp(`comes from ${other}, not from ${party}`));
    assert.equal((await answerOf(party)).body.message.state, 'applied');
  }
});

test('in the wait phase changes go at once to the TSOs of WAIT_PHASE=send, and to the others when it ends', async () => {
  const day = '2027-04-03';
  await change(day, '2027-03-31T15:00:00Z', 100);
  await change(day, '2027-03-31T15:00:00Z', 100, withinTennet);
  assert.deepEqual(await jobAt('2027-04-02T11:30:00Z'), [`DE_AMPRION ${day} 1`, `DE_TENNET ${day} 1`]);
  // One change concerns both areas: their bridge and one nomination in each.
  await change(day, '2027-04-02T12:10:00Z', 50, acrossAreas);
  const sendsAt = (await unsent(day)).map(({ tso, sends_at }) => `${tso} ${sends_at}`);
  assert.deepEqual(sendsAt.toSorted(), ['DE_AMPRION 2027-04-02T12:10:00Z', 'DE_TENNET 2027-04-02T14:00:00Z']);
  assert.deepEqual(await jobAt('2027-04-02T12:10:00Z'), [`DE_AMPRION ${day} 2`]);
  const { messages: sent, faults } = await send({ delivery_date: day });
  assert.deepEqual(sent, []);
  assert.deepEqual(
    faults.map(({ tso }) => tso),
    ['DE_TENNET'],
  );
  assert.match(faults[0]?.error ?? '', /held until the wait phase ends on 2 Apr 2027 at 16:00 German time\./);
  assert.deepEqual(await jobAt('2027-04-02T13:59:59Z'), []);
  assert.deepEqual(await jobAt('2027-04-02T14:00:00Z'), [`DE_TENNET ${day} 2`]);
  assert.deepEqual(await unsent(day), []);
});
