import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client, startTestPlatform, walk } from './harness.ts';
import { createWorld } from './world.ts';

const platform = await startTestPlatform();
const world = createWorld(platform.db, platform.clock);
const { seller, producer, consumer } = await world.pair();
const references = ['m-2', 'a-1', 'z-9', 'k-5'];
for (const externalId of references) await world.contract(producer, consumer, { externalId });
const operator = client(platform.baseUrl, await world.operatorKey());

const listed = async (query: string, limit = 1) =>
  (await walk(operator, `/operator/v1/contracts?${query}`, 'contracts', limit)).map(
    ({ external_id }) => external_id,
  );

test('the operator’s contracts are sorted by reference in both directions, in pages, with other filters', async () => {
  const up = ['a-1', 'k-5', 'm-2', 'z-9'];
  assert.deepEqual(await listed('sort=external_id'), up);
  assert.deepEqual(await listed('sort=-external_id'), up.toReversed());
  assert.deepEqual(await listed('sort=-external_id&search=-5', 100), ['k-5']);
  assert.deepEqual(await listed('', 100), references, 'unsorted in the order of creation');
});

test('a cursor belongs to its order, other orders are refused, and the BRP API has none', async () => {
  const first = await operator('/operator/v1/contracts?sort=external_id&limit=1');
  const after = encodeURIComponent(first.body.pagination.next_cursor);
  const other = await operator(`/operator/v1/contracts?sort=-external_id&limit=1&after=${after}`);
  assert.deepEqual([other.status, other.body.errors[0].field], [400, 'after']);
  const unknown = await operator('/operator/v1/contracts?sort=name');
  assert.deepEqual([unknown.status, unknown.body.errors[0].code], [400, 'invalid_enum_value']);
  const asBrp = await client(platform.baseUrl, seller.key)('/v1/contracts?sort=external_id');
  assert.deepEqual([asBrp.status, asBrp.body.errors[0].code], [400, 'unknown_field']);
});
