import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTry, RETRY_DELAYS_MS } from './results.ts';

test('each planned try is later by up to a tenth, and after the eighth there is none', () => {
  const failedAt = Date.parse('2026-11-16T08:00:00Z');
  for (const [index, delay] of RETRY_DELAYS_MS.entries()) {
    assert.equal(
      nextTry(index + 1, failedAt, () => 0),
      failedAt + delay,
    );
    assert.equal(
      nextTry(index + 1, failedAt, () => 0.5),
      failedAt + delay * 1.05,
    );
    assert.ok((nextTry(index + 1, failedAt, () => 0.999) ?? 0) <= failedAt + delay * 1.1);
  }
  assert.equal(RETRY_DELAYS_MS.length, 7);
  for (const attempts of [8, 9, 100])
    assert.equal(
      nextTry(attempts, failedAt, () => 0),
      null,
    );
});
