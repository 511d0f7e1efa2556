import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameInput, rebasedInput } from './input.ts';

test('fields that the user has not changed follow the stored record, and the others stay', () => {
  const base = { name: 'Heide', prices: [{ id: 0, price: '60' }], power: '5' };
  const stored = { name: 'Moor', prices: [{ id: 0, price: '61' }], power: '6' };
  const typed = { ...base, power: '7' };
  assert.deepEqual(rebasedInput(typed, base, stored), { ...stored, power: '7' });
  assert.deepEqual(rebasedInput(base, base, stored), stored);
  const prices = [{ id: 0, price: '59' }];
  assert.deepEqual(rebasedInput({ ...base, prices }, base, stored).prices, prices);
});

test('a rebased input without changes is the stored one', () => {
  const stored = { name: 'Moor', state: '' };
  assert.ok(
    isSameInput(rebasedInput({ state: '', name: 'Heide' }, { name: 'Heide', state: '' }, stored), stored),
  );
  assert.ok(!isSameInput({ name: 'Moor', state: 'x' }, stored));
});
