import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { drawn, follow, hold, open, openStage } from './stage.ts';

const { platform, world, user, visit } = await openStage();
const { seller, producer, consumer, sellerGroup } = await world.pair();
const operator = client(platform.baseUrl, await world.operatorKey());
const contract = await world.contract(producer, consumer, { externalId: 'PPA-17' });
const asOperator = await user({ type: 'operator' });
const asLeaving = await user({ type: 'operator' });
const asBrp = await user({ type: 'brp', brpNo: seller.no });

const TEXTS = {
  'en-GB': {
    question: 'Discard your changes?',
    keep: 'Keep editing',
    discard: 'Discard changes',
    reference: 'Reference',
    contracts: 'Contracts',
    newKey: 'New key',
    name: 'Name',
    close: 'Close',
    cancel: 'Cancel',
  },
  'de-DE': {
    question: 'Änderungen verwerfen?',
    keep: 'Weiter bearbeiten',
    discard: 'Änderungen verwerfen',
    reference: 'Referenz',
    contracts: 'Verträge',
    newKey: 'Neuer Schlüssel',
    name: 'Name',
    close: 'Schließen',
    cancel: 'Abbrechen',
  },
} as const;

/** The question about unsaved input. */
const questionIn = (page: Page, { question, keep, discard }: (typeof TEXTS)['en-GB' | 'de-DE']) => {
  const dialog = page.getByRole('dialog', { name: question });
  return {
    asked: () => dialog.waitFor(),
    gone: () => dialog.waitFor({ state: 'detached' }),
    keep: () => dialog.getByRole('button', { name: keep }).click(),
    discard: () => dialog.getByRole('button', { name: discard }).click(),
  };
};

for (const locale of ['en-GB', 'de-DE'] as const) {
  for (const width of [1440, 390]) {
    const texts = TEXTS[locale];

    test(`a form with changes asks before it is left by a link or the browser's button (${locale}, ${width} px)`, () =>
      visit(
        asOperator,
        async (page) => {
          const question = questionIn(page, texts);
          await open(page, '/operator/contracts');
          await follow(page, '/operator/contracts/new');
          const field = page.getByLabel(texts.reference, { exact: true });
          const link = page.getByRole('main').getByRole('link', { name: texts.contracts, exact: true });
          await field.fill('PPA-4711');

          await link.click();
          await question.asked();
          await question.keep();
          await question.gone();
          assert.equal(await field.inputValue(), 'PPA-4711');

          await page.evaluate(() => history.back());
          await question.asked();
          await page.keyboard.press('Escape');
          await question.gone();
          await page.waitForURL('**/operator/contracts/new');
          assert.equal(await field.inputValue(), 'PPA-4711');

          await link.click();
          await question.asked();
          await question.discard();
          await page.waitForURL('**/operator/contracts');

          await page.goBack();
          await page.waitForURL('**/operator/contracts/new');
          // The new form is empty.
          await link.click();
          await page.waitForURL('**/operator/contracts');
        },
        { locale, width },
      ));

    test(`a dialog with changes asks before Escape or its corner closes it (${locale}, ${width} px)`, () =>
      visit(
        asBrp,
        async (page) => {
          const question = questionIn(page, texts);
          const dialog = page.getByRole('dialog').first();
          const field = dialog.getByLabel(texts.name, { exact: true });
          const start = async () => {
            await page.getByRole('button', { name: texts.newKey, exact: true }).click();
            await field.waitFor();
          };
          await open(page, '/keys');
          await start();
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'detached' });

          await start();
          await field.fill('Trading desk');
          // Twice, because browsers close a dialog at the second Escape regardless of the first.
          for (let time = 0; time < 2; time++) {
            await page.keyboard.press('Escape');
            await question.asked();
            await page.keyboard.press('Escape');
            await question.gone();
          }
          assert.equal(await field.inputValue(), 'Trading desk');
          await dialog.getByRole('button', { name: texts.close }).click();
          await question.asked();
          await question.discard();
          await dialog.waitFor({ state: 'detached' });

          await start();
          await field.fill('Trading desk');
          await dialog.getByRole('button', { name: texts.cancel }).click();
          await dialog.waitFor({ state: 'detached' });
        },
        { locale, width },
      ));
  }
}

test('the browser asks before a page with changes is closed, and not otherwise', () =>
  visit(asBrp, async (page) => {
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    const url = `/customers/${producer.id}`;
    await open(page, url);
    await page.getByRole('button', { name: 'Add entry' }).click();
    const key = page.getByLabel('Key 1');
    await key.fill('site');
    await open(page, url);
    assert.deepEqual(asked, ['beforeunload']);

    await page.getByRole('button', { name: 'Add entry' }).click();
    await key.fill('site');
    await page.getByLabel('Value 1').fill('Harz');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('Saved.').waitFor();
    await page.locator('[data-unsaved]').waitFor({ state: 'detached' });
    await open(page, url);
    assert.deepEqual(asked, ['beforeunload']);
    page.removeAllListeners('dialog');
  }));

test('volumes typed or checked in a dry run are unsaved until they are imported', () =>
  visit(asOperator, async (page) => {
    const question = questionIn(page, TEXTS['en-GB']);
    const menu = page.getByRole('navigation', { name: 'Main navigation' });
    await open(page, `/operator/contracts/${contract.id}?day=2026-10-21`);
    await page.getByRole('button', { name: 'Correct the day' }).click();
    await page.getByLabel(/^Slot 1,/).fill('1.5');
    await menu.getByRole('link', { name: 'Import' }).click();
    await question.asked();
    await question.discard();
    await page.waitForURL('**/operator/import');

    const csv = `contract,delivery_date,slot,volume\nPPA-17,2026-10-21,1,1.250\n`;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'volumes.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByRole('button', { name: 'Import now' }).waitFor();
    await menu.getByRole('link', { name: 'Contracts' }).click();
    await question.asked();
    await question.keep();
    await page.getByRole('button', { name: 'Import now' }).click();
    await page.getByText('imported', { exact: true }).waitFor();
    await menu.getByRole('link', { name: 'Contracts' }).click();
    await page.waitForURL('**/operator/contracts');
  }));

test('signing out asks first', () =>
  visit(asLeaving, async (page) => {
    const question = questionIn(page, TEXTS['en-GB']);
    await open(page, '/profile');
    await page.getByLabel('New password', { exact: true }).fill('a much longer password');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await question.asked();
    await question.keep();
    await question.gone();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await question.asked();
    await question.discard();
    await page.waitForURL('**/sign-in');
  }));

test('a late answer does not close the dialog that was opened meanwhile', async () => {
  const create = async (contract_period: number): Promise<string> => {
    const body = { contract_period, delivery_volume: 9000, country: 'AT' };
    const made = await operator('/operator/v1/demands', { method: 'POST', body });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const id = await create(5);
  await create(6);
  await visit(asOperator, async (page) => {
    await open(page, '/operator/demands?country=AT');
    const dialog = page.getByRole('dialog');
    const years = dialog.getByLabel('Contract period in years');
    const edit = (period: string) =>
      page
        .getByRole('row')
        .filter({ hasText: period })
        .getByRole('button', { name: /^Change: / })
        .click();
    const { asked, release } = await hold(page, (url) => url.pathname.endsWith(`/demands/${id}`), 'PATCH');
    await edit('5 years');
    await years.fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await asked;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });

    await edit('6 years');
    await years.fill('9');
    release();
    await page.getByText('The demand is saved.').waitFor();
    // The list is refreshed nevertheless.
    await page.getByText('7 years').first().waitFor();
    assert.equal(await years.inputValue(), '9');
  });
});

/** The pages that open a record once it is created. Each fills in the form. */
const CREATIONS: readonly [string, string, (page: Page) => Promise<void>][] = [
  [
    'contracts',
    '/operator/contracts/new',
    async (page) => {
      await page.getByLabel('Reference', { exact: true }).fill('PPA-18');
      for (const [role, name] of Object.entries({ Seller: 'Mühle', Buyer: 'Hütte' })) {
        await world.customer(seller, { name, group: sellerGroup });
        await page.getByRole('combobox', { name: role }).fill(name);
        await page.getByRole('option', { name: new RegExp(`^${name}`) }).click();
      }
    },
  ],
  [
    'customers',
    `/operator/customers?brp_id=${seller.id}`,
    async (page) => {
      await page.getByRole('button', { name: 'New customer' }).click();
      await page.getByRole('dialog').getByRole('combobox', { name: 'BRP' }).selectOption(seller.id);
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Spät');
    },
  ],
  [
    'brps',
    '/operator/brps',
    async (page) => {
      await page.getByRole('button', { name: 'New BRP' }).click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Spät');
    },
  ],
];
for (const [records, url, fillIn] of CREATIONS) {
  test(`a late answer does not leave the form that was opened meanwhile (${records})`, () =>
    visit(asOperator, async (page) => {
      await open(page, url);
      const { asked, release } = await hold(
        page,
        (url) => url.pathname.endsWith(`/operator/v1/${records}`),
        'POST',
      );
      await fillIn(page);
      const answered = page.waitForResponse(
        (response) => response.request().method() === 'POST' && response.url().endsWith(`/v1/${records}`),
      );
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await asked;
      await page.getByText('Cancel', { exact: true }).click();
      await follow(page, '/operator/contracts');
      await follow(page, '/operator/contracts/new');
      const field = page.getByLabel('Reference', { exact: true });
      await field.fill('PPA-4711');
      release();
      const answer = await answered;
      assert.equal(answer.status(), 201);
      await answer.finished();
      await drawn(page);
      assert.equal(new URL(page.url()).pathname, '/operator/contracts/new');
      assert.equal(await field.inputValue(), 'PPA-4711');
    }));
}

test('leaving the page of the import cancels the upload', () =>
  visit(asOperator, async (page) => {
    const question = questionIn(page, TEXTS['en-GB']);
    await open(page, '/operator/import');
    await page.getByRole('checkbox').uncheck();
    const { asked, release } = await hold(
      page,
      (url) => url.pathname.endsWith('/operator/v1/volumes'),
      'POST',
    );
    const csv = `contract,delivery_date,slot,volume\nPPA-17,2026-10-23,1,1.250\n`;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'volumes.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    const request = await asked;
    const cancelled = page.waitForEvent('requestfailed', (failed) => failed === request);
    const menu = page.getByRole('navigation', { name: 'Main navigation' });
    await menu.getByRole('link', { name: 'Contracts' }).click();
    await question.asked();
    await question.discard();
    await page.waitForURL('**/operator/contracts');
    await cancelled;
    release();
  }));
