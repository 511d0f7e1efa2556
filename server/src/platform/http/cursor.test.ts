import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/runs.ts';
import { bindingOf, cursorSealer } from './cursor.ts';

const sealer = cursorSealer(randomBytes(32));
const BINDING = bindingOf('7', '/v1/transactions', { status: 'valid' });
const POSITION = ['2026-10-25', '01890a5d-ac96-774b-bcce-b302099a8057', 61, 2];
const CURSOR = sealer.seal(BINDING, POSITION);

test('a cursor preserves its position, whatever it holds', () => {
  const position = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer()), { maxLength: 5 });
  fc.assert(
    fc.property(fc.string(), position, (binding, given) => {
      const cursor = sealer.seal(binding, given);
      assert.match(cursor, /^[\w-]*\.[\w-]{16}$/, 'a cursor needs no escaping in an address');
      assert.deepEqual(sealer.open(binding, cursor), given);
    }),
  );
});

test('a cursor opens under its own binding and secret only', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      fc.pre(one !== other);
      assert.equal(sealer.open(other, sealer.seal(one, POSITION)), null);
    }),
  );
  assert.equal(cursorSealer(randomBytes(32)).open(BINDING, CURSOR), null);
});

test('a cursor with any one character changed, added or left out does not open', () => {
  assert.deepEqual(sealer.open(BINDING, CURSOR), POSITION);
  for (let at = 0; at < CURSOR.length; at++) {
    for (const character of ['A', 'B', 'w', '_', '-', '.', '=', ' ', '+', '\n', '\0', 'ä']) {
      const changed = CURSOR.slice(0, at) + character + CURSOR.slice(at + 1);
      if (changed !== CURSOR) assert.equal(sealer.open(BINDING, changed), null, `${character} at ${at}`);
      const added = CURSOR.slice(0, at) + character + CURSOR.slice(at);
      assert.equal(sealer.open(BINDING, added), null, `${character} added at ${at}`);
    }
    assert.equal(sealer.open(BINDING, CURSOR.slice(0, at)), null, `cut off at ${at}`);
    assert.equal(sealer.open(BINDING, CURSOR.slice(0, at) + CURSOR.slice(at + 1)), null, `without ${at}`);
  }
  assert.equal(sealer.open(BINDING, `${CURSOR}=`), null);
});

test('random text is not a cursor', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      assert.equal(sealer.open(BINDING, text), null);
    }),
  );
});

test('a binding is one line, so that no part of it can be parsed as a part of the position', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (path, value) => {
      assert.doesNotMatch(bindingOf('7\n', `${path}\n`, { eic: `a\n${value}`, 'x\ny': 'z' }), /\n/);
    }),
  );
});

test('a binding does not depend on the order of the parameters, nor on the format of a page', () => {
  const binding = bindingOf('7', '/v1/transactions', { status: 'valid', sender_eic: 'x' });
  const same = [
    { sender_eic: 'x', status: 'valid' },
    { status: 'valid', limit: '100', sender_eic: 'x', after: CURSOR },
    { status: 'valid', sender_eic: 'x', include_assets: 'true', include_slots: 'false' },
  ];
  for (const query of same) assert.equal(bindingOf('7', '/v1/transactions', query), binding);
});

test('a binding differs as soon as the viewer, the list or a filter differs', () => {
  const filters = fc.uniqueArray(fc.tuple(fc.constantFrom('status', 'eic', 'tso'), fc.string()), {
    selector: ([name]) => name,
  });
  const list = fc.record({ viewer: fc.string(), path: fc.string(), filters });
  fc.assert(
    fc.property(list, list, (one, other) => {
      const sorted = (all: [string, string][]) => all.toSorted(([a], [b]) => a.localeCompare(b));
      const isSame =
        one.viewer === other.viewer &&
        one.path === other.path &&
        JSON.stringify(sorted(one.filters)) === JSON.stringify(sorted(other.filters));
      const [a, b] = [one, other].map((given) =>
        bindingOf(given.viewer, given.path, Object.fromEntries(given.filters)),
      );
      assert.equal(a === b, isSame);
    }),
    { numRuns: runs(500) },
  );
  assert.notEqual(bindingOf('7', '/v1/x', { a: '1,b=2' }), bindingOf('7', '/v1/x', { a: '1', b: '2' }));
  assert.notEqual(bindingOf('7', '/v1/x', { eic: '' }), bindingOf('7', '/v1/x', {}));
});
