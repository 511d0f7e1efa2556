import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, isOutdated, isPassword } from './passwords.ts';

const PASSWORD = 'nine gulls over the jetty';

test('a hash matches its password and no other', async () => {
  const hash = await hashPassword(PASSWORD);
  assert.equal(await isPassword(PASSWORD, hash), true);
  for (const other of ['', `${PASSWORD} `, PASSWORD.toUpperCase(), PASSWORD.slice(0, -1), hash]) {
    assert.equal(await isPassword(other, hash), false, other);
  }
});

test('the same password never has the same hash twice', async () => {
  assert.notEqual(await hashPassword(PASSWORD), await hashPassword(PASSWORD));
});

test('a user without a password matches no password', async () => {
  for (const guess of ['', PASSWORD]) assert.equal(await isPassword(guess, null), false);
});

test('a password matches in every Unicode composition', async () => {
  const composed = 'Übertragungsnetz'.normalize('NFC');
  assert.equal(await isPassword(composed.normalize('NFD'), await hashPassword(composed)), true);
});

test('a hash with weaker parameters still matches and is reported as outdated', async () => {
  const hash = await hashPassword(PASSWORD);
  assert.equal(isOutdated(hash), false);
  assert.equal(isOutdated(hash.replace(/m=\d+/, 'm=4096')), true);
  assert.equal(isOutdated(hash.replace(/t=\d+/, 't=1')), true);
  assert.equal(
    await isPassword(PASSWORD, hash.replace(/m=\d+/, 'm=4096')),
    false,
    'the hash includes its parameters',
  );
});

test('a malformed hash is an error, not a wrong password', async () => {
  await assert.rejects(isPassword(PASSWORD, 'plain text'), /made here/);
});
