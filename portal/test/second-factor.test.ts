import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { afterPassword, codeOf, toNextCode, userWithCodes } from '../../server/test/authenticator.ts';
import { newUser } from '../../server/test/browser.ts';
import { faultsOf } from './axe.ts';
import { ANONYMOUS, open, openStage } from './stage.ts';

/** Operators need a second factor, others may have one. */
const { platform, world, visit, user: signedInAs } = await openStage(undefined, { MFA: 'operators' });
const brp = await world.brp('Nordlicht');
const OF_BRP = { type: 'brp', brpNo: brp.no } as const;
const OPERATOR = { type: 'operator' } as const;

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const typeCode = async (page: Page, code: string, button: string) => {
  await page.getByLabel('Code', { exact: true }).fill(code);
  await press(page, button);
};

async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await press(page, 'Sign in');
}

/** The secret that the page shows beside the QR code. */
async function readSecret(page: Page): Promise<string> {
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  return (await page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? assert.fail('no secret is shown');
}

/** The recovery codes that the page shows. */
async function readRecoveryCodes(page: Page): Promise<string[]> {
  const list = page.getByRole('list', { name: 'Your recovery codes' });
  await list.waitFor();
  return list.getByRole('listitem').allTextContents();
}

test('a user who needs a second factor sets it up at the sign-in, and signs in with codes from then on', async () => {
  const user = await newUser(platform, OPERATOR);
  await visit(ANONYMOUS, async (page) => {
    await open(page, '/operator/customers?status=pending');
    await signIn(page, user);
    await heading(page, 'Set up a second factor');
    assert.deepEqual(await faultsOf(page, 'set-up'), []);
    await press(page, 'Set up authenticator app');
    const secret = await readSecret(page);
    assert.deepEqual(await faultsOf(page, 'QR code'), []);
    await typeCode(page, '000000', 'Turn on');
    await page.getByText('is not correct, has expired, or was used before').waitFor();
    await typeCode(page, codeOf(platform, secret), 'Turn on');
    const recovery = await readRecoveryCodes(page);
    assert.equal(recovery.length, 10);
    assert.equal(await page.getByRole('button', { name: 'Cancel and sign out' }).count(), 0);
    assert.deepEqual(await faultsOf(page, 'recovery codes'), []);
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    assert.equal(file.suggestedFilename(), 'saldo-recovery-codes.txt');
    assert.equal(await readFile(await file.path(), 'utf8'), `${recovery.join('\n')}\n`);
    await press(page, 'I have stored them');
    await page.waitForURL(
      ({ pathname, search }) => pathname + search === '/operator/customers?status=pending',
    );
    await heading(page, 'Customers');

    await press(page, 'Sign out');
    await signIn(page, user);
    await heading(page, 'Confirm your sign-in');
    assert.deepEqual(await faultsOf(page, 'code'), []);
    await typeCode(page, codeOf(platform, secret), 'Confirm');
    await page.getByText('is not correct, has expired, or was used before').waitFor();
    await typeCode(page, codeOf(platform, secret, 1), 'Confirm');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();

    await press(page, 'Sign out');
    await signIn(page, user);
    await press(page, 'Use a recovery code');
    await page.getByLabel('Recovery code').fill(recovery[0] ?? '');
    await press(page, 'Confirm');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
});

test('a sign-in that is not complete shows nothing else, and can be cancelled', async () => {
  const { user } = await userWithCodes(platform, OF_BRP);
  const pending = await afterPassword(platform, user);
  await visit(pending, async (page) => {
    await open(page, '/customers');
    await heading(page, 'Confirm your sign-in');
    await page.waitForURL(({ pathname }) => pathname === '/second-factor');
    await page.reload();
    await heading(page, 'Confirm your sign-in');
    await press(page, 'Cancel and sign out');
    await heading(page, 'Sign in to Saldo');
    await page.goto('/second-factor');
    await heading(page, 'Sign in to Saldo');
  });
  assert.equal((await pending.request('/portal/v1/session')).status, 401);
});

test('a sign-in that took too long begins again', async () => {
  const { user, code } = await userWithCodes(platform, OF_BRP);
  const pending = await afterPassword(platform, user);
  await visit(pending, async (page) => {
    await open(page, '/customers');
    await heading(page, 'Confirm your sign-in');
    await pending.request.delete('/portal/v1/session');
    await typeCode(page, code(), 'Confirm');
    await page.getByText('Your session has ended. Please sign in again.').waitFor();
  });
});

test('a user with one-time codes signs in again over the page, with its input', async () => {
  const { user, browser, code } = await userWithCodes(platform, OF_BRP);
  await visit(browser, async (page) => {
    await open(page, '/keys');
    await press(page, 'New key');
    const form = page.getByRole('dialog').filter({ has: page.locator('[name=scopes]') });
    await form.getByLabel('Name', { exact: true }).fill('Trading desk');
    // The user begins to sign in again, in another tab of the browser.
    await browser.request.delete('/portal/v1/session');
    const again = await afterPassword(platform, user);
    const [name = '', value = ''] = again.cookie.split('=');
    await page.context().addCookies([{ name, value, url: platform.baseUrl }]);
    await form.locator('[type=submit]').click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    assert.deepEqual(await faultsOf(page, 'the second step over a page'), []);
    await dialog.getByLabel('Code', { exact: true }).fill(code());
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    await form.locator('[type=submit]').click();
    await page.getByText('Trading desk').first().waitFor();
  });
});

test('the profile sets one-time codes up, replaces them, renews recovery codes and removes them', async () => {
  const user = await newUser(platform, OF_BRP);
  await visit(ANONYMOUS, async (page) => {
    await open(page, '/profile');
    await signIn(page, user);
    await press(page, 'Set up authenticator app');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill('a wrong password');
    await press(page, 'Continue');
    await page.getByText('is not the current password').waitFor();
    await dialog.getByLabel('Current password').fill(user.password);
    await press(page, 'Continue');
    const first = await readSecret(page);
    assert.deepEqual(await faultsOf(page, 'dialog'), []);
    await typeCode(page, codeOf(platform, first), 'Turn on');
    await readRecoveryCodes(page);
    await page.keyboard.press('Escape');
    const [recovery = ''] = await readRecoveryCodes(page);
    await press(page, 'I have stored them');
    await page.getByText('Authenticator app since').waitFor();

    await press(page, 'Other phone');
    await typeCode(page, recovery, 'Continue');
    const second = await readSecret(page);
    assert.notEqual(second, first);
    await typeCode(page, codeOf(platform, second), 'Turn on');
    await readRecoveryCodes(page);
    await press(page, 'I have stored them');

    await press(page, 'New recovery codes');
    toNextCode(platform);
    await typeCode(page, codeOf(platform, second), 'Continue');
    assert.equal((await readRecoveryCodes(page)).length, 10);
    await press(page, 'I have stored them');

    await press(page, 'Remove');
    await page
      .getByRole('dialog')
      .getByLabel('Code', { exact: true })
      .fill(codeOf(platform, second, 1));
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
  });
});

test('a required second factor is not removed, and the page says why', async () => {
  const { browser, code } = await userWithCodes(platform, OPERATOR);
  await visit(browser, async (page) => {
    await open(page, '/profile');
    await press(page, 'Remove');
    await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill(code());
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The platform requires a second factor, and this is your last one.').waitFor();
  });
});

test('an operator resets the second factor of another user', async () => {
  const { user, browser } = await userWithCodes(platform, OF_BRP);
  const { browser: operator } = await userWithCodes(platform, OPERATOR);
  await visit(operator, async (page) => {
    await open(page, `/operator/users?email=${user.email}`);
    await page.getByRole('button', { name: /^Change: / }).click();
    await press(page, 'Reset second factor');
    assert.deepEqual(await faultsOf(page, 'reset'), []);
    await press(page, 'Reset second factor');
    await page.getByText(/^The second factor of User \d+ has been reset\.$/).waitFor();
  });
  assert.equal((await browser.request('/portal/v1/session')).status, 401);
});

test('in German', async () => {
  const { user } = await userWithCodes(platform, OF_BRP);
  await visit(
    await afterPassword(platform, user),
    async (page) => {
      await open(page, '/');
      await heading(page, 'Anmeldung bestätigen');
      await page.getByLabel('Code', { exact: true }).fill('000000');
      await press(page, 'Bestätigen');
      await page.getByText('ist nicht richtig, abgelaufen oder schon benutzt').waitFor();
    },
    { locale: 'de-DE' },
  );
  await visit(
    await signedInAs(OF_BRP),
    async (page) => {
      await open(page, '/profile');
      await heading(page, 'Zweiter Faktor');
    },
    { locale: 'de-DE' },
  );
});
