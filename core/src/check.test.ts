import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOffset } from './check.ts';

const statusOf = (theirs: number, asked: number, answered: number) =>
  checkOffset('clock', 'the platform', theirs, { asked, answered }).status;

test('the offset of a clock is taken midway between question and answer', () => {
  assert.equal(statusOf(10_050, 10_000, 10_100), 'ok');
  assert.equal(statusOf(13_050, 10_000, 10_100), 'warning');
  assert.equal(statusOf(7_050, 10_000, 10_100), 'warning');
  assert.equal(statusOf(50_000, 10_000, 10_100), 'failed');
  const { fact } = checkOffset('clock', 'the platform', 8_950, { asked: 10_000, answered: 10_100 });
  assert.equal(fact, 'The clock of the platform is 1.1 s behind the one of this machine.');
});

test('a slow answer alone is no difference of the clocks, whenever the other side has read its clock', () => {
  for (const theirs of [10_000, 30_000, 80_000]) assert.equal(statusOf(theirs, 10_000, 80_000), 'ok');
  assert.equal(statusOf(83_000, 10_000, 80_000), 'warning');
});
