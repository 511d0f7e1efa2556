import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isEmail, normalEmail } from './email.ts';

test('every email that people have is one', () => {
  fc.assert(fc.property(fc.emailAddress(), (email) => isEmail(email)));
  for (const email of ['operator@localhost', 'jürgen@müller.example', "o'neil+saldo@mail.example"]) {
    assert.ok(isEmail(email), email);
  }
});

test('what no email has is refused', () => {
  for (const text of [
    '',
    '@',
    'a@',
    '@b',
    'a b@c',
    'a@b c',
    'a@b@c',
    'A <a@b.c>',
    'a@b,c@d',
    'a\0@b',
    '\ud800@b',
  ]) {
    assert.ok(!isEmail(text), JSON.stringify(text));
  }
});

test('the normal form is the same for every way to write an email, and for itself', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (email) => {
      const normal = normalEmail(email);
      assert.equal(normalEmail(email.toUpperCase()), normalEmail(normal.toUpperCase()));
      assert.equal(normalEmail(normal), normal);
    }),
  );
  assert.equal(normalEmail('Ju\u0308rgen@example'), normalEmail('JÜRGEN@EXAMPLE'));
});
