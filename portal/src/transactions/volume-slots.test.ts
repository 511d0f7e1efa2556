import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Transaction, transactionExample } from '@saldo/api';
import { firstVolumesKwh, validSumKwh, volumeSlots } from './volume-slots.ts';

const at = (
  slot_number: number,
  version: number,
  status: Transaction['status'],
  volume: number,
): Transaction => ({
  ...transactionExample,
  id: `txn_${slot_number}_${version}`,
  slot_number,
  version,
  status,
  volume,
});

test('the newest version counts, an invalid one does not, and a missing slot is not zero', () => {
  const slots = volumeSlots('2026-03-29', [
    at(1, 1, 'superseded', 5),
    at(1, 2, 'valid', 5.25),
    at(2, 1, 'invalid', 7),
  ]);
  assert.equal(slots.length, 92);
  assert.equal(slots[0]?.validKwh, 5250);
  assert.equal(slots[0]?.isCorrected, true);
  assert.equal(slots[1]?.validKwh, null);
  assert.equal(slots[1]?.isInvalid, true);
  assert.equal(slots[2]?.validKwh, null);
  assert.equal(validSumKwh(slots), 5250);
  assert.deepEqual(firstVolumesKwh(slots).slice(0, 2), [5000, null]);
});
