import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserPermissions, UserRole } from '@saldo/api';
import type { Language } from '@saldo/core/messages/language.ts';
import { de } from '../i18n/de.ts';
import { en } from '../i18n/en.ts';
import { NAVIGATION } from '../navigation.ts';
import { entriesOf, parametersOf } from './entries.ts';
import { findEntries } from './query.ts';

const DICTIONARIES = { en, de };
const ROLES = ['brp', 'operator', 'account'] as const;
const TODAY = '2026-11-18';

const entries = (role: UserRole, permissions: UserPermissions, language: Language) =>
  entriesOf(
    { role, permissions, isInDemo: true },
    NAVIGATION[role].flatMap(({ items }) => items),
    DICTIONARIES[language],
    'system',
  );
const found = (role: UserRole, typed: string, language: Language, permissions: UserPermissions = 'admin') =>
  findEntries(entries(role, permissions, language), typed, TODAY).map(({ entry }) => entry.label);

for (const role of ROLES)
  test(`each page and action is found by its name in both languages: ${role}`, () => {
    for (const [language, other] of [
      ['en', 'de'],
      ['de', 'en'],
    ] as const) {
      for (const { label, target } of entries(role, 'admin', language)) {
        // The language that can be chosen is the other one.
        if ('language' in target) continue;
        const targets = findEntries(entries(role, 'admin', other), label, TODAY);
        assert.ok(
          targets.some(({ entry }) => JSON.stringify(entry.target) === JSON.stringify(target)),
          `${label} in a portal in ${other}`,
        );
      }
    }
  });

test('common words find their page or action', () => {
  assert.deepEqual(found('brp', 'webhook', 'de'), ['Webhooks', 'Neuer Webhook']);
  assert.deepEqual(found('brp', 'schedule check', 'de'), ['Fahrplan prüfen']);
  assert.deepEqual(found('brp', 'fahrplan morgen', 'en'), ['Nominations', 'Download tomorrow’s schedule']);
  assert.deepEqual(found('operator', 'neuer kunde', 'en'), ['New customer']);
  assert.deepEqual(found('operator', 'board', 'de'), ['Leitstand']);
  assert.equal(found('account', 'neuer schluessel', 'en')[0], 'New API key');
  assert.deepEqual(found('account', 'merkliste', 'en'), ['Watch list']);
  assert.deepEqual(found('account', 'compare', 'de'), ['Angebote vergleichen']);
  assert.deepEqual(found('account', 'abmelden', 'en'), ['Sign out']);
  assert.deepEqual(found('brp', 'dark', 'de'), ['Dunkle Darstellung']);
  assert.deepEqual(found('brp', 'deutsch', 'en'), ['Language: Deutsch']);
  for (const [role, typed, en, de] of [
    ['brp', 'export', 'Nominations', 'Nominierungen'],
    ['brp', 'frist', 'Overview', 'Übersicht'],
    ['brp', 'deadline', 'Overview', 'Übersicht'],
    ['brp', 'schlüssel erneuern', 'Rotate API key', 'API-Schlüssel erneuern'],
    ['brp', 'rotate key', 'Rotate API key', 'API-Schlüssel erneuern'],
    ['operator', 'alarm', 'Overview', 'Übersicht'],
  ] as const) {
    assert.ok(found(role, typed, 'en').includes(en), typed);
    assert.ok(found(role, typed, 'de').includes(de), typed);
  }
});

test('only the demo has the guided story', () => {
  const has = (isInDemo: boolean) =>
    entriesOf({ role: 'operator', permissions: 'admin', isInDemo }, [], en, 'system').some(
      ({ label }) => label === 'Guided story',
    );
  assert.deepEqual([true, false].map(has), [true, false]);
});

test('an account has no days and no TSOs', () => {
  for (const typed of ['morgen', 'tennet', 'tomorrow tennet'])
    assert.deepEqual(found('account', typed, 'en'), []);
});

test('only what the permissions allow is offered', () => {
  for (const role of ROLES) {
    assert.deepEqual(found(role, 'new', 'en', 'viewer'), [], role);
    assert.deepEqual(found(role, 'sign out', 'en', 'viewer'), ['Sign out']);
  }
  assert.ok(found('operator', 'new', 'en', 'member').includes('New customer'));
  assert.ok(!found('operator', 'new', 'en', 'member').includes('New API key'));
  assert.deepEqual(found('brp', 'users', 'en', 'member'), []);
});

test('a day and a TSO are the parameters of the page', () => {
  const given = { day: '2026-10-25', tso: 'DE_AMPRION' } as const;
  assert.deepEqual(parametersOf('/nominations', given), given);
  assert.deepEqual(parametersOf('/operator/contracts', { day: '2026-10-25' }), { active_on: '2026-10-25' });
  assert.deepEqual(parametersOf('/keys', given), {});
});
