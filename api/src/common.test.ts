import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_SLOTS } from '@saldo/core/delivery-day.ts';
import { MAX_SLOT_KWH, mwhNumber } from '@saldo/core/energy.ts';
import { LIMITS } from './common.ts';

test('the limits of a slot are those of the domain', () => {
  assert.equal(LIMITS.slotMwh, mwhNumber(MAX_SLOT_KWH));
  assert.equal(LIMITS.slotNumber.maximum, MAX_SLOTS);
});
