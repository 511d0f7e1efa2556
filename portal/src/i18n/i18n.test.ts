import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBLEMS, TSOS } from '@saldo/api';
import type { Language } from '@saldo/core/messages/language.ts';
import { ACTIVITY_TEXTS } from '../activity/texts.ts';
import { MESSAGE_TEXTS } from '../exchange/message-texts.ts';
import { EXCHANGE_TEXTS } from '../exchange/texts.ts';
import { HEALTH_TEXTS } from '../health/texts.ts';
import { SCOPE_TEXTS } from '../keys/scope-texts.ts';
import { MARKET_TEXTS } from '../market/texts.ts';
import { NAVIGATION } from '../navigation.ts';
import { SCHEDULE_TEXTS } from '../nominations/schedule-texts.ts';
import { FACTOR_TEXTS } from '../users/factor-texts.ts';
import { PASSKEY_TEXTS } from '../users/passkey-texts.ts';
import { PROFILE_TEXTS } from '../users/profile-texts.ts';
import { WEBHOOK_TEXTS } from '../webhooks/texts.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { formatOf } from './format.ts';
import { preferredLanguage } from './languages.ts';

/** Every text by its path; texts that take values are called with some. */
function textsOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') return [[path, String(value(2, 'x'))]];
  return Object.entries(value as object).flatMap(([key, inner]) => textsOf(inner, `${path}.${key}`));
}

/** Texts that are loaded with their pages. */
const OF_PAGES = {
  ACTIVITY_TEXTS,
  EXCHANGE_TEXTS,
  FACTOR_TEXTS,
  HEALTH_TEXTS,
  MARKET_TEXTS,
  MESSAGE_TEXTS,
  PASSKEY_TEXTS,
  PROFILE_TEXTS,
  SCHEDULE_TEXTS,
  SCOPE_TEXTS,
  WEBHOOK_TEXTS,
};
const ofPages = (language: Language) => Object.values(OF_PAGES).map((texts) => texts[language]);

test('both languages have the same texts, and none is empty', () => {
  const english = textsOf([en, ...ofPages('en')]);
  const german = textsOf([de, ...ofPages('de')]);
  assert.deepEqual(german.map(([path]) => path).toSorted(), english.map(([path]) => path).toSorted());
  for (const [path, text] of [...english, ...german]) assert.ok(text.trim() !== '', path);
  assert.ok(TSOS.every((tso) => en.common.tsos[tso] === de.common.tsos[tso]));
});

test('no two entries of a navigation have the same name', () => {
  for (const [role, groups] of Object.entries(NAVIGATION))
    for (const dictionary of [en, de]) {
      const names = groups.flatMap(({ items }) => items.map(({ label }) => label(dictionary)));
      assert.deepEqual(names, [...new Set(names)], `${role}, ${dictionary.language}`);
    }
});

test('only codes of the problem catalogue have an explanation', () => {
  for (const code of Object.keys(en.problems.codes)) assert.ok(code in PROBLEMS, code);
});

test('the language is the chosen one, else the browser’s, else English', () => {
  assert.equal(preferredLanguage('de', ['en-US']), 'de');
  assert.equal(preferredLanguage(null, ['fr-FR', 'de-AT', 'en']), 'de');
  assert.equal(preferredLanguage('klingon', ['fr']), 'en');
});

test('numbers have three decimals in the format of the language, exact to the last digit', () => {
  assert.equal(formatOf('de').mwh(1_234_567), '1.234,567');
  assert.equal(formatOf('en').mwh(1_234_567), '1,234.567');
  assert.equal(formatOf('en').mwh(9_007_199_254_740_991), '9,007,199,254,740.991');
  assert.equal(formatOf('de').mw(1250), '5,000');
  assert.equal(formatOf('de').mwhSigned(0), '0,000');
  assert.equal(formatOf('en').mwhSigned(5), '+0.005');
});

test('times are Berlin times, or UTC where labelled so', () => {
  const de = formatOf('de');
  assert.equal(de.dateTime('2026-07-01T22:30:00Z'), '02.07.2026, 00:30');
  assert.equal(de.utcTime('2026-07-01T22:30:00Z'), '22:30');
  assert.equal(de.day('2026-10-25'), 'So., 25.10.2026');
  assert.match(formatOf('en').dayLong('2026-03-29'), /^Sunday,? 29 March 2026$/);
});
