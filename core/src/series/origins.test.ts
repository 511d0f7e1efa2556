import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { originAt, packOrigins } from './origins.ts';

const day = fc.constantFrom(92, 96, 100).chain((slots) => {
  const size = { minLength: slots, maxLength: slots };
  const origins = fc.oneof(
    fc.array(fc.constantFrom('forecast' as const, 'meter' as const, null), size),
    fc.array(fc.constantFrom('forecast' as const, 'forecast' as const), size),
  );
  return fc.record({ origins, volumes: fc.array(fc.option(fc.nat(9)), size) });
});

test('the origin of every slot that a sheet sets is read as it was stored', () => {
  fc.assert(
    fc.property(day, ({ origins, volumes }) => {
      const packed = packOrigins(origins, volumes);
      for (const [at, volume] of volumes.entries()) {
        if (volume !== null) assert.equal(originAt(packed, at + 1), origins[at]);
      }
    }),
  );
});

test('equal origins take one letter, whatever the slots without a volume have', () => {
  assert.equal(packOrigins(['forecast', null, 'forecast'], [1, null, 0]), 'f');
  assert.equal(packOrigins(['forecast', null, 'meter'], [1, 2, 3]), 'f-m');
});
