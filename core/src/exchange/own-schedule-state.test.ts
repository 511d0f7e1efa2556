import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedSince, type KnownVersion } from './own-schedule-state.ts';

const sent = (version: number): KnownVersion => ({ version, isSent: true, step: null });
const loaded = (version: number): KnownVersion => ({ version, isSent: false, step: 'loaded' });
const since = (current: number, ...versions: KnownVersion[]) =>
  changedSince(current, versions)?.version ?? null;

test('a version after the one that was sent is a change', () => {
  assert.equal(since(1, sent(1)), null, 'the sent one itself');
  assert.equal(since(2, sent(1)), 1);
  assert.equal(since(4, sent(1), sent(2), sent(4)), 2, 'also when it was sent in turn');
  assert.equal(since(2), null, 'version 1 was never sent');
});

test('what the BRP has done itself counts before what the operator has sent', () => {
  assert.equal(since(3, loaded(1), sent(2), sent(3)), 1);
  assert.equal(since(3, sent(1), loaded(3)), null);
  assert.equal(since(3, { ...loaded(2), step: 'checked' }, loaded(1)), 2);
});
