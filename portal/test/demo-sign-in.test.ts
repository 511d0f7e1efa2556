import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createDemoUsers, demoEnvironment } from '../../server/test/demo-users.ts';
import { client } from '../../server/test/harness.ts';
import { faultsOf } from './axe.ts';
import { ANONYMOUS, holdLiveRefresh, open, openStage } from './stage.ts';

const { platform, world, visit } = await openStage('2026-10-20T08:00:00Z', await demoEnvironment());
await createDemoUsers(platform);

const TEXTS = {
  'en-GB': {
    brp: ['Enter as dispatcher', 'Overview'],
    operator: ['Enter as control room', 'Platform'],
    account: ['Enter as account holder', 'Market'],
  },
  'de-DE': {
    brp: ['Als Dispatcher einsteigen', 'Übersicht'],
    operator: ['Als Leitstand einsteigen', 'Plattform'],
    account: ['Als Kontoinhaber einsteigen', 'Markt'],
  },
} as const;

for (const [locale, roles] of Object.entries(TEXTS) as [keyof typeof TEXTS, (typeof TEXTS)['en-GB']][])
  for (const [role, [button, title]] of Object.entries(roles))
    test(`one click on the sign-in page of a demo signs in: ${role}, ${locale}`, () =>
      visit(
        ANONYMOUS,
        async (page) => {
          await open(page, '/sign-in');
          await page.getByRole('button', { name: button }).click();
          await page.getByRole('heading', { level: 1, name: title }).waitFor();
        },
        { locale },
      ));

test('axe finds no fault on the sign-in page of a demo', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await page.getByRole('button', { name: 'Enter as account holder' }).waitFor();
    assert.deepEqual(await faultsOf(page, 'the sign-in page of a demo'), []);
  }));

const KEY_FORM = {
  'en-GB': { newKey: 'New key', again: 'Sign in again' },
  'de-DE': { newKey: 'Neuer Schlüssel', again: 'Erneut anmelden' },
} as const;

/** Ends the session while the form of a new key is filled in, and returns the dialog that asks for the sign-in. */
async function endSession(page: Page, { newKey, again }: (typeof KEY_FORM)[keyof typeof KEY_FORM]) {
  await open(page, '/keys');
  await page.getByRole('button', { name: newKey }).click();
  await page.locator('[name=name]').fill('Dispatch');
  await page.context().clearCookies();
  await page.getByRole('dialog').getByRole('button', { name: newKey }).click();
  const dialog = page.getByRole('dialog', { name: again });
  await dialog.waitFor();
  return dialog;
}

for (const [locale, texts] of Object.entries(KEY_FORM) as [keyof typeof TEXTS, (typeof KEY_FORM)['en-GB']][])
  test(`a demo user whose session has ended enters again over the page (${locale})`, () =>
    visit(
      ANONYMOUS,
      async (page) => {
        const [button, title] = TEXTS[locale].brp;
        await holdLiveRefresh(page);
        await open(page, '/sign-in');
        await page.getByRole('button', { name: button }).click();
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        const dialog = await endSession(page, texts);
        const enter = dialog.getByRole('button', { name: button });
        await enter.waitFor();
        for (const [other] of [TEXTS[locale].operator, TEXTS[locale].account])
          assert.equal(await dialog.getByRole('button', { name: other }).count(), 0);
        assert.deepEqual(await faultsOf(page, 'the sign-in of a demo over a page'), []);
        await enter.click();
        await dialog.waitFor({ state: 'detached' });
        assert.equal(await page.locator('[name=name]').inputValue(), 'Dispatch');
      },
      { locale },
    ));

test('the button of a role leads a user of the role who is another one to the warning about that', () =>
  visit(ANONYMOUS, async (page) => {
    await holdLiveRefresh(page);
    await open(page, '/sign-in');
    await page.getByRole('textbox', { name: 'Email' }).fill('reader@demo.example');
    await page.getByLabel('Password', { exact: true }).fill('the password of the reader');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const dialog = await endSession(page, KEY_FORM['en-GB']);
    await dialog.getByRole('button', { name: 'Enter as dispatcher' }).click();
    const warning = page.getByRole('dialog', { name: 'Another user has signed in' });
    await warning.getByText('This page belongs to reader@demo.example').waitFor();
    assert.equal(await page.locator('[name=name]').inputValue(), 'Dispatch');
  }));

test('a demo user who is disabled is refused with a sentence, and the form stays', async () => {
  const operator = client(platform.baseUrl, await world.operatorKey());
  const { users } = (await operator('/operator/v1/users?email=account@demo.example')).body;
  await operator.patch(`/operator/v1/users/${users[0].id}`, { disabled: true });
  await visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await page.getByRole('button', { name: 'Enter as account holder' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(await alert.innerText(), /has a new password or is disabled/);
    await page.getByRole('textbox', { name: 'Email' }).fill('operator@demo.example');
    await page.getByLabel('Password', { exact: true }).fill('the password of the operator');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Platform' }).waitFor();
  });
});
