import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../src/platform/db/statement.ts';
import { CLAIM_LIMITS } from '../src/webhooks/claim.ts';
import { deleteOldDeliveries } from '../src/webhooks/fan-out.ts';
import { client, startTestPlatform } from './harness.ts';
import {
  type Answering,
  answerStatus,
  appendEvent,
  type Received,
  startReceiver,
  webhookWorkerOf,
} from './webhook-receiver.ts';

const EVENTS = 40;
const BASE = '/v1/webhook-endpoints';
const environment = { WEBHOOK_ALLOW_PRIVATE: 'on' };
const platform = await startTestPlatform({ environment });
const crowded = await startTestPlatform({ environment });
const shared = await startTestPlatform({ environment });
const { world } = platform;

const endless: Answering = (_received, response) => {
  response.writeHead(200);
  const write = () => {
    while (!response.destroyed)
      if (!response.write('x'.repeat(65_536))) return void response.once('drain', write);
  };
  write();
};
const ownerOf = (brp: { no: number }) => ({ type: 'brp' as const, brpNo: brp.no });
const idOf = ({ body }: Received): string => JSON.parse(body).data.id;

async function appendMany(on: typeof platform, brp: { no: number }, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `cust_${n}`);
  for (const id of ids) await appendEvent(on, ownerOf(brp), id);
  return ids;
}

async function endpointOf(on: typeof platform, brp: { key: string }, url: string): Promise<string> {
  const answer = await client(on.baseUrl, brp.key).post(BASE, { url });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

test('receivers that hang, fail, redirect, are gone or never stop answering do not delay another one', async (t) => {
  const healthy = await world.brp();
  const target = await startReceiver();
  const bad = [
    await startReceiver(() => {}),
    await startReceiver(() => {}),
    await startReceiver(answerStatus(500)),
    await startReceiver(answerStatus(302, '', { location: target.url })),
    await startReceiver(answerStatus(410)),
    await startReceiver(endless),
  ];
  for (const { url } of bad) {
    const brp = await world.brp();
    await endpointOf(platform, brp, url);
    await appendMany(platform, brp, EVENTS);
  }
  const good = await startReceiver();
  await endpointOf(platform, healthy, good.url);
  const ids = await appendMany(platform, healthy, EVENTS);
  const stop = webhookWorkerOf(platform, { totalMs: 600_000 }).start(0);
  t.after(stop);
  await good.count(EVENTS);
  assert.deepEqual(good.received.map(idOf).toSorted(), ids.toSorted());
  const [hanging] = bad as [(typeof bad)[0]];
  await hanging.count(CLAIM_LIMITS.perEndpoint);
  await stop();
  assert.equal(hanging.received.length, CLAIM_LIMITS.perEndpoint, 'one endpoint has a few tries at once');
  assert.deepEqual(target.received, []);
});

test('a stop makes interrupted tries due again, without counting them', async () => {
  const brp = await world.brp();
  const receiver = await startReceiver(() => {});
  const id = await endpointOf(platform, brp, receiver.url);
  await appendMany(platform, brp, 1);
  const stop = webhookWorkerOf(platform, { totalMs: 600_000 }).start(0);
  await receiver.count(1);
  await stop();
  const request = client(platform.baseUrl, brp.key);
  const [delivery] = (await request(`${BASE}/${id}/deliveries`)).body.deliveries;
  assert.deepEqual([delivery.state, delivery.attempts], ['pending', 0]);
  assert.equal(Date.parse(delivery.next_attempt_at), platform.clock.now());
});

test('more hanging endpoints than tries at once leave room for another one', async (t) => {
  const ownWorld = crowded.world;
  const hanging = await startReceiver(() => {});
  const count = CLAIM_LIMITS.atOnce + 20;
  const perBrp = 10;
  for (let made = 0; made < count; made += perBrp) {
    const brp = await ownWorld.brp();
    for (let n = 0; n < perBrp; n++) await endpointOf(crowded, brp, hanging.url);
    await appendMany(crowded, brp, 2);
  }
  // They have failed before, as every endpoint that hangs does after its first tries.
  const fail = statement('test_fail', 'update webhook_endpoint set failing_since = created_at');
  await crowded.db.transaction((tx) => tx.query(fail));
  const stop = webhookWorkerOf(crowded, { totalMs: 600_000 }).start(0);
  t.after(stop);
  await hanging.count(CLAIM_LIMITS.failingAtOnce);
  const brp = await ownWorld.brp();
  const good = await startReceiver();
  await endpointOf(crowded, brp, good.url);
  await appendMany(crowded, brp, 3);
  await good.count(3);
  await stop();
  assert.equal(hanging.received.length, CLAIM_LIMITS.failingAtOnce);
});

test('several processes share the work: every event is delivered exactly once', async (t) => {
  const ownWorld = shared.world;
  const brp = await ownWorld.brp();
  const receiver = await startReceiver();
  const id = await endpointOf(shared, brp, receiver.url);
  const stops = Array.from({ length: 4 }, () => webhookWorkerOf(shared).start(60_000));
  const stopAll = () => Promise.all(stops.map((stop) => stop()));
  t.after(stopAll);
  const ids = await appendMany(shared, brp, 100);
  await receiver.count(100);
  await stopAll();
  assert.deepEqual(receiver.received.map(idOf).toSorted(), ids.toSorted());
  const states = await shared.db.query<{ state: string; count: number }>(
    statement('test_states', 'select state, count(*) as count from webhook_delivery group by state'),
  );
  assert.deepEqual(states, [{ state: 'succeeded', count: 100 }]);
  const request = client(shared.baseUrl, brp.key);
  assert.equal(
    (await request(`${BASE}/${id}/deliveries?state=succeeded&limit=100`)).body.deliveries.length,
    100,
  );
  assert.deepEqual((await request(`${BASE}/${id}/deliveries?state=failed`)).body.deliveries, []);
});

test('deliveries are deleted with their events and with their endpoint', async () => {
  const brp = await world.brp();
  const receiver = await startReceiver();
  const request = client(platform.baseUrl, brp.key);
  const [kept, deleted] = [
    await endpointOf(platform, brp, receiver.url),
    await endpointOf(platform, brp, receiver.url),
  ];
  await appendMany(platform, brp, 3);
  const worker = webhookWorkerOf(platform);
  await worker.deliver();
  const listed = async () => (await request(`${BASE}/${kept}/deliveries`)).body.deliveries;
  const before = await listed();
  assert.equal(before.length, 3);
  // As the event log does when it deletes the oldest events.
  const forget = statement(
    'test_forget',
    `update event_log set deleted_to = (
       select min(event_sequence) from webhook_delivery d
       where d.endpoint_id = (select id from webhook_endpoint where typeid('whe', id) = $1))`,
  );
  await platform.db.transaction((tx) => tx.query(forget, [kept]));
  await request.delete(`${BASE}/${deleted}`);
  await deleteOldDeliveries(platform.db);
  assert.deepEqual(await listed(), before.slice(1));
  const left = statement(
    'test_left',
    "select count(*) as count from webhook_endpoint where typeid('whe', id) = $1",
  );
  assert.deepEqual(await platform.db.query(left, [deleted]), [{ count: 0 }]);
});
