import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duplicateIds, entriesOf, metadataChange, rebasedEntries } from './metadata.ts';

test('only changed keys are sent, and removed ones as null', () => {
  const stored = { keep: '1', change: 'old', remove: 'x' };
  const entries = [
    { id: 0, key: 'keep', value: '1' },
    { id: 1, key: 'change', value: 'new' },
    { id: 2, key: 'added', value: 'y' },
    { id: 3, key: '', value: '' },
  ];
  assert.deepEqual({ ...metadataChange(stored, entries) }, { remove: null, change: 'new', added: 'y' });
  assert.deepEqual(Object.keys(metadataChange(stored, entriesOf(stored))), []);
});

test('keys may be called anything', () => {
  const change = metadataChange({}, [{ id: 0, key: '__proto__', value: 'data' }]);
  assert.equal(JSON.stringify(change), '{"__proto__":"data"}');
});

test('a repeated key is detected', () => {
  const entries = ['a', 'b', 'a'].map((key, id) => ({ id, key, value: '' }));
  assert.deepEqual([...duplicateIds(entries)], [2]);
});

test('own changes stay on top of those of others', () => {
  const base = { site: 'Heide', meter: '1', room: '7' };
  const entries = [
    { id: 0, key: 'site', value: 'Harz' },
    { id: 1, key: 'room', value: '7' },
  ];
  const stored = { site: 'Moor', meter: '1', room: '8', owner: 'Jule' };
  const rebased = rebasedEntries(base, entries, stored);
  assert.deepEqual(
    rebased.map(({ key, value }) => [key, value]),
    [
      ['room', '8'],
      ['owner', 'Jule'],
      ['site', 'Harz'],
    ],
  );
});
