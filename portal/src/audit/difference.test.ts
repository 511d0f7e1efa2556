import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { differencesOf } from './difference.ts';

test('a record does not differ from itself', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      assert.deepEqual(differencesOf(record, structuredClone(record)), []);
    }),
  );
});

test('only changed members are listed, each with its path', () => {
  const before = { name: 'A', group: { eic: '11X', tso: 'T' }, tsos: ['T'], metadata: {} };
  const after = { name: 'A', group: { eic: '11X', tso: 'U' }, tsos: ['T', 'U'], metadata: { note: 'n' } };
  assert.deepEqual(differencesOf(before, after), [
    { path: 'group.tso', before: 'T', after: 'U' },
    { path: 'tsos', before: ['T'], after: ['T', 'U'] },
    { path: 'metadata', before: {}, after: undefined },
    { path: 'metadata.note', before: undefined, after: 'n' },
  ]);
});

test('an added member has no old value, a removed one no new value', () => {
  assert.deepEqual(differencesOf(null, { name: 'A' }), [{ path: 'name', before: undefined, after: 'A' }]);
  assert.deepEqual(differencesOf({ name: 'A' }, null), [{ path: 'name', before: 'A', after: undefined }]);
});
