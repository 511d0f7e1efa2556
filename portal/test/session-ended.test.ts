import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Browser, newUser, openBrowser } from '../../server/test/browser.ts';
import { client } from '../../server/test/harness.ts';
import { faultsOf } from './axe.ts';
import { holdLiveRefresh, open, openStage } from './stage.ts';

const { platform, world, visit, visitApart } = await openStage();
const { seller, sellerGroup, producer, consumer } = await world.pair();
const operator = client(platform.baseUrl, await world.operatorKey());

type Person = { readonly email: string; readonly password: string };

/** A new user of the operator with a session, which the test can end. */
async function signedInPerson(): Promise<{ person: Person; browser: Browser }> {
  const person = await newUser(platform, { type: 'operator' });
  const browser = openBrowser(platform);
  assert.equal((await browser.signIn(person.email, person.password)).status, 200);
  return { person, browser };
}

const end = async ({ request }: Browser): Promise<void> =>
  assert.equal((await request.delete('/portal/v1/session')).status, 200);

const TEXTS = {
  'en-GB': {
    title: 'Sign in again',
    kept: 'Your session has ended. Your input on this page is kept.',
    email: 'Email',
    password: 'Password',
    signIn: 'Sign in',
    again: 'The session had ended. Nothing was saved: please send it again.',
    seller: 'Seller',
    buyer: 'Buyer',
    create: 'Create',
    otherUser: 'Another user has signed in',
    load: 'Load the page',
    from: '01/01/2027',
    to: '31/12/2031',
  },
  'de-DE': {
    title: 'Erneut anmelden',
    kept: 'Ihre Sitzung ist beendet. Ihre Eingaben auf dieser Seite bleiben erhalten.',
    email: 'E-Mail',
    password: 'Passwort',
    signIn: 'Anmelden',
    again: 'Die Sitzung war beendet. Es wurde nichts gespeichert: bitte noch einmal absenden.',
    seller: 'Verkäufer',
    buyer: 'Käufer',
    create: 'Anlegen',
    otherUser: 'Ein anderer Benutzer hat sich angemeldet',
    load: 'Seite laden',
    from: '01.01.2027',
    to: '31.12.2031',
  },
} as const;
type Texts = (typeof TEXTS)[keyof typeof TEXTS];

async function chooseParty(page: Page, label: string, id: string): Promise<void> {
  const { body } = await operator(`/operator/v1/customers/${id}`);
  await page.getByRole('combobox', { name: label, exact: true }).fill(body.name);
  await page.getByRole('option', { name: body.name }).click();
}

async function fillContract(page: Page, texts: Texts, reference: string): Promise<void> {
  await chooseParty(page, texts.seller, producer.id);
  await chooseParty(page, texts.buyer, consumer.id);
  for (const [name, value] of [
    ['external_id', reference],
    ['delivery_start', texts.from],
    ['delivery_end', texts.to],
  ] as const)
    await page.locator(`[name=${name}]`).fill(value);
}

const dialogOf = (page: Page, { title }: Texts) => page.getByRole('dialog', { name: title });

async function signInAgain(page: Page, texts: Texts, { password }: Person): Promise<void> {
  const dialog = dialogOf(page, texts);
  await dialog.getByRole('textbox', { name: texts.password }).fill(password);
  await dialog.getByRole('button', { name: texts.signIn, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

const contractOf = async (reference: string) =>
  (await operator(`/operator/v1/contracts?external_id=${reference}`)).body.contracts[0];

for (const locale of ['en-GB', 'de-DE'] as const) {
  const texts = TEXTS[locale];

  test(`a session that ends while a form is filled in leaves its input (${locale})`, async () => {
    const { person, browser } = await signedInPerson();
    const reference = `PPA-${locale}`;
    await visit(
      browser,
      async (page) => {
        await holdLiveRefresh(page);
        await open(page, '/operator/contracts/new');
        await fillContract(page, texts, reference);
        await end(browser);
        const submit = page.getByRole('button', { name: texts.create, exact: true });
        await submit.click();
        const dialog = dialogOf(page, texts);
        await dialog.getByText(texts.kept).waitFor();
        assert.equal(await dialog.getByLabel(texts.email).inputValue(), person.email);
        assert.deepEqual(await faultsOf(page, 'the sign-in over a page'), []);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        await dialog.getByRole('textbox', { name: texts.password }).fill('not the password');
        await dialog.getByRole('button', { name: texts.signIn, exact: true }).click();
        await dialog.getByRole('alert').waitFor();
        await signInAgain(page, texts, person);
        assert.equal(await contractOf(reference), undefined, 'only the user sends a form again');
        await page.getByRole('alert').getByText(texts.again).waitFor();
        await submit.click();
        await page.waitForURL(/\/operator\/contracts\/con_/);
      },
      { locale },
    );
    const { delivery_start, seller: from } = await contractOf(reference);
    assert.deepEqual([delivery_start, from.eic], ['2026-12-31T23:00:00Z', sellerGroup.eic]);
  });

  test(`another user who signs in elsewhere takes a page with input over after a warning (${locale})`, async () => {
    const { browser } = await signedInPerson();
    const other = await newUser(platform, { type: 'brp', brpNo: seller.no });
    await visitApart(
      browser,
      async (page) => {
        await holdLiveRefresh(page);
        await open(page, '/operator/contracts/new');
        await page.locator('[name=external_id]').fill('PPA-other');
        const second = await page.context().newPage();
        await open(second, '/sign-in');
        await second.getByLabel(texts.email).fill(other.email);
        await second.getByRole('textbox', { name: texts.password }).fill(other.password);
        await second.getByRole('button', { name: texts.signIn, exact: true }).click();
        await second.locator('#content').waitFor();
        const warning = page.getByRole('dialog', { name: texts.otherUser });
        await warning.waitFor();
        assert.equal(await page.locator('[name=external_id]').inputValue(), 'PPA-other');
        await warning.getByRole('button', { name: texts.load }).click();
        await page.waitForURL(({ pathname }) => pathname === '/');
      },
      { locale },
    );
  });
}

test('a dialog with input stays under the sign-in, and queries go on after it', async () => {
  const { person, browser } = await signedInPerson();
  const texts = TEXTS['en-GB'];
  await visit(browser, async (page) => {
    await holdLiveRefresh(page);
    await open(page, '/operator/brps');
    await page.getByRole('button', { name: 'New BRP' }).click();
    const form = page.getByRole('dialog', { name: 'Onboard a BRP' });
    await form.getByLabel('Name').fill('Südlicht');
    await end(browser);
    await form.getByRole('button', { name: 'Create' }).click();
    await signInAgain(page, texts, person);
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Südlicht' }).waitFor();
  });
});

test('a session that ends in another tab asks for the sign-in over a page with input, which another tab completes', async () => {
  const { person, browser } = await signedInPerson();
  const texts = TEXTS['en-GB'];
  await visitApart(browser, async (page) => {
    await holdLiveRefresh(page);
    await open(page, '/operator/contracts/new');
    await page.locator('[name=external_id]').fill('PPA-tab');
    const second = await page.context().newPage();
    await open(second, '/profile');
    await second.getByRole('button', { name: 'Sign out', exact: true }).click();
    await second.getByRole('heading', { name: 'Sign in to Saldo' }).waitFor();
    await dialogOf(page, texts).waitFor();
    await second.getByLabel('Email').fill(person.email);
    await second.getByRole('textbox', { name: 'Password' }).fill(person.password);
    await second.getByRole('button', { name: 'Sign in', exact: true }).click();
    await second.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
    await dialogOf(page, texts).waitFor({ state: 'detached' });
    assert.equal(await page.locator('[name=external_id]').inputValue(), 'PPA-tab');
  });
});

test('a page whose session has ended loads its data after the sign-in', async () => {
  const { person, browser } = await signedInPerson();
  await visit(browser, async (page) => {
    await holdLiveRefresh(page);
    await open(page, '/profile');
    await end(browser);
    await page.getByRole('link', { name: 'Customers', exact: true }).click();
    await signInAgain(page, TEXTS['en-GB'], person);
    await page.getByRole('table', { name: 'Customers' }).locator('tbody tr').first().waitFor();
  });
});
