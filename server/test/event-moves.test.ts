import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followed } from './following.ts';
import { client, startTestPlatform } from './harness.ts';
import type { WorldBrp } from './world.ts';

const TOMORROW = '2026-10-21';

const platform = await startTestPlatform({ now: '2026-10-20T09:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());

const feedOf = async ({ key }: WorldBrp) => {
  const read = await followed(client(platform.baseUrl, key));
  return async () =>
    (await read()).map(({ type, data }) => ('slots' in data ? `${type} ${data.slots}` : type));
};

test('a move to another BRP has events for the old one, the new one and the other side', async () => {
  const { seller, buyer, producer, consumer } = await world.pair();
  const next = await world.brp();
  const { eic } = await world.group(next);
  const contract = await world.contract(producer, consumer);
  await world.volumes(contract, TOMORROW, 250);
  await world.nominate();
  const feeds = [await feedOf(seller), await feedOf(next), await feedOf(buyer)];
  const moved = await operator.patch(`/operator/v1/customers/${producer.id}`, {
    brp_id: next.id,
    balance_group: { eic, tso: 'DE_AMPRION' },
  });
  assert.equal(moved.status, 200, moved.text);
  await world.nominate();
  const found = await Promise.all(feeds.map((read) => read()));
  const corrected = 'transactions.corrected 96';
  assert.deepEqual(
    found.map((events) => events.toSorted()),
    [
      ['contract.updated', 'customer.updated', 'nomination.created', corrected],
      ['contract.updated', 'customer.assigned', 'nomination.created', corrected],
      ['contract.updated', corrected],
    ],
  );
});

test('a BRP that is replaced before its first day gets the corrections of its transactions', async () => {
  const { producer, consumer } = await world.pair();
  const contract = await world.contract(producer, consumer);
  await world.volumes(contract, TOMORROW, 250);
  const brief = await world.brp();
  const read = await feedOf(brief);
  for (const brp of [brief, await world.brp()]) {
    const { eic } = await world.group(brp);
    const body = { brp_id: brp.id, balance_group: { eic, tso: 'DE_AMPRION' } };
    const moved = await operator.patch(`/operator/v1/customers/${producer.id}`, body);
    assert.equal(moved.status, 200, moved.text);
  }
  const corrected = 'transactions.corrected 96';
  assert.deepEqual((await read()).toSorted(), [
    ...['contract.updated', 'contract.updated', 'customer.assigned', 'customer.updated'],
    ...[corrected, corrected],
  ]);
});

test('a deactivation invalidates, and a reactivation corrects, for both BRPs', async () => {
  const { seller, buyer, producer, consumer } = await world.pair();
  const contract = await world.contract(producer, consumer);
  await world.volumes(contract, TOMORROW, 250);
  const feeds = [await feedOf(seller), await feedOf(buyer)];
  for (const [status, event] of [
    ['deactivated', 'transactions.invalidated 96'],
    ['active', 'transactions.corrected 96'],
  ] as const) {
    const path = `/v1/customers/${producer.id}`;
    await client(platform.baseUrl, seller.key).patch(path, { status });
    const found = await Promise.all(feeds.map((read) => read()));
    assert.deepEqual(found, [['customer.updated', event], [event]]);
  }
});
