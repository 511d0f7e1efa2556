import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithPauses } from './run-with-pauses.ts';

function* countTo(last: number): Generator<void, number, void> {
  for (let at = 0; at < last; at++) yield;
  return last;
}

test('each step leaves a turn of the event loop to other work', async () => {
  let turns = 0;
  let isRunning = true;
  const count = (): void => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  assert.equal(await runWithPauses(countTo(100)), 100);
  isRunning = false;
  assert.ok(turns >= 100, `${turns} turns`);
});
