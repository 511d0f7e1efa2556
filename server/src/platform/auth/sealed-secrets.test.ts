import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  createFollowingSealer,
  createSealer,
  KEY_BYTES,
  keyIdOf,
  SecretUnreadable,
  sealedWith,
} from './sealed-secrets.ts';

const [OLD, NEW] = [randomBytes(KEY_BYTES), randomBytes(KEY_BYTES)];
const PLAIN = Buffer.from('whsec_of_an_endpoint');

test('sealed text opens for its use only, and contains nothing of the secret', () => {
  const sealer = createSealer([NEW]);
  const sealed = sealer.seal(PLAIN, 'webhook 1');
  assert.deepEqual(sealer.open(sealed, 'webhook 1'), PLAIN);
  assert.throws(() => sealer.open(sealed, 'webhook 2'), SecretUnreadable);
  assert.equal(sealed.includes(PLAIN), false);
  assert.notDeepEqual(sealer.seal(PLAIN, 'webhook 1'), sealed);
});

test('no bit of sealed text can be changed, and no byte left out', () => {
  const sealer = createSealer([NEW]);
  const sealed = sealer.seal(PLAIN, 'use');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => sealer.open(changed, 'use'), SecretUnreadable, `bit ${bit}`);
  }
  for (let length = 0; length < sealed.length; length++)
    assert.throws(() => sealer.open(sealed.subarray(0, length), 'use'), SecretUnreadable, `length ${length}`);
});

test('the first of several keys seals, and all of them open', () => {
  const old = createSealer([OLD]).seal(PLAIN, 'use');
  const both = createSealer([NEW, OLD]);
  assert.deepEqual(both.open(old, 'use'), PLAIN);
  assert.equal(sealedWith(both.seal(PLAIN, 'use')), sealedWith(createSealer([NEW]).seal(PLAIN, 'use')));
  assert.throws(() => createSealer([NEW]).open(old, 'use'), new RegExp(sealedWith(old)));
});

test('a following sealer seals with the key that is first now, and opens what a new key has sealed', () => {
  let keys: readonly Buffer[] = [OLD];
  const following = createFollowingSealer(() => {
    if (keys.length === 0) throw new Error('the file is gone');
    return keys;
  });
  const old = following.seal(PLAIN, 'use');
  keys = [NEW, OLD];
  assert.deepEqual(following.open(createSealer([NEW]).seal(PLAIN, 'use'), 'use'), PLAIN);
  assert.equal(sealedWith(following.seal(PLAIN, 'use')), keyIdOf(NEW));
  assert.deepEqual(following.open(old, 'use'), PLAIN);
  keys = [];
  assert.deepEqual(following.open(old, 'use'), PLAIN);
  assert.throws(() => following.seal(PLAIN, 'use'), /the file is gone/);
  const foreign = createSealer([randomBytes(KEY_BYTES)]).seal(PLAIN, 'use');
  assert.throws(() => following.open(foreign, 'use'), SecretUnreadable);
});
