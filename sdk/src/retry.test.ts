import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs, DEFAULT_RETRY, REAL_DEPENDENCIES, retryAfterMs } from './retry.ts';

const NOW = Date.parse('2026-10-20T08:00:00Z');

test('a retry delay lies between zero and a bound that doubles up to its maximum', () => {
  const spans = [1, 2, 3, 4, 5, 6, 7, 40].map((attempt) => backoffMs(attempt, DEFAULT_RETRY, () => 1));
  assert.deepEqual(spans, [250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  assert.equal(
    backoffMs(3, DEFAULT_RETRY, () => 0),
    0,
  );
  assert.equal(
    backoffMs(3, DEFAULT_RETRY, () => 0.25),
    250,
  );
});

test('Retry-After is parsed as seconds or as an HTTP date, and ignored otherwise', () => {
  assert.equal(retryAfterMs('7', NOW), 7000);
  assert.equal(retryAfterMs('0', NOW), 0);
  assert.equal(retryAfterMs('Tue, 20 Oct 2026 08:00:30 GMT', NOW), 30_000);
  assert.equal(retryAfterMs('Tue, 20 Oct 2026 07:00:00 GMT', NOW), 0, 'a time that is past');
  for (const nothing of [null, '', 'soon', '-1', '1.5', '2026']) {
    assert.equal(retryAfterMs(nothing, NOW), nothing === '2026' ? 2_026_000 : null, String(nothing));
  }
});

test('a delay ends at once when aborted, and does not start when already aborted', async () => {
  const abort = new AbortController();
  const waiting = REAL_DEPENDENCIES.sleep(3_600_000, abort.signal);
  abort.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(REAL_DEPENDENCIES.sleep(3_600_000, abort.signal), /enough/);
});
