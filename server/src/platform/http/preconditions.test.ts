import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFresh, meetsIfMatch } from './preconditions.ts';

const TAG = '"abc-_1"';
const PRESENT = [TAG, ` ${TAG} `, `"x",${TAG}`, `"x" , W/"y", ${TAG}`, `"a,b", ${TAG}`];
const ABSENT = ['', '"abc"', 'abc-_1', `"x${TAG}`, '"x", "y"', '*"', '**', '"*"', TAG.toUpperCase()];

test('without the header, every record meets If-Match and none is fresh', () => {
  assert.equal(meetsIfMatch(undefined, TAG), true);
  assert.equal(isFresh(undefined, TAG), false);
});

test('a star means any version', () => {
  for (const star of ['*', ' * ']) {
    assert.equal(meetsIfMatch(star, TAG), true);
    assert.equal(isFresh(star, TAG), true);
  }
});

test('a tag is found in a list of tags, and only as a whole', () => {
  for (const header of PRESENT) {
    assert.equal(meetsIfMatch(header, TAG), true, header);
    assert.equal(isFresh(header, TAG), true, header);
  }
  for (const header of ABSENT) {
    assert.equal(meetsIfMatch(header, TAG), false, header);
    assert.equal(isFresh(header, TAG), false, header);
  }
});

test('a weak tag matches for reads and never for writes', () => {
  for (const header of [`W/${TAG}`, `"x", W/${TAG}`]) {
    assert.equal(isFresh(header, TAG), true, header);
    assert.equal(meetsIfMatch(header, TAG), false, header);
  }
});
