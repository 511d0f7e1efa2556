import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type Json } from './canonical-json.ts';

/** The definition without the shortcut for arrays. */
function plain(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(plain).join(',')}]`;
  const members = Object.entries(value as Record<string, Json>).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, of]) => `${JSON.stringify(name)}:${plain(of)}`).join(',')}}`;
}

test('arrays of numbers and strings are written as their elements are', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => assert.equal(canonicalJson(value as Json), plain(value as Json))),
  );
});
