import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { bodyOf, client } from './harness.ts';
import { type Product, startProduct } from './product.ts';
import { answerStatus, type Received, startReceiver } from './webhook-receiver.ts';

/** Kills the server while webhooks are on their way. */

const OPERATOR_KEY = 'operator-key-of-the-webhook-kill-test';
const ROUNDS = 4;
const CHANGES = 10;

const databaseUrl = await createDatabase();
const folder = await temporaryFolder();
const receiver = await startReceiver();
let product: Product | null = null;
atEnd(() => product?.end('SIGTERM'));

const start = () =>
  startProduct({
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    SALDO_OPERATOR_KEY: OPERATOR_KEY,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    SANDBOX: 'on',
    DEMO: 'off',
    RATE_LIMIT: '1000000',
  });

/** Ends the leases of the killed process, which would take 20 seconds by themselves. */
async function moveClock(operator: ReturnType<typeof client>): Promise<void> {
  const { now } = (await operator('/operator/v1/clock')).body;
  const later = new Date(Date.parse(now) + 60_000).toISOString();
  await operator.put('/operator/v1/clock', { now: later });
}

test('a server that is killed while it delivers loses no event: each arrives at least once', async () => {
  product = await start();
  let operator = client(product.baseUrl, OPERATOR_KEY);
  const post = (to: string, body: object) => bodyOf(operator.post(`/operator/v1${to}`, body), 201);
  const brp = await post('/brps', { name: 'Nordwind' });
  const { secret } = await post('/api-keys', { owner: { type: 'brp', id: brp.id }, name: 'test' });
  const customer = await post('/customers', { brp_id: brp.id, name: 'Stadtwerke' });
  const asBrp = () => client(product?.baseUrl ?? '', secret);
  const body = { url: receiver.url, types: ['customer.updated'] };
  assert.equal((await asBrp().post('/v1/webhook-endpoints', body)).status, 201);

  for (let round = 0; round < ROUNDS; round++) {
    // The receiver takes requests and does not answer: the killed server cannot know whether they arrived.
    receiver.answer(() => {});
    const before = receiver.received.length;
    const request = asBrp();
    for (let change = 0; change < CHANGES; change++) {
      const metadata = { change: `${round}.${change}` };
      const answer = await request.patch(`/v1/customers/${customer.id}`, { metadata });
      assert.equal(answer.status, 200, answer.text);
    }
    await receiver.count(before + 1);
    await product.end('SIGKILL');
    receiver.answer(answerStatus(204));
    product = await start();
    operator = client(product.baseUrl, OPERATOR_KEY);
    await moveClock(operator);
    const expected = await eventIds(asBrp());
    assert.equal(expected.length, (round + 1) * CHANGES);
    await arrived(new Set(expected));
  }
  assert.deepEqual(idsOf(receiver.received), new Set(await eventIds(asBrp())), 'and nothing else');
  const metrics = await (await fetch(`${product.adminUrl}/metrics`)).text();
  assert.match(metrics, /^saldo_webhook_tries_total\{outcome="succeeded"\} [1-9]/m);
});

const idsOf = (received: readonly Received[]) =>
  new Set(received.map(({ headers }) => String(headers['webhook-id'])));

const eventIds = async (request: ReturnType<typeof client>): Promise<string[]> => {
  const { body } = await request('/v1/events?types=customer.updated&limit=100');
  return body.events.map(({ id }: { id: string }) => id);
};

async function arrived(expected: ReadonlySet<string>): Promise<void> {
  while (!expected.isSubsetOf(idsOf(receiver.received))) await receiver.count(receiver.received.length + 1);
}
