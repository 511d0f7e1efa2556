import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { open, openStage, settled } from './stage.ts';

const { world, user, visit } = await openStage();
const { seller, producer, consumer } = await world.pair();
await world.contract(producer, consumer, { externalId: 'PPA-17' });
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

const prefetched = (page: Page) =>
  page.waitForFunction(() => performance.getEntriesByName('prefetch-done').length > 0);

/** Runs without a network; the context is used by later tests, too. */
async function offline(page: Page, act: () => Promise<void>): Promise<void> {
  await page.context().setOffline(true);
  try {
    await act();
  } finally {
    await page.context().setOffline(false);
  }
}

const TEXTS = {
  'en-GB': {
    notice: 'No connection to the server.',
    retry: 'Try again',
    contracts: 'Contracts',
    menu: 'Menu',
  },
  'de-DE': {
    notice: 'Keine Verbindung zum Server.',
    retry: 'Erneut versuchen',
    contracts: 'Verträge',
    menu: 'Menü',
  },
} as const;

for (const [locale, width] of [
  ['en-GB', 1440],
  ['de-DE', 390],
] as const) {
  test(`a click without a network shows a notice, and the page recovers by itself (${locale}, ${width} px)`, () =>
    visit(
      asBrp,
      async (page) => {
        const texts = TEXTS[locale];
        const notice = page.getByText(texts.notice);
        await open(page, '/');
        await prefetched(page);
        await offline(page, async () => {
          await notice.waitFor();
          if (width === 390) await page.getByRole('button', { name: texts.menu }).click();
          await page.getByRole('link', { name: texts.contracts, exact: true }).click();
          await page.getByRole('heading', { level: 1, name: texts.contracts }).waitFor();
          await page.getByRole('button', { name: texts.retry }).first().click();
          await notice.waitFor();
        });
        await page.getByRole('link', { name: 'PPA-17' }).waitFor();
        await notice.waitFor({ state: 'detached' });
      },
      { locale, width },
    ));
}

for (const [role, visitor] of Object.entries({ operator: asOperator, brp: asBrp })) {
  test(`every page in the menu of the ${role} opens without a network`, () =>
    visit(visitor, async (page) => {
      await open(page, '/profile');
      await prefetched(page);
      const links = page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link');
      await offline(page, async () => {
        for (const link of await links.all()) {
          const name = await link.innerText();
          await link.click();
          await page.waitForURL(`**${await link.getAttribute('href')}*`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          assert.ok(name !== '' && (await page.title()) !== '', name);
        }
      });
      await settled(page);
    }));
}

test('a page that is not loaded yet waits for the network instead of failing', () =>
  visit(asBrp, async (page) => {
    // The first page that is loaded ahead never arrives, so no later one is either.
    await page.route('**/assets/home-*.js', () => new Promise(() => {}));
    await open(page, '/profile');
    const notice = page.getByText('No connection to the server.');
    const heading = page.getByRole('heading', { level: 1, name: 'API keys' });
    await offline(page, async () => {
      await notice.waitFor();
      await page.getByRole('link', { name: 'API keys', exact: true }).click();
      await page.waitForURL('**/keys');
      await page.getByRole('status').getByRole('button', { name: 'Try again' }).click();
      assert.equal(await heading.count(), 0);
    });
    await heading.waitFor();
    await notice.waitFor({ state: 'detached' });
    await page.unrouteAll();
  }));
