import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { newUser } from '../../server/test/browser.ts';
import { client } from '../../server/test/harness.ts';
import { faultsOf } from './axe.ts';
import { ANONYMOUS, open, openStage } from './stage.ts';

const { platform, world, visitApart } = await openStage(undefined, { MFA: 'operators' });
const brp = await world.brp('Nordlicht');
const OF_BRP = { type: 'brp', brpNo: brp.no } as const;
const asOperator = client(platform.baseUrl, await world.operatorKey());
/** Passkeys belong to a domain, which an IP address is not. */
const baseURL = platform.baseUrl.replace('127.0.0.1', 'localhost');

/** An authenticator of Chromium: a platform authenticator that verifies its user at once. */
async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** Whether the user has the right finger or PIN. */
    verify: (isUserVerified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** Replaces the passkey by a copy whose sign count is another. */
    async copyWith(signCount: number) {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
      const [credential] = credentials;
      assert.ok(credential);
      const { credentialId } = credential;
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } });
    },
  };
}

type User = { readonly email: string; readonly password: string };

async function signIn(page: Page, { email, password }: User): Promise<void> {
  await open(page, '/sign-in');
  await fillIn(page, { email, password });
}

async function fillIn(page: Page, { email, password }: User): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const alert = (page: Page, text: string) => page.getByRole('alert').getByText(text).waitFor();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function signOut(page: Page): Promise<void> {
  await button(page, 'Sign out').click();
  await heading(page, 'Sign in to Saldo').waitFor();
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await open(page, '/profile');
  await button(page, 'Add passkey').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByText(`The passkey “${name}” has been added.`).waitFor();
  await page.getByRole('list', { name: 'Passkeys' }).getByText(name, { exact: true }).waitFor();
}

/** Visits the portal as a new user of the BRP who has added the passkey “Laptop”, and has signed out. */
const visitWithPasskey = (
  act: (page: Page, authenticator: Awaited<ReturnType<typeof addAuthenticator>>, user: User) => Promise<void>,
) =>
  visitApart(
    ANONYMOUS,
    async (page) => {
      const authenticator = await addAuthenticator(page);
      const user = await newUser(platform, OF_BRP);
      await signIn(page, user);
      await heading(page, 'Overview').waitFor();
      await addPasskey(page, 'Laptop');
      await signOut(page);
      await act(page, authenticator, user);
    },
    { baseURL },
  );

const REFUSED = 'This passkey was not accepted. Try again, or sign in another way.';

test('a passkey is added in the profile, and signs in without an email and a password, to the page asked for', () =>
  visitWithPasskey(async (page) => {
    await open(page, '/customers?status=pending');
    await page.waitForURL((url) => url.pathname === '/sign-in');
    await button(page, 'Use a passkey').click();
    await heading(page, 'Customers').waitFor();
    await page.waitForURL(({ pathname, search }) => pathname + search === '/customers?status=pending');
    await open(page, '/profile');
    const list = page.getByRole('list', { name: 'Passkeys' });
    assert.doesNotMatch(await list.innerText(), /never/);
    await button(page, 'Rename: Laptop').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Old laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await list.getByText('Old laptop').waitFor();
    // The authenticator has one already.
    await button(page, 'Add passkey').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click();
    await alert(page, 'There is a passkey of yours on this device already.');
    assert.deepEqual(await faultsOf(page, 'the dialog of a new passkey'), []);
  }));

test('a password is followed by the passkey as the second step, and opens no page before it', () =>
  visitWithPasskey(async (page, authenticator, user) => {
    await signIn(page, user);
    await heading(page, 'Confirm your sign-in').waitFor();
    assert.deepEqual(await faultsOf(page, 'the second step'), []);
    await authenticator.verify(false);
    await button(page, 'Use a passkey').click();
    await alert(page, 'No passkey was used: it was cancelled, not confirmed, or took too long.');
    await open(page, '/contracts');
    await heading(page, 'Confirm your sign-in').waitFor();
    await authenticator.verify(true);
    await button(page, 'Use a passkey').click();
    await heading(page, 'Contracts').waitFor();
  }));

test('a passkey signs in again over the page, with its input', () =>
  visitWithPasskey(async (page, _authenticator, user) => {
    await button(page, 'Use a passkey').click();
    await heading(page, 'Overview').waitFor();
    await open(page, '/keys');
    await button(page, 'New key').click();
    const form = page.getByRole('dialog').filter({ has: page.locator('[name=scopes]') });
    await form.getByLabel('Name', { exact: true }).fill('Trading desk');
    await page.context().clearCookies();
    await form.locator('[type=submit]').click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    assert.equal(await dialog.getByLabel('Email').inputValue(), user.email);
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await dialog.waitFor({ state: 'detached' });
    await form.locator('[type=submit]').click();
    await page.getByText('Trading desk').first().waitFor();
  }));

test('a copy of a passkey is refused and audited, and the original goes on', () =>
  visitWithPasskey(async (page, authenticator, { email }) => {
    await button(page, 'Use a passkey').click();
    await heading(page, 'Overview').waitFor();
    await signOut(page);
    await authenticator.copyWith(1);
    await button(page, 'Use a passkey').click();
    await alert(page, REFUSED);
    const { users } = (await asOperator(`/operator/v1/users?email=${email}`)).body;
    const audit = `/operator/v1/audit?subject=${users[0].id}&action=user.passkey_cloned`;
    const { entries } = (await asOperator(audit)).body;
    assert.deepEqual(
      entries.map(({ after }: { after: { name: string } }) => after.name),
      ['Laptop'],
    );
    await authenticator.copyWith(100);
    await button(page, 'Use a passkey').click();
    await heading(page, 'Overview').waitFor();
  }));

test('a removed passkey no longer signs in, and the password is enough again', () =>
  visitWithPasskey(async (page, _authenticator, user) => {
    await button(page, 'Use a passkey').click();
    await heading(page, 'Overview').waitFor();
    await open(page, '/profile');
    await button(page, 'Remove: Laptop').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('You have no passkeys yet.').waitFor();
    await signOut(page);
    await button(page, 'Use a passkey').click();
    await alert(page, REFUSED);
    await fillIn(page, user);
    await heading(page, 'Overview').waitFor();
  }));

test('passkeys cannot be added long after the sign-in, and the page leads to a new one and back', () =>
  visitWithPasskey(async (page) => {
    await button(page, 'Use a passkey').click();
    await heading(page, 'Overview').waitFor();
    const began = platform.clock.now();
    platform.clock.set(new Date(began + 15 * 60 * 1000).toISOString());
    try {
      await open(page, '/profile');
      await button(page, 'Remove: Laptop').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await alert(page, 'Your sign-in was too long ago for this. Please sign in again.');
      await page.getByRole('link', { name: 'Sign in again' }).click();
      await heading(page, 'Sign in to Saldo').waitFor();
      await button(page, 'Use a passkey').click();
      await heading(page, 'Profile and password').waitFor();
      await button(page, 'Remove: Laptop').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('You have no passkeys yet.').waitFor();
    } finally {
      platform.clock.set(new Date(began).toISOString());
    }
  }));

test('a user who needs a second factor adds a passkey before the first page', () =>
  visitApart(
    ANONYMOUS,
    async (page) => {
      await addAuthenticator(page);
      const user = await newUser(platform, { type: 'operator' });
      await signIn(page, user);
      await heading(page, 'Set up a second factor').waitFor();
      assert.deepEqual(await faultsOf(page, 'the set-up of a second factor'), []);
      await button(page, 'Add passkey').click();
      await heading(page, 'Platform').waitFor();
      await signOut(page);
      await button(page, 'Use a passkey').click();
      await heading(page, 'Platform').waitFor();
    },
    { baseURL },
  ));

test('a browser without passkeys, and an address where they do not work, say so', async () => {
  const user = await newUser(platform, OF_BRP);
  const without =
    'Passkeys are not available here. They need a current browser and a secure connection (https).';
  await visitApart(
    ANONYMOUS,
    async (page) => {
      await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
      await open(page, '/sign-in');
      await page.getByText(without).waitFor();
      await fillIn(page, user);
      await heading(page, 'Overview').waitFor();
      await open(page, '/profile');
      await page.getByText(without).waitFor();
    },
    { baseURL },
  );
  await visitApart(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    await button(page, 'Use a passkey').click();
    await alert(page, 'Passkeys do not work at this address.');
  });
});
