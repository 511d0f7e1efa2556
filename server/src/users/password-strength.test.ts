import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import fc from 'fast-check';
import { isGuessable } from './password-strength.ts';

const OWNER = {
  email: 'dirk.dispatch@nordwind.example',
  name: 'Dirk Dispatch',
  brp_name: 'Nordwind Direktvermarktung GmbH',
  account_name: null,
};

test('passwords that are common, breached, patterns or derived from user data are guessable', async () => {
  for (const password of [
    'passwordpassword',
    'Password123!',
    'P@ssw0rd1234',
    '123456789012',
    '1q2w3e4r5t6y',
    'qwertyuiop12',
    'qwertzuiopü1',
    'iloveyou1234',
    'letmeinletmein',
    'aaaaaaaaaaaa',
    'abcdefghijkl',
    '🔋'.repeat(12),
    'Passwort1234',
    'Willkommen2026',
    'Sommer2026!!!',
    'Saldo2026!!!',
    'Nordwind2026',
    'dirk.dispatch@nordwind.example',
    'DirkDispatch1',
    'Direktvermarktung1',
    'password'.repeat(16),
    'Ｐａｓｓｗｏｒｄ１２３！',
  ]) {
    assert.equal(await isGuessable(password, OWNER), true, password);
  }
});

test('phrases and random passwords are not guessable', async () => {
  for (const password of [
    'nine gulls over the jetty',
    'correct horse battery staple',
    'HeizungKellerBlau',
    'Xk3-9fWq_2Lm',
    '🔋🌬️☀️🏭🌊⚡🐟🦢🍏🥨🚲🎻',
  ]) {
    assert.equal(await isGuessable(password, OWNER), false, password);
  }
  // The format of the demo world's passwords.
  for (let count = 0; count < 100; count++) {
    const password = randomBytes(15).toString('base64url');
    assert.equal(await isGuessable(password, OWNER), false, password);
  }
});

test('text of any length gets a result', async () => {
  const password = fc.string({ unit: 'binary', minLength: 1, maxLength: LIMITS.password.maximum });
  await fc.assert(
    fc.asyncProperty(password, async (text) => typeof (await isGuessable(text, OWNER)) === 'boolean'),
  );
});
