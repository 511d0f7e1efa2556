import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CUSTOMER_STATUSES } from '../enums.ts';
import { changeCustomerStatus, mergeMetadata } from './customer.ts';

const anyKey = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'a', 'b', '1'), fc.string());
const anyEntries = <Value>(value: fc.Arbitrary<Value>) =>
  fc
    .array(fc.tuple(anyKey, value), { maxLength: 8 })
    .map((entries): Record<string, Value> => Object.fromEntries(entries));

test('a customer changes its status only as allowed', () => {
  const answers = CUSTOMER_STATUSES.map((from) =>
    CUSTOMER_STATUSES.map((to) => changeCustomerStatus(from, to)),
  );
  assert.deepEqual(answers, [
    ['invalid_status_transition', 'changed', 'changed'],
    ['invalid_status_transition', 'already_active', 'changed'],
    ['invalid_status_transition', 'changed', 'invalid_status_transition'],
  ]);
});

test('a merge sets what is given, removes what is null and keeps the rest, whatever the keys are called', () => {
  fc.assert(
    fc.property(
      anyEntries(fc.string()),
      anyEntries(fc.option(fc.string(), { nil: null })),
      (existing, patch) => {
        const before = JSON.stringify(existing);
        const merged = mergeMetadata(existing, patch);
        const expected = new Map(Object.entries(existing));
        for (const [key, value] of Object.entries(patch)) {
          if (value === null) expected.delete(key);
          else expected.set(key, value);
        }
        assert.deepEqual(new Map(Object.entries(JSON.parse(JSON.stringify(merged)))), expected);
        assert.equal(JSON.stringify(existing), before);
        assert.equal(Object.getPrototypeOf(merged), Object.prototype);
      },
    ),
  );
});

test('__proto__ is a key like any other', () => {
  const patch = JSON.parse('{"__proto__": "polluted", "constructor": "x"}');
  const merged = mergeMetadata({}, patch);
  assert.equal(JSON.stringify(merged), '{"__proto__":"polluted","constructor":"x"}');
  assert.equal(
    JSON.stringify(mergeMetadata(merged, JSON.parse('{"__proto__": null}'))),
    '{"constructor":"x"}',
  );
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});
