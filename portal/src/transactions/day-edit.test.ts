import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import fc from 'fast-check';
import { editOf, textsOf, volumesOf } from './day-edit.ts';

const volumes = fc.array(fc.option(fc.integer({ min: 0, max: 10_000_000 })), {
  minLength: 1,
  maxLength: 100,
});

test('a day without edits sends no change', () => {
  fc.assert(
    fc.property(volumes, (beforeKwh) => {
      assert.deepEqual(editOf(beforeKwh, textsOf(beforeKwh)), { changes: [], wrong: new Set() });
    }),
  );
});

test('exactly the changed slots are sent, in whole kWh', () => {
  fc.assert(
    fc.property(volumes, volumes, (beforeKwh, typedKwh) => {
      const texts = beforeKwh.map((_, index) => textsOf([typedKwh[index] ?? null])[0] ?? '');
      const { changes } = editOf(beforeKwh, texts);
      const sent = volumesOf(beforeKwh.length, changes);
      for (const [index, volume] of sent.entries()) {
        const typed = typedKwh[index] ?? null;
        const isChanged = typed !== null && typed !== beforeKwh[index];
        assert.equal(volume === null ? null : kwhFromMwh(volume), isChanged ? typed : null);
      }
    }),
  );
});

test('text that is no volume is reported with its slot, and an emptied field is not sent', () => {
  assert.deepEqual(editOf([1000, 2000, null], ['', 'x', '-1']), { changes: [], wrong: new Set([2, 3]) });
});
