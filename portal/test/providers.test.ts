import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Page } from 'playwright-core';
import { createUser, inviteUser } from '../../server/src/users/actions.ts';
import { openBrowser } from '../../server/test/browser.ts';
import { DOMAINS, prepareProviders, reachCallback } from '../../server/test/oidc-provider.ts';
import { faultsOf } from './axe.ts';
import { ANONYMOUS, open, openStage } from './stage.ts';

const providers = await prepareProviders();
const { platform, visitApart } = await openStage(new Date().toISOString(), { OIDC_FILE: providers.file });
await providers.start(platform);
// Tokens of the provider have the time of the machine.
beforeEach(() => platform.clock.set(new Date().toISOString()));

let count = 0;
async function newUser(domain = DOMAINS.plain) {
  const email = `person${++count}@${domain}`;
  const user = {
    email,
    name: `Person ${count}`,
    owner: { type: 'operator' },
    permissions: 'admin',
  } as const;
  const now = platform.clock.now();
  return platform.db.transaction(async (tx) => {
    const { id } = await createUser(tx, user, now);
    const { token } = await inviteUser(tx, 'all', encodeId(ID_PREFIX.user, id), now);
    return { email, token };
  });
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** Fills in the form of the provider, which is another site. */
async function signInThere(page: Page, person: Record<string, string>): Promise<void> {
  await page.waitForURL((url) => url.origin === providers.issuers.nordwind);
  await page.locator('[name=login]').fill(new URLSearchParams(person).toString());
  await page.locator('[name=password]').fill('any');
  await page.locator('[type=submit]').click();
}

/** A visit in a browser of its own, in which the provider's page gets no fonts of yet another site. */
const visit = (act: (page: Page) => Promise<void>, locale = 'en-GB') =>
  visitApart(
    ANONYMOUS,
    async (page) => {
      await page.route(/googleapis/, (request) => request.abort());
      await act(page);
    },
    { locale },
  );

const BUTTON = { name: 'Sign in with Nordwind directory' };

test('a person signs in with a provider on another site, returns to the requested page, and signs out at both', async () => {
  const { email } = await newUser();
  await visit(async (page) => {
    await open(page, '/operator/users?role=operator');
    await page.getByRole('button', BUTTON).click();
    await signInThere(page, { email, verified: 'yes' });
    await heading(page, 'Users').waitFor();
    const { pathname, search } = new URL(page.url());
    assert.equal(pathname + search, '/operator/users?role=operator');
    await page
      .getByText(`Signs in with ${new URL(providers.issuers.nordwind).host}`)
      .first()
      .waitFor();
    assert.deepEqual(await faultsOf(page, page.url()), []);
    await page.reload();
    await heading(page, 'Users').waitFor();
    await page.goBack();
    assert.ok(!page.url().includes('code='), 'the code is not in the history');
    await open(page, '/profile');
    await page.getByText('Your only way to sign in').waitFor();
    assert.deepEqual(await faultsOf(page, page.url()), []);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await heading(page, 'Sign in to Saldo').waitFor();
    await open(page, '/profile');
    await heading(page, 'Sign in to Saldo').waitFor();
  });
});

test('the sign-in over a page warns that a provider leaves it', async () => {
  const { email } = await newUser();
  await visit(async (page) => {
    await open(page, '/operator/contracts/new');
    await page.getByRole('button', BUTTON).click();
    await signInThere(page, { email, verified: 'yes' });
    await page.locator('[name=external_id]').fill('PPA-17');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('input on this page that is not saved is lost').waitFor();
    // The browser asks, too.
    page.on('dialog', (question) => void question.accept());
    await dialog.getByRole('button', BUTTON).click();
    await page.waitForURL((url) => url.origin === providers.issuers.nordwind);
  });
});

test('a refused sign-in ends on the sign-in page with one sentence, in its language', async () => {
  const { email } = await newUser();
  await visit(async (page) => {
    await open(page, '/sign-in');
    await page.getByRole('button', BUTTON).click();
    await signInThere(page, { email, verified: 'no' });
    const sentence =
      'You could not be signed in with Nordwind directory. Please ask the operator of the platform.';
    await page.getByRole('alert').getByText(sentence).waitFor();
    await heading(page, 'Sign in to Saldo').waitFor();
    assert.deepEqual(await faultsOf(page, page.url()), []);
    const { pathname, search } = new URL(page.url());
    assert.equal(pathname + search, '/sign-in');
  });
  await visit(async (page) => {
    await open(page, '/sign-in');
    await page.getByRole('button', { name: 'Mit Nordwind directory anmelden' }).click();
    await page.getByText('[ Cancel ]').click();
    await page
      .getByRole('alert')
      .getByText('Die Anmeldung mit Nordwind directory wurde abgebrochen.')
      .waitFor();
    await heading(page, 'Bei Saldo anmelden').waitFor();
    assert.deepEqual(await faultsOf(page, page.url()), []);
  }, 'de-DE');
});

test('the link of a sign-in that another browser has started is refused', async () => {
  const { email } = await newUser();
  const query = await reachCallback(openBrowser(platform), { email, verified: 'yes' });
  await visit(async (page) => {
    await open(page, `/sign-in/return/nordwind${query}`);
    await page.getByRole('alert').getByText('was started in another browser').waitFor();
    await heading(page, 'Sign in to Saldo').waitFor();
  });
});

test('the typed address offers the provider that its domain requires', () =>
  visit(async (page) => {
    await open(page, '/sign-in');
    await page.getByRole('button', { name: 'Sign in with Other directory' }).waitFor();
    await page.getByLabel('Email').fill(`anna@${DOMAINS.required}`);
    await page.getByText(`Users of ${DOMAINS.required} sign in here, without a password:`).waitFor();
    await page.getByRole('button', BUTTON).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Sign in with Other directory' }).count(), 0);
    assert.deepEqual(await faultsOf(page, page.url()), []);
  }));

test('an invitation of such a domain is accepted at the provider', async () => {
  const { email, token } = await newUser(DOMAINS.required);
  await visit(async (page) => {
    await open(page, `/invitation#${token}`);
    await page.getByText('You need no password for Saldo.').waitFor();
    assert.deepEqual(await faultsOf(page, page.url()), []);
    await page.getByRole('button', BUTTON).click();
    await signInThere(page, { email, verified: 'yes' });
    await page.waitForURL((url) => url.href === `${platform.baseUrl}/`);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
});

test('a provider that is down is named, and the form for passwords stays', async () => {
  const { email } = await newUser();
  await visit(async (page) => {
    await open(page, '/sign-in');
    await page.route('**/portal/v1/sign-in/providers/nordwind/callback', async (request) => {
      await providers.kill();
      await request.continue();
    });
    await page.getByRole('button', BUTTON).click();
    await signInThere(page, { email, verified: 'yes' });
    await page.getByRole('alert').getByText('Nordwind directory does not answer at the moment.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).waitFor();
  });
});
