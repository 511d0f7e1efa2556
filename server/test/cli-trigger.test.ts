import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { client, startTestPlatform, type TestPlatform } from './harness.ts';

const DAY = '2026-10-22';
const NOW = '2026-10-20T08:00:00Z';
const folder = await temporaryFolder();
const platform = await startTestPlatform({ now: NOW, environment: { SANDBOX: 'on' } });
const plain = await startTestPlatform({ now: NOW });
const { world } = platform;
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const operator = client(platform.baseUrl, await world.operatorKey());
const asSeller = client(platform.baseUrl, seller.key);

const trigger = async ({ baseUrl, world }: TestPlatform, ...args: string[]) => {
  const env = { SALDO_URL: baseUrl, SALDO_KEY: await world.operatorKey() };
  return runCommand(['trigger', ...args], { folder, env });
};

/** Types of the events since a place of the seller's feed. */
async function following(act: () => Promise<void>): Promise<string[]> {
  const { pagination } = (await asSeller('/v1/events?after=latest')).body;
  await act();
  const { events } = (await asSeller(`/v1/events?after=${pagination.next_cursor}&limit=100`)).body;
  return events.map(({ type }: { type: string }) => type);
}

async function sendSchedule(kwh: number): Promise<void> {
  await world.volumes(contract, DAY, kwh);
  await world.nominate();
  const { body } = await operator.post('/operator/v1/exchange/send', { delivery_date: DAY });
  assert.equal(body.messages.length, 1);
}

test('answers of the simulated TSO cause the events of nominations', async () => {
  assert.match((await trigger(platform, 'nomination.matched')).err, /no schedule waits for an answer/);
  for (const [type, kwh] of [
    ['nomination.rejected', 100],
    ['nomination.mismatched', 110],
    ['nomination.matched', 120],
  ] as const) {
    await sendSchedule(kwh);
    const types = await following(async () => {
      const { code, err } = await trigger(platform, type);
      assert.deepEqual([code, err], [0, `${type} is in the feeds, and on its way to the webhooks.\n`]);
    });
    assert.ok(types.includes(type), `${type} in ${types}`);
  }
});

test('a customer is changed, and the event names the change', async () => {
  const types = await following(async () => {
    assert.equal(
      (await trigger(platform, 'customer.updated', '--id', producer.id, '--quiet')).out,
      `${producer.id}\n`,
    );
  });
  assert.deepEqual(types, ['customer.updated']);
});

test('a platform that is no sandbox refuses it, and nothing changes', async () => {
  const { producer: other } = await plain.world.pair();
  const asked = client(plain.baseUrl, await plain.world.operatorKey());
  const before = (await asked(`/operator/v1/customers/${other.id}`)).body;
  const { code, err } = await trigger(plain, 'customer.updated', '--id', other.id);
  assert.equal(code, 2);
  assert.match(err, /the platform is not a sandbox/);
  assert.deepEqual((await asked(`/operator/v1/customers/${other.id}`)).body, before);
});

test('types that cannot be caused are refused with the choices', async () => {
  const { code, err } = await trigger(platform, 'exchange.alarm');
  assert.equal(code, 2);
  assert.match(err, /Allowed choices are nomination\.matched, nomination\.mismatched/);
});
