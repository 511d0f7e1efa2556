import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '@saldo/api';
import { formatInstant, slotStart } from '@saldo/core/delivery-day.ts';
import { daysOfMonth } from '../ui/delivery-period.ts';
import { contractMonthRows, positionsOf } from './contract-month-rows.ts';

const transaction = (day: string, slot: number, change: Partial<Transaction> = {}): Transaction => ({
  id: `txn_${day}_${slot}_${change.version ?? 1}`,
  type: 'ppa',
  contract_id: 'con_1',
  status: 'valid',
  version: 1,
  previous_transaction_id: null,
  sender: { eic: 'A', asset_id: null, tso: 'DE_AMPRION' },
  receiver: { eic: 'B', tso: 'DE_TENNET' },
  delivery_start: formatInstant(slotStart(day, slot)),
  delivery_end: formatInstant(slotStart(day, slot) + 900_000),
  slot_number: slot,
  volume: 0.25,
  created_at: '2026-10-01T00:00:00Z',
  ...change,
});

test('a contract’s month has every day with its slots, sum, highest version and state', () => {
  const rows = contractMonthRows(daysOfMonth('2026-10'), [
    transaction('2026-10-25', 1, { status: 'superseded' }),
    transaction('2026-10-25', 1, { version: 2, volume: 1.5 }),
    transaction('2026-10-25', 100),
    transaction('2026-10-26', 2, { status: 'invalid' }),
  ]);
  assert.equal(rows.length, 31);
  const [long, next] = [rows[24], rows[25]];
  assert.deepEqual([long?.day, long?.volumesKwh.length], ['2026-10-25', 100]);
  assert.deepEqual([long?.sumKwh, long?.version, long?.corrected, long?.invalid.size], [1750, 2, 1, 0]);
  assert.deepEqual([long?.volumesKwh[0], long?.volumesKwh[1]], [1500, null]);
  assert.deepEqual([next?.sumKwh, next?.version, next?.invalid], [0, 1, new Set([2])]);
  assert.deepEqual([rows[0]?.version, rows[0]?.sumKwh], [null, 0]);
});

test('the positions of a day are those of its current volumes', () => {
  const moved = { eic: 'C', asset_id: null, tso: 'DE_AMPRION' } as const;
  const transactions = [
    transaction('2026-10-25', 1, { status: 'superseded' }),
    transaction('2026-10-25', 1, { version: 2, sender: moved }),
    transaction('2026-10-25', 2, { sender: moved }),
  ];
  assert.deepEqual(positionsOf(transactions), [
    { eic: 'C', tso: 'DE_AMPRION' },
    { eic: 'B', tso: 'DE_TENNET' },
  ]);
});
