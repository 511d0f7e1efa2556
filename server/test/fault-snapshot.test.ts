import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotCount } from '@saldo/core/delivery-day.ts';
import { compareVolumes } from '../faults/compare-volumes.ts';
import { History } from '../faults/journal.ts';
import { readSnapshot } from '../faults/snapshot.ts';
import { startTestPlatform } from './harness.ts';

const platform = await startTestPlatform();
const { world } = platform;
const { producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);

test('the fault campaign finds no difference in what the platform has stored', async () => {
  const day = '2026-11-25';
  const slots = Array.from({ length: slotCount(day) }, (_, at) => at);
  const history = new History();
  // Corrections of the whole day, whose sheets are stored shorter, and of a single slot.
  const corrections = [slots.map(() => 5), slots.map(() => 7), slots.map((at) => (at === 3 ? 9 : null))];
  for (const [id, kwh] of corrections.entries()) {
    await world.volumes(contract, day, kwh);
    const write = { kind: 'volumes', way: 'put', days: [{ contract: contract.id, day, kwh }] } as const;
    history.apply({ entry: 'begin', id, client: 'test', write, key: null });
    history.apply({ entry: 'end', id, outcome: 'acknowledged', attempts: 1 });
  }
  await world.nominate();
  const snapshot = await readSnapshot(platform);
  assert.equal(snapshot.sheets.length, corrections.length);
  assert.deepEqual(compareVolumes(snapshot, history), []);
});
