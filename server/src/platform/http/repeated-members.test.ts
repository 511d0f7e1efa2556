import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import fc from 'fast-check';
import { repeatedMembers } from './repeated-members.ts';

test('members of one name in one object are found, with their path', () => {
  const cases: [json: string, paths: string[]][] = [
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":1,"a":1}', ['a']],
    [' { "a" : 1 , "b" : [ { "a" : 1 } ] , "a" : 2 } ', ['a']],
    ['{"group":{"eic":"x","tso":"y","eic":"z"}}', ['group.eic']],
    ['{"group":{"eic":"x"},"group":{"eic":"y"}}', ['group']],
    ['[0,[],{"list":[1,{"a":1},{"b":[],"b":{}}]}]', ['[2].list[2].b']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a\\"":1,"a\\"":2,"b\\\\":1,"b\\\\":2}', ['a"', 'b\\']],
    ['{"":1,"":2}', ['']],
    ['{"__proto__":1,"__proto__":2,"constructor":1,"constructor":2}', ['__proto__', 'constructor']],
    ['{"a":{"c":1,"c":2},"b":{"c":1,"c":2}}', ['a.c', 'b.c']],
  ];
  for (const [json, paths] of cases) {
    JSON.parse(json);
    assert.deepEqual(repeatedMembers(json), paths, json);
  }
});

test('equal names in different objects, and names inside of strings, are not repeated', () => {
  const cases = [
    'null',
    '"a"',
    '[]',
    '{}',
    '{"a":"a","b":["a","a"],"c":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"{\\"a\\":1,\\"a\\":2}","b":",\\"a\\":"}',
    '{"a":"\\\\","b":"\\\\\\""}',
    '{"__proto__":{"__proto__":1},"toString":1,"has":2}',
  ];
  for (const json of cases) {
    JSON.parse(json);
    assert.deepEqual(repeatedMembers(json), [], json);
  }
});

/** Writes a value with the first member of its first object repeated somewhere behind it. */
const withRepetition = (value: object, at: number): string => {
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`,
  );
  return `{${members.toSpliced(1 + (at % members.length), 0, members[0] ?? '').join(',')}}`;
};

test('a text without repetitions has none, and any repetition is found', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
      assert.deepEqual(repeatedMembers(JSON.stringify(value, null, indent)), []);
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, at) => {
      const [first = ''] = Object.keys(value);
      assert.deepEqual(repeatedMembers(withRepetition(value, at)), [first]);
    }),
  );
});

test('the answer to a body that is built to have many or long paths is bounded', () => {
  const many = JSON.stringify(Array.from({ length: 5000 }, () => ({ a: 0 }))).replaceAll('0}', '0,"a":1}');
  assert.equal(repeatedMembers(many).length, LIMITS.fieldErrors);
  const twice = Array.from({ length: 100 }, (_, at) => `"${at}":0,"${at}":0`).join(',');
  const long = `{"${'n'.repeat(100_000)}":{${twice}}}`;
  assert.equal(repeatedMembers(long).length, 1);
  const depth = 100_000;
  assert.equal(repeatedMembers(`${'['.repeat(depth)}{${twice}}${']'.repeat(depth)}`).length, 1);
});
