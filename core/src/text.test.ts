import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePointLength, isWellFormedText } from './text.ts';

test('length counts code points', () => {
  assert.deepEqual(
    ['', 'abc', 'ä', '⚡🔋', '🇩🇪', '\ud83d', '\udd0b\ud83d'].map(codePointLength),
    [0, 3, 1, 2, 2, 1, 2],
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) =>
      assert.equal(codePointLength(text), [...text].length),
    ),
  );
});

test('text with NUL or half of a character is not well formed', () => {
  assert.deepEqual(['', 'Zähler ⚡🔋', 'a\0b', '\ud83d', '\udd0b\ud83d'].map(isWellFormedText), [
    true,
    true,
    false,
    false,
    false,
  ]);
});
