import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS, type SaldoEvent } from '@saldo/api';
import { Webhook } from 'standardwebhooks';
import { appendEvents, EVENTS_PER_ROW } from '../src/events/store.ts';
import { statement } from '../src/platform/db/statement.ts';
import { fanOutEvents } from '../src/webhooks/fan-out.ts';
import { RETRY_DELAYS_MS } from '../src/webhooks/results.ts';
import {
  answerWithoutId,
  assertProblem,
  assertRefused,
  bodyOf,
  client,
  startTestPlatform,
  walk,
} from './harness.ts';
import {
  answerStatus,
  appendEvent,
  type Received,
  startReceiver,
  webhookWorkerOf,
} from './webhook-receiver.ts';
import type { WorldBrp } from './world.ts';

const NOW = '2026-10-20T08:00:00Z';
const environment = { WEBHOOK_ALLOW_PRIVATE: 'on' };
const platform = await startTestPlatform({ now: NOW, environment });
const guarded = await startTestPlatform({ now: NOW });
/** Signatures are verified by the clock of this machine. */
const timely = await startTestPlatform({ now: new Date().toISOString(), environment });
const { world } = platform;
const worker = webhookWorkerOf(platform);

const BASE = '/v1/webhook-endpoints';
const asOperator = client(platform.baseUrl, await world.operatorKey());
const accountKey = await world.accountKey();

async function newBrp() {
  const brp = await world.brp();
  const request = client(platform.baseUrl, brp.key);
  const create = (url: string, settings: object = {}) =>
    bodyOf(request.post(BASE, { url, ...settings }), 201);
  const patch = (id: string, body: object) => request.patch(`${BASE}/${id}`, body);
  const deliveries = async (id: string, query = '') =>
    (await request(`${BASE}/${id}/deliveries?${query}`)).body.deliveries;
  return { brp, request, create, patch, deliveries };
}

const ownerOf = (brp: WorldBrp) => ({ type: 'brp' as const, brpNo: brp.no });
const customerUpdated = (brp: WorldBrp, id = 'cust_1') => appendEvent(platform, ownerOf(brp), id);
const later = (ms: number) => platform.clock.set(new Date(platform.clock.now() + ms).toISOString());

const FORGET_NUMBERS = statement(
  'test_forget_numbers',
  'update webhook_delivery set event_number = null where next_attempt_at is not null',
);
const idsOf = ({ received }: { received: Received[] }) =>
  received.map((one) => JSON.parse(one.body).data.id as string);
const verify = ({ headers, body }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test('an event is delivered once, signed, with its id and its JSON as in the feed', async () => {
  const receiver = await startReceiver(answerStatus(200, 'thanks'));
  const { brp, create, deliveries } = await newBrp();
  const endpoint = await create(receiver.url, { description: 'Dispatch' });
  assert.match(endpoint.secret, /^whsec_[\w+/]{43}=$/);
  await customerUpdated(brp);
  await worker.deliver();
  await worker.deliver();
  assert.equal(receiver.received.length, 1);
  const [one] = receiver.received as [Received];
  const event = JSON.parse(one.body);
  assert.equal(event.type, 'customer.updated');
  assert.deepEqual(event.data, { object: 'customer', id: 'cust_1', changed: [] });
  assert.equal(one.headers['webhook-id'], event.id);
  assert.equal(one.headers['content-type'], 'application/json');
  assert.equal(Number(one.headers['webhook-timestamp']), Date.parse(NOW) / 1000);
  const [delivery] = await deliveries(endpoint.id);
  assert.equal(delivery.event_id, event.id);
  assert.deepEqual(
    [delivery.state, delivery.attempts, delivery.status_code, delivery.response, delivery.error],
    ['succeeded', 1, 200, 'thanks', null],
  );
  assert.equal(delivery.next_attempt_at, null);
});

test('the signature verifies with the public package, during a rotation with both secrets, and later with the new one', async () => {
  const ownWorld = timely.world;
  const brp = await ownWorld.brp();
  const request = client(timely.baseUrl, brp.key);
  const receiver = await startReceiver();
  const made = (await request.post(BASE, { url: receiver.url })).body;
  const ownWorker = webhookWorkerOf(timely);
  const send = async () => {
    await appendEvent(timely, ownerOf(brp), 'cust_ä€');
    await ownWorker.deliver();
    return receiver.received.at(-1) as Received;
  };
  assert.equal((verify(await send(), made.secret) as { data: { id: string } }).data.id, 'cust_ä€');
  const rotated = (await request.post(`${BASE}/${made.id}/rotate-secret`)).body;
  assert.notEqual(rotated.secret, made.secret);
  const both = await send();
  assert.equal(both.headers['webhook-signature']?.toString().split(' ').length, 2);
  verify(both, made.secret);
  verify(both, rotated.secret);
  const ends = Date.parse(rotated.previous_secret_ends_at);
  assert.equal(Math.round((ends - timely.clock.now()) / 3_600_000), 24);
  const row = (await request(`${BASE}/${made.id}`)).body;
  assert.equal(row.previous_secret_ends_at, rotated.previous_secret_ends_at);
  assert.equal('secret' in row, false);
  const again = (await request.post(`${BASE}/${made.id}/rotate-secret`)).body;
  const third = await send();
  assert.throws(() => verify(third, made.secret), /No matching signature/);
  verify(third, rotated.secret);
  verify(third, again.secret);
});

test('a previous secret ends after 24 hours', async () => {
  const receiver = await startReceiver();
  const { brp, request, create } = await newBrp();
  const { id } = await create(receiver.url);
  await request.post(`${BASE}/${id}/rotate-secret`);
  later(24 * 3_600_000);
  await customerUpdated(brp);
  await worker.deliver();
  assert.equal(receiver.received[0]?.headers['webhook-signature']?.toString().split(' ').length, 1);
  assert.equal((await request(`${BASE}/${id}`)).body.previous_secret_ends_at, null);
});

test('an endpoint gets the events of its owner and of its types only', async () => {
  const receivers = await Promise.all(Array.from({ length: 4 }, () => startReceiver()));
  const [all, assigned, subject, other] = receivers;
  const [a, b] = [await newBrp(), await newBrp()];
  await a.create(all!.url);
  await a.create(assigned!.url, { types: ['contract.*', 'customer.assigned'] });
  await a.create(subject!.url, { types: ['customer.*'] });
  await b.create(other!.url);
  await appendEvent(platform, ownerOf(a.brp), 'cust_1', 'customer.updated');
  await appendEvent(platform, ownerOf(a.brp), 'cust_2', 'customer.assigned');
  await worker.deliver();
  assert.deepEqual(
    receivers.map((receiver) => idsOf(receiver).toSorted()),
    [['cust_1', 'cust_2'], ['cust_2'], ['cust_1', 'cust_2'], []],
  );
});

test('the operator and accounts have endpoints too, an account also for events of all accounts', async () => {
  const [ofOperator, ofAccount] = [await startReceiver(), await startReceiver()];
  const path = '/operator/v1/webhook-endpoints';
  assert.equal((await asOperator.post(path, { url: ofOperator.url })).status, 201);
  const asAccount = client(platform.customerUrl, accountKey);
  const made = await asAccount.post(BASE, { url: ofAccount.url });
  assert.equal(made.status, 201);
  await appendEvent(platform, { type: 'operator' }, 'cust_of_operator');
  const body = { contract_period: 10, delivery_volume: 24_000, country: 'DE' };
  const demand = (await asOperator.post('/operator/v1/demands', body)).body;
  await worker.deliver();
  assert.deepEqual([idsOf(ofOperator), idsOf(ofAccount)], [['cust_of_operator'], [demand.id]]);
  const asOther = client(platform.customerUrl, await world.accountKey());
  assertProblem(await asOther(`${BASE}/${made.body.id}`), 404, 'webhook_endpoint_not_found');
});

test('a failed delivery is tried at the planned times, and then has failed', async () => {
  const receiver = await startReceiver(answerStatus(500, 'x'.repeat(5000)));
  const { brp, request, create, deliveries } = await newBrp();
  const { id } = await create(receiver.url);
  await customerUpdated(brp);
  for (const [index, delay] of RETRY_DELAYS_MS.entries()) {
    await worker.deliver();
    assert.equal(receiver.received.length, index + 1);
    const [delivery] = await deliveries(id);
    assert.deepEqual(
      [delivery.state, delivery.attempts, delivery.status_code, delivery.error],
      ['pending', index + 1, 500, 'Status 500.'],
    );
    assert.equal(delivery.response, 'x'.repeat(1024));
    assert.equal(Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at), delay);
    later(delay - 1);
    await worker.deliver();
    assert.equal(receiver.received.length, index + 1, 'not before its time');
    later(1);
  }
  await worker.deliver();
  const [delivery] = await deliveries(id);
  assert.deepEqual([delivery.state, delivery.attempts, delivery.next_attempt_at], ['failed', 8, null]);
  const german = await request(`${BASE}/${id}/deliveries`, { headers: { 'accept-language': 'de' } });
  assert.equal(german.headers.get('content-language'), 'de');
  assert.equal(german.body.deliveries[0].error, 'Der Empfänger hat mit Status 500 geantwortet.');
  later(10 * 3_600_000);
  await worker.deliver();
  assert.equal(receiver.received.length, 8);
  assert.equal(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size, 1);
});

test('a redirect is a failure and is not followed', async () => {
  const target = await startReceiver();
  const receiver = await startReceiver(answerStatus(307, '', { location: target.url }));
  const { brp, create, deliveries } = await newBrp();
  const { id } = await create(receiver.url);
  await customerUpdated(brp);
  await worker.deliver();
  const [delivery] = await deliveries(id);
  assert.deepEqual(
    [delivery.state, delivery.status_code, delivery.error],
    ['pending', 307, 'Status 307: redirects are not followed.'],
  );
  assert.deepEqual(target.received, []);
});

test('410 disables an endpoint, which its owner sees in the record and in the feed', async () => {
  const receiver = await startReceiver(answerStatus(410));
  const watching = await startReceiver();
  const { brp, request, create, patch, deliveries } = await newBrp();
  const { id } = await create(receiver.url);
  await create(watching.url, { types: ['webhook.disabled'] });
  await customerUpdated(brp);
  await worker.deliver();
  const { body } = await request(`${BASE}/${id}`);
  assert.deepEqual([body.status, body.disabled_reason], ['disabled', 'gone']);
  assert.equal((await deliveries(id))[0].state, 'failed');
  await customerUpdated(brp);
  await worker.deliver();
  assert.equal(receiver.received.length, 1, 'nothing is sent to a disabled endpoint');
  const [delivered] = watching.received.map((one) => JSON.parse(one.body));
  assert.equal(delivered.type, 'webhook.disabled');
  assert.deepEqual(delivered.data, { object: 'webhook_endpoint', id, reason: 'gone' });
  // Enabled again, it gets later events only.
  receiver.answer(answerStatus(204));
  const enabled = (await patch(id, { status: 'enabled' })).body;
  assert.deepEqual([enabled.status, enabled.disabled_reason, enabled.disabled_at], ['enabled', null, null]);
  await customerUpdated(brp, 'cust_later');
  await worker.deliver();
  assert.deepEqual(idsOf(receiver).slice(1), ['cust_later']);
});

test('five days of failures only disable an endpoint; a success in between starts the time anew', async () => {
  const day = 24 * 3_600_000;
  const receiver = await startReceiver(answerStatus(500));
  const { brp, request, create } = await newBrp();
  const { id } = await create(receiver.url);
  const tryNew = async () => {
    await customerUpdated(brp);
    await worker.deliver();
    return (await request(`${BASE}/${id}`)).body;
  };
  const first = await tryNew();
  assert.equal(Date.parse(first.failing_since), platform.clock.now());
  later(4 * day);
  assert.equal((await tryNew()).failing_since, first.failing_since);
  receiver.answer(answerStatus(200));
  assert.equal((await tryNew()).failing_since, null);
  receiver.answer(answerStatus(500));
  await tryNew();
  later(5 * day - 60_000);
  assert.equal((await tryNew()).status, 'enabled');
  later(60_000);
  const last = await tryNew();
  assert.deepEqual([last.status, last.disabled_reason], ['disabled', 'failing']);
});

test('a disabled endpoint keeps its pending deliveries, and gets them when it is enabled', async () => {
  const receiver = await startReceiver(answerStatus(500));
  const { brp, create, patch } = await newBrp();
  const { id } = await create(receiver.url);
  await customerUpdated(brp, 'cust_pending');
  await worker.deliver();
  const disabled = (await patch(id, { status: 'disabled' })).body;
  assert.deepEqual([disabled.status, disabled.disabled_reason], ['disabled', 'owner']);
  await customerUpdated(brp, 'cust_missed');
  later(3_600_000);
  await worker.deliver();
  assert.equal(receiver.received.length, 1);
  receiver.answer(answerStatus(200));
  await patch(id, { status: 'enabled' });
  await worker.deliver();
  assert.deepEqual(idsOf(receiver), ['cust_pending', 'cust_pending']);
});

test('an event that was committed before an endpoint was created is not sent to it', async () => {
  const receiver = await startReceiver();
  const { brp, create } = await newBrp();
  await customerUpdated(brp, 'cust_before');
  await create(receiver.url);
  await customerUpdated(brp, 'cust_after');
  await worker.deliver();
  assert.deepEqual(idsOf(receiver), ['cust_after']);
});

test('retry sends a delivery again at once, also one that succeeded', async () => {
  const receiver = await startReceiver(answerStatus(500));
  const { brp, request, create, patch, deliveries } = await newBrp();
  const { id } = await create(receiver.url);
  await customerUpdated(brp);
  await worker.deliver();
  const [failed] = await deliveries(id);
  const retry = (deliveryId: string) => request.post(`${BASE}/${id}/deliveries/${deliveryId}/retry`);
  receiver.answer(answerStatus(204));
  const answer = await retry(failed.id);
  assert.equal(Date.parse(answer.body.next_attempt_at), platform.clock.now());
  await worker.deliver();
  assert.deepEqual(
    (await deliveries(id)).map((one: { state: string; attempts: number }) => [one.state, one.attempts]),
    [['succeeded', 2]],
  );
  await retry(failed.id);
  await worker.deliver();
  assert.equal(receiver.received.length, 3);
  assertProblem(await retry('whd_x'), 404, 'webhook_delivery_not_found');
  await patch(id, { status: 'disabled' });
  assertProblem(await retry(failed.id), 409, 'webhook_endpoint_disabled');
  assertProblem(await request.post(`${BASE}/${id}/replay`, {}), 409, 'webhook_endpoint_disabled');
});

test('replay sends events of a range again, by event ids or times, and of the given types', async () => {
  const receiver = await startReceiver();
  const { brp, request, create } = await newBrp();
  const { id } = await create(receiver.url, { types: ['customer.updated'] });
  const append = (type: 'customer.updated' | 'customer.assigned', name: string) =>
    appendEvent(platform, ownerOf(brp), name, type);
  const start = platform.clock.now();
  const minutes = (count: number) => new Date(start + count * 60_000).toISOString();
  for (const name of ['a', 'b', 'c', 'd']) {
    await append('customer.updated', name);
    later(60_000);
  }
  await append('customer.assigned', 'e');
  await worker.deliver();
  const eventIds = receiver.received.map((one) => String(one.headers['webhook-id'])).toSorted();
  assert.equal(eventIds.length, 4);
  const replay = async (body: object) => {
    const before = receiver.received.length;
    const answer = await request.post(`${BASE}/${id}/replay`, body);
    assert.equal(answer.status, 200, answer.text);
    await worker.deliver();
    const names = idsOf(receiver).slice(before);
    assert.equal(answer.body.deliveries, names.length);
    assert.equal(answer.body.next_after, null);
    return names.toSorted().join('');
  };
  assert.equal(await replay({}), 'abcd');
  assert.equal(await replay({ after: eventIds[0], before: eventIds[3] }), 'bc');
  assert.equal(await replay({ after: minutes(0), before: minutes(3) }), 'bc');
  assert.equal(await replay({ after: eventIds[1] }), 'cd');
  assert.equal(await replay({ types: ['customer.assigned'] }), 'e');
  const stranger = await newBrp();
  await customerUpdated(stranger.brp);
  const [{ id: foreign }] = (await stranger.request('/v1/events')).body.events;
  const body = { after: foreign, before: eventIds[0]?.replace(/.$/, (last) => (last === '0' ? '1' : '0')) };
  const refused = await request.post(`${BASE}/${id}/replay`, body);
  assertRefused(refused, 'after invalid_format', 'before invalid_format');
  assert.equal(await replay({ types: ['*'], after: minutes(2) }), 'de');
  const faulty = await request.post(`${BASE}/${id}/replay`, { after: 'x', before: 'whd_x' });
  assertRefused(faulty, 'after invalid_format', 'before invalid_format');
});

test('events that share a row of the log are delivered and replayed one by one', async () => {
  const receiver = await startReceiver();
  const { brp, request, create } = await newBrp();
  const { id } = await create(receiver.url);
  const names = Array.from({ length: EVENTS_PER_ROW + 4 }, (_, at) => `cust_${at}`);
  const events = names.map((name) => ({
    type: 'customer.updated' as const,
    tenants: [`brp/${brp.no}` as const],
    data: { object: 'customer' as const, id: name, changed: [] },
  }));
  await platform.db.transaction((tx) => appendEvents(tx, events, platform.clock.now()));
  const deliver = async () => {
    const before = receiver.received.length;
    // A turn takes a few deliveries of an endpoint.
    for (let sent = -1; sent !== receiver.received.length; ) {
      sent = receiver.received.length;
      await worker.deliver();
    }
    return receiver.received
      .slice(before)
      .map(({ body }) => JSON.parse(body) as SaldoEvent)
      .toSorted((one, two) => one.sequence - two.sequence);
  };
  const feed = (await request('/v1/events?limit=100')).body.events;
  assert.equal(feed.length, names.length);
  assert.deepEqual(await deliver(), feed);
  const range = { after: feed[2].id, before: feed[9].id };
  const answer = await request.post(`${BASE}/${id}/replay`, range);
  assert.equal(answer.body.deliveries, 6, answer.text);
  assert.deepEqual(await deliver(), feed.slice(3, 9));
});

test('a delivery from before numbers were stored has the number of its event', async () => {
  const receiver = await startReceiver();
  const { brp, request, create } = await newBrp();
  for (let count = 0; count < 3; count++) await customerUpdated(brp);
  await create(receiver.url);
  await customerUpdated(brp);
  await fanOutEvents(platform.db, () => platform.clock.now());
  await platform.db.transaction((tx) => tx.query(FORGET_NUMBERS));
  await worker.deliver();
  const [{ body } = assert.fail()] = receiver.received;
  const { events } = (await request('/v1/events?order=newest_first&limit=1')).body;
  assert.deepEqual([JSON.parse(body)], events);
  assert.equal(events[0].sequence, 4);
});

test('test sends an event now and answers what came back, also for a disabled endpoint', async () => {
  const receiver = await startReceiver(answerStatus(418, 'teapot'));
  const { request, create, patch, deliveries } = await newBrp();
  const { id } = await create(receiver.url);
  await patch(id, { status: 'disabled' });
  const path = `${BASE}/${id}/test`;
  const refused = (await request.post(path)).body;
  assert.deepEqual(
    [refused.succeeded, refused.status_code, refused.response, refused.error],
    [false, 418, 'teapot', 'Status 418.'],
  );
  const event = JSON.parse(receiver.received[0]?.body ?? '');
  assert.deepEqual(
    [event.id, event.type, event.data],
    [refused.event_id, 'webhook.test', { object: 'webhook_endpoint', id }],
  );
  receiver.answer(answerStatus(200));
  const headers = { 'idempotency-key': 'test-once' };
  const taken = await request(path, { method: 'POST', headers });
  assert.equal(taken.body.succeeded, true);
  const repeated = await request(path, { method: 'POST', headers });
  assert.deepEqual([repeated.body, receiver.received.length], [taken.body, 2]);
  await receiver.close();
  const closed = (await request.post(path)).body;
  assert.deepEqual(
    [closed.succeeded, closed.status_code, closed.error],
    [false, null, 'The connection failed: ECONNREFUSED.'],
  );
  assert.deepEqual(await deliveries(id), [], 'a test is no delivery');
});

test('an owner has ten endpoints at most, also when several are created at once', async () => {
  const { request, create } = await newBrp();
  const urls = Array.from({ length: LIMITS.webhookEndpoints + 5 }, (_, n) => `http://127.0.0.1:9/${n}`);
  const answers = await Promise.all(urls.map((url) => request.post(BASE, { url })));
  assert.equal(answers.filter(({ status }) => status === 201).length, LIMITS.webhookEndpoints);
  for (const answer of answers) if (answer.status !== 201) assertProblem(answer, 409, 'too_many_endpoints');
  const listed = await walk(request, BASE, 'webhook_endpoints', 3);
  assert.equal(listed.length, LIMITS.webhookEndpoints);
  assert.ok(listed.every((one) => !('secret' in one)));
  assert.equal((await request.delete(`${BASE}/${listed[0].id}`)).status, 204);
  await create('http://127.0.0.1:9/again');
});

test('a deleted endpoint is gone, gets nothing more, and its deliveries are deleted', async () => {
  const receiver = await startReceiver(answerStatus(500));
  const { brp, request, create } = await newBrp();
  const { id } = await create(receiver.url);
  await customerUpdated(brp);
  await worker.deliver();
  assert.equal((await request.delete(`${BASE}/${id}`)).status, 204);
  later(60_000);
  await customerUpdated(brp);
  await worker.deliver();
  assert.equal(receiver.received.length, 1);
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/deliveries', 'GET'],
    ['/test', 'POST'],
    ['/rotate-secret', 'POST'],
  ] as const) {
    assertProblem(await request(`${BASE}/${id}${path}`, { method }), 404, 'webhook_endpoint_not_found');
  }
});

test('another owner’s endpoint is as unknown as a missing one', async () => {
  const [a, b] = [await newBrp(), await newBrp()];
  const { id } = await a.create('http://127.0.0.1:9/');
  const missing = id.replace(/.{4}$/, '0000');
  const requests: [path: string, method: string, body?: object][] = [
    ['', 'GET'],
    ['', 'PATCH', { status: 'disabled' }],
    ['', 'DELETE'],
    ['/rotate-secret', 'POST'],
    ['/test', 'POST'],
    ['/replay', 'POST', {}],
    ['/deliveries', 'GET'],
    ['/deliveries/whd_x/retry', 'POST'],
  ];
  for (const [path, method, body] of requests) {
    const ask = (of: string) =>
      b.request(`${BASE}/${of}${path}`, { method, ...(body === undefined ? {} : { body }) });
    const [foreign, unknown] = [await ask(id), await ask(missing)];
    assertProblem(foreign, 404, 'webhook_endpoint_not_found');
    assert.deepEqual(answerWithoutId(id, foreign), answerWithoutId(missing, unknown), `${method} ${path}`);
  }
  assert.equal((await a.request(`${BASE}/${id}`)).body.status, 'enabled');
});

test('invalid settings are rejected, and nothing is created', async () => {
  const { request } = await newBrp();
  const refused: [body: object, ...errors: string[]][] = [
    [{}, 'url required'],
    [{ url: 7 }, 'url invalid_type'],
    [{ url: '' }, 'url value_too_small'],
    [{ url: 'ftp://x.example/' }, 'url validation_failed'],
    [{ url: 'nonsense' }, 'url validation_failed'],
    [{ url: 'https://user:pass@x.example/' }, 'url validation_failed'],
    [{ url: 'https://user@x.example/' }, 'url validation_failed'],
    [{ url: 'https://x.example/a\nb' }, 'url validation_failed'],
    [{ url: 'https://x.example/\t' }, 'url validation_failed'],
    [{ url: '\rhttps://x.example/' }, 'url validation_failed'],
    [{ url: 'https://x.exa\u007fmple/' }, 'url validation_failed'],
    [{ url: 'https://x.example/\u0085' }, 'url validation_failed'],
    [{ url: `https://x.example/${'x'.repeat(2000)}` }, 'url value_too_large'],
    [{ url: 'https://x.example/', types: [] }, 'types value_too_small'],
    [{ url: 'https://x.example/', types: ['nomination.made'] }, 'types[0] invalid_enum_value'],
    [{ url: 'https://x.example/', secret: 'whsec_x' }, 'secret unknown_field'],
  ];
  for (const [body, ...errors] of refused) assertRefused(await request.post(BASE, body), ...errors);
  assert.deepEqual((await request(BASE)).body.webhook_endpoints, []);
});

test('a URL is stored and shown as the URL standard writes it', async () => {
  const { create, patch, request } = await newBrp();
  const written = [
    [' HTTPS://Hooks.Example:443/a/../b c?q=ä#part ', 'https://hooks.example/b%20c?q=%C3%A4#part'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['https:\\\\x.example\\y', 'https://x.example/y'],
  ] as const;
  for (const [url, expected] of written) {
    const { id, url: created } = await create(url);
    assert.equal(created, expected);
    assert.equal((await request(`${BASE}/${id}`)).body.url, expected);
    await patch(id, { url: 'https://y.example/' });
    assert.equal((await patch(id, { url })).body.url, expected);
  }
});

test('without WEBHOOK_ALLOW_PRIVATE a URL is https and has no private address, and none is connected to', async () => {
  const brp = await guarded.world.brp();
  const request = client(guarded.baseUrl, brp.key);
  const create = (url: string) => request.post(BASE, { url });
  for (const url of [
    'http://x.example/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://192.168.1.1/',
  ]) {
    assertRefused(await create(url), 'url validation_failed');
  }
  const named = await create('https://localhost:1/');
  assert.equal(named.status, 201);
  const tested = await request.post(`${BASE}/${named.body.id}/test`);
  assert.equal(tested.body.succeeded, false);
  assert.match(tested.body.error, /^The host (has no public address|cannot be resolved)/);
});

test('changes are in the audit trail, without the secret', async () => {
  const receiver = await startReceiver();
  const { request, create, patch } = await newBrp();
  const { id, secret } = await create(receiver.url);
  await patch(id, { types: ['contract.*'] });
  const rotated = (await request.post(`${BASE}/${id}/rotate-secret`)).body;
  await request.post(`${BASE}/${id}/test`);
  await request.delete(`${BASE}/${id}`);
  const { body, text } = await asOperator(`/operator/v1/audit?subject=${id}`);
  assert.deepEqual(
    body.entries.map(({ action }: { action: string }) => action),
    ['created', 'updated', 'secret_rotated', 'tested', 'deleted'].map((what) => `webhook_endpoint.${what}`),
  );
  assert.ok(!text.includes(secret.slice(6)) && !text.includes(rotated.secret.slice(6)));
});
