import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client, startTestPlatform } from './harness.ts';

const NOW = '2026-10-20T08:00:00Z';
const platform = await startTestPlatform({ now: NOW, environment: { SANDBOX: 'on' } });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const health = async () => (await operator('/operator/v1/health')).body;

test('the health operation reports what waits for netting, and since when', async () => {
  assert.deepEqual((await health()).waiting, { position_days: 0, oldest_at: null });
  const { producer, consumer } = await world.pair();
  await world.volumes(await world.contract(producer, consumer), '2026-10-25', 250);
  const { waiting, database } = await health();
  assert.equal(waiting.position_days, 2, 'of the seller and of the buyer');
  assert.ok(Date.parse(waiting.oldest_at) <= Date.now());
  assert.match(database.version, /^\d+/);
  assert.match(database.migration, /^\d{3}-/);
  await world.nominate();
  assert.equal((await health()).waiting.position_days, 0);
});

test('the health operation reports the platform’s time and the machine’s', async () => {
  const now = '2027-01-01T00:00:00Z';
  await operator.put('/operator/v1/clock', { now });
  const { server_time, machine_time, started_at } = await health();
  assert.deepEqual([server_time, machine_time, started_at], [now, NOW, NOW]);
});
