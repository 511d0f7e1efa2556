import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../start/config-error.ts';
import { failedBy } from './explain.ts';

test('the first sentence of a message is the fact, and the rest is the remedy', () => {
  const { fact, remedy } = failedBy('keys', new ConfigError('KEY: Mode 0644 is wrong. Run: chmod 600 key'));
  assert.deepEqual([fact, remedy], ['KEY: Mode 0644 is wrong.', 'Run: chmod 600 key']);
});

test('an error that was not expected is its message, without its stack', () => {
  for (const [error, expected] of [
    [new TypeError('Invalid URL'), 'Invalid URL'],
    [new Error('column: Name is missing'), 'column: Name is missing'],
    [new RangeError(), 'RangeError'],
    ['text', 'text'],
  ] as const) {
    const { fact, remedy } = failedBy('database', error);
    assert.deepEqual([fact, remedy], [expected, 'See docs/operations.md.']);
  }
});
