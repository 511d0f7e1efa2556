import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base32, findStep, otpauthUri, stepAt, totpCode } from './totp.ts';

/** Appendix B of RFC 6238, SHA-1: seconds since 1970 and the code of eight digits. */
const VECTORS = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
] as const;
const SECRET = Buffer.from('12345678901234567890');
const STEP_MS = 30_000;

test('codes are those of RFC 6238, whose last six digits are the shorter code', () => {
  for (const [seconds, code] of VECTORS) {
    assert.equal(totpCode(SECRET, stepAt(seconds * 1000), 8), code);
    assert.equal(totpCode(SECRET, stepAt(seconds * 1000)), code.slice(2));
  }
});

test('a code is accepted during its own step, the one before and the one after', () => {
  const step = 41_152_263;
  const code = totpCode(SECRET, step);
  const edges = (drift: number) => [(step + drift) * STEP_MS, (step + drift + 1) * STEP_MS - 1];
  for (const now of [-1, 0, 1].flatMap(edges)) assert.equal(findStep(SECRET, code, now), step);
  for (const now of [-2, 2].flatMap(edges)) assert.equal(findStep(SECRET, code, now), null);
});

test('no code of the last accepted step or an earlier one is accepted', () => {
  const step = 41_152_263;
  const now = step * STEP_MS;
  assert.equal(findStep(SECRET, totpCode(SECRET, step), now, step), null);
  assert.equal(findStep(SECRET, totpCode(SECRET, step - 1), now, step), null);
  assert.equal(findStep(SECRET, totpCode(SECRET, step + 1), now, step), step + 1);
});

test('only six digits are a code', () => {
  const now = 59_000;
  const code = totpCode(SECRET, 1);
  assert.equal(findStep(SECRET, code, now), 1);
  for (const other of ['', code.slice(1), `${code}0`, `${code}\n`, ` ${code}`, '28708２', '-87082'])
    assert.equal(findStep(SECRET, other, now), null, JSON.stringify(other));
});

test('secrets are written as RFC 4648 has them', () => {
  const vectors = {
    f: 'my',
    fo: 'mzxq',
    foo: 'mzxw6',
    foob: 'mzxw6yq',
    fooba: 'mzxw6ytb',
    foobar: 'mzxw6ytboi',
  };
  for (const [text, encoded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), encoded);
  assert.equal(base32(SECRET).toUpperCase(), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
});

test('the address for authenticator apps names issuer and account, whatever characters they have', () => {
  const uri = otpauthUri('ABC', 'Müller & Co: Strom', 'a+b@saldo.example');
  assert.match(uri, /^otpauth:\/\/totp\/M%C3%BCller%20%26%20Co%3A%20Strom:a%2Bb%40saldo\.example\?/);
  assert.doesNotMatch(uri, /[+ ]/);
  const { searchParams } = new URL(uri);
  assert.deepEqual(Object.fromEntries(searchParams), {
    secret: 'ABC',
    issuer: 'Müller & Co: Strom',
    digits: '6',
    period: '30',
  });
});
