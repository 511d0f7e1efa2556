import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { follow, open, openStage } from './stage.ts';

const { world, user, visit } = await openStage();
const { seller, producer, consumer } = await world.pair();
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
