import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concurrencyLimiter } from './concurrency-limiter.ts';
import { ProblemError } from './problem.ts';

/** Work that ends on demand. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const made = { isStarted: false, end: resolve, fail: reject };
  const run = () => {
    made.isStarted = true;
    return promise;
  };
  return Object.assign(made, { run });
}

test('at most the limit runs concurrently, in order of arrival', async () => {
  const inTurn = concurrencyLimiter({ atOnce: 2 });
  const all = [work(), work(), work(), work()] as const;
  const done = all.map(({ run }) => inTurn(run));
  const started = () => all.map(({ isStarted }) => isStarted);
  assert.deepEqual(started(), [true, true, false, false]);
  all[1].end();
  await done[1];
  assert.deepEqual(started(), [true, true, true, false]);
  all[0].fail(new Error('failed'));
  await assert.rejects(done[0] ?? Promise.resolve(), /failed/);
  assert.deepEqual(started(), [true, true, true, true], 'failed work frees its place');
  all[2].end();
  all[3].end();
  await Promise.all([done[2], done[3]]);
});

test('a call beyond the queue limit is rejected', async () => {
  const inTurn = concurrencyLimiter({ atOnce: 1, waitingAtMost: 1 });
  const [first, second] = [work(), work()];
  const done = [inTurn(first.run), inTurn(second.run)];
  await assert.rejects(
    inTurn(async () => {}),
    (error) =>
      error instanceof ProblemError && error.code === 'unavailable' && error.headers['retry-after'] === '2',
  );
  first.end();
  second.end();
  await Promise.all(done);
});
