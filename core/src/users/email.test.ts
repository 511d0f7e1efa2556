import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { isEmail, normalizeEmail, whyDeceptive } from './email.ts';

test('valid email addresses are accepted', () => {
  fc.assert(fc.property(fc.emailAddress(), (email) => isEmail(email)));
  for (const email of ['operator@localhost', 'jürgen@müller.example', "o'neil+saldo@mail.example"]) {
    assert.ok(isEmail(email), email);
  }
});

test('text that is no email address is rejected', () => {
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

test('all spellings of an address have the same normal form', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (email) => {
      const normal = normalizeEmail(email);
      assert.equal(normalizeEmail(email.toUpperCase()), normalizeEmail(normal.toUpperCase()));
      assert.equal(normalizeEmail(normal), normal);
    }),
  );
  assert.equal(normalizeEmail('Ju\u0308rgen@example'), normalizeEmail('JÜRGEN@EXAMPLE'));
});

test('compatible ways to write a letter, and blanks around an email, are the same email', () => {
  for (const text of ['ＡＮＮＡ＠ｅｘａｍｐｌｅ', ' anna@example\n', 'ann\u00aa@example', '𝐚𝐧𝐧𝐚@example']) {
    assert.equal(normalizeEmail(text), 'anna@example', text);
    assert.ok(isEmail(text), text);
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(normalizeEmail(normalizeEmail(text)), normalizeEmail(text));
    }),
    // A separate accent is normalised to a blank and a combining accent.
    { numRuns: runs(500), examples: [['\u00a8anna@example'], ['anna@example\u2002\u00b4']] },
  );
});

test('common email addresses are not deceptive', () => {
  fc.assert(fc.property(fc.emailAddress(), (email) => whyDeceptive(email) === null));
  for (const email of [
    'jürgen.groß@müller.example',
    'иван@пример.рф',
    'ελένη@παράδειγμα.ελ',
    '田中.tanaka@例え.jp',
    '김민수@example.kr',
    'محمد@مثال.إختبار',
  ]) {
    assert.equal(whyDeceptive(email), null, email);
  }
});

/** Inserting one of these into an email gives a different one that looks the same. */
const UNSEEN = [
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u2066',
  '\u3164',
  '\ufe0f',
];
const MORE_UNSEEN = ['\u0007', '\u009f', '\ue000', '\ufeff', '\u{e0061}', '\u{10ffff}'];
const LOOK_ALIKES = ['а', 'е', 'о', 'р', 'ѕ', 'і', 'ο', 'ν', 'α', 'ո', 'Ꭺ', 'ⲟ', 'ꓮ'];

const insertedInto = (email: string, at: number, text: string) => email.slice(0, at) + text + email.slice(at);

test('an invisible character or a letter of another script is rejected at any position', () => {
  const email = 'anna.berg@nordwind.example';
  const [INVISIBLE, MIXED] = ['field.invisible_characters', 'field.mixed_scripts'];
  const position = fc.integer({ min: 1, max: email.length - 1 });
  fc.assert(
    fc.property(fc.constantFrom(...UNSEEN, ...MORE_UNSEEN), position, (text, at) => {
      assert.equal(whyDeceptive(insertedInto(email, at, text))?.key, INVISIBLE, JSON.stringify(text));
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...LOOK_ALIKES), position, (text, at) => {
      assert.equal(whyDeceptive(insertedInto(email, at, text))?.key, MIXED, text);
    }),
  );
  assert.equal(whyDeceptive('раура@saldo.example')?.key, MIXED, 'a name that only looks Latin');
});
