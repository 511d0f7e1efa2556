import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashSecret, type KeyKind, looksLikeKey, newSecret, shownPrefix } from './api-key.ts';

const KINDS: KeyKind[] = ['brp', 'account', 'operator'];

test('the prefix of a key is its kind, and a key of one kind is never parsed as another', () => {
  for (const kind of KINDS) {
    const secret = newSecret(kind);
    assert.match(secret, new RegExp(`^saldo_${kind}_[0-9A-Za-z]{38}$`));
    for (const other of KINDS) assert.equal(looksLikeKey(other, secret), other === kind);
  }
});

test('no two keys are the same', () => {
  const secrets = new Set(Array.from({ length: 2000 }, () => newSecret('brp')));
  assert.equal(secrets.size, 2000);
});

test('the checksum detects every single wrong character and every swapped pair', () => {
  const secret = newSecret('brp');
  for (let at = 0; at < secret.length; at++) {
    const typo = secret.charAt(at) === 'x' ? 'y' : 'x';
    assert.equal(looksLikeKey('brp', secret.slice(0, at) + typo + secret.slice(at + 1)), false, `at ${at}`);
    const [a, b] = [secret.charAt(at), secret.charAt(at + 1)];
    if (b === '' || a === b) continue;
    assert.equal(
      looksLikeKey('brp', secret.slice(0, at) + b + a + secret.slice(at + 2)),
      false,
      `swap at ${at}`,
    );
  }
});

test('a truncated, extended or otherwise changed key is not a key', () => {
  const secret = newSecret('brp');
  for (const text of [
    '',
    'saldo_brp_',
    secret.slice(0, -1),
    `${secret}0`,
    ` ${secret}`,
    `${secret}\n`,
    secret.toUpperCase(),
  ]) {
    assert.equal(looksLikeKey('brp', text), false, JSON.stringify(text));
  }
});

test('arbitrary text is not a key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(looksLikeKey('brp', `saldo_brp_${text}`), false);
    }),
  );
});

test('the visible part of a key is its kind and four characters', () => {
  const secret = newSecret('operator');
  assert.equal(shownPrefix('operator', secret), secret.slice(0, 'saldo_operator_'.length + 4));
});

test('the visible part of any other key is four characters', () => {
  for (const secret of ['0123456789abcdef', 'saldo_operator_x', 'saldo_operator_1234', newSecret('brp')]) {
    assert.equal(shownPrefix('operator', secret), secret.slice(0, 4));
  }
});

test('a hash has 32 bytes, is stable for a key and differs between keys', () => {
  const [one, two] = [newSecret('brp'), newSecret('brp')];
  assert.equal(hashSecret(one).length, 32);
  assert.deepEqual(hashSecret(one), hashSecret(one));
  assert.notDeepEqual(hashSecret(one), hashSecret(two));
});
