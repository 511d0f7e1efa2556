import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../../server/test/until.ts';
import { open, openStage } from './stage.ts';

const { world, user, visit } = await openStage();
const { seller, sellerGroup, buyer, buyerGroup } = await world.pair();
const producer = await world.customer(seller, { name: 'Windpark Größ-Föhr', group: sellerGroup });
const consumer = await world.customer(buyer, { name: 'Stadtwerke Viernau', group: buyerGroup });
await world.contract(producer, consumer, { externalId: 'PPA-FÖHR-0017' });
for (let number = 1; number <= 8; number++) {
  await world.contract(producer, consumer, { externalId: `Hallig-${number}` });
}
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

/** Opens the search: on a desktop by its keys, on a phone by its button. */
async function openSearch(page: Page, width: number) {
  if (width > 400) await page.keyboard.press('Control+k');
  else await page.getByRole('button', { name: 'Search', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Search', exact: true });
  const field = dialog.getByRole('combobox', { name: 'Search' });
  await field.waitFor();
  await eventually(async () =>
    assert.ok(
      await field.evaluate((element) => element === document.activeElement),
      'the field has the focus',
    ),
  );
  return { dialog, field };
}

/** The results by group: label and detail of each option. */
const resultsOf = (page: Page): Promise<Record<string, string[]>> =>
  page
    .getByRole('listbox')
    .getByRole('group')
    .evaluateAll((groups) =>
      Object.fromEntries(
        groups.map((group) => [
          group.getAttribute('aria-label') ?? '',
          Array.from(group.querySelectorAll('[role=option]'), (one) => (one as HTMLElement).innerText),
        ]),
      ),
    );

for (const width of [1440, 390])
  test(`a BRP finds its own records by a part of their texts: ${width} pixels`, () =>
    visit(
      asBrp,
      async (page) => {
        await open(page, '/');
        const { dialog, field } = await openSearch(page, width);
        await field.fill('größ-fö');
        await page.getByRole('option', { name: /Windpark Größ-Föhr/, selected: true }).waitFor();
        const found = await resultsOf(page);
        assert.deepEqual(Object.keys(found), ['Contracts', 'Customers']);
        const [first] = found.Contracts ?? [];
        assert.equal(first, 'PPA-FÖHR-0017\nWindpark Größ-Föhr → Stadtwerke Viernau');
        assert.equal(found.Contracts?.length, 6, 'five contracts, and the way to all of them');
        assert.deepEqual(found.Customers, [`Windpark Größ-Föhr\n${sellerGroup.eic}`]);
        await field.press('ArrowUp');
        await page.getByRole('option', { name: /^Windpark Größ-Föhr/, selected: true }).waitFor();
        await field.press('Enter');
        await page.waitForURL(`**/customers/${producer.id}`);
        await dialog.waitFor({ state: 'detached' });
      },
      { width },
    ));

test('Escape closes the search and returns the focus, and the keys open no second dialog', async () => {
  await visit(asOperator, async (page) => {
    await open(page, '/operator/brps');
    const button = page.getByRole('button', { name: 'Search', exact: true });
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Search', exact: true });
    await dialog.getByRole('combobox').press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () =>
      assert.ok(await button.evaluate((element) => element === document.activeElement)),
    );
    await page.getByRole('button', { name: 'New BRP' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Not saved yet');
    await page.keyboard.press('Control+k');
    await eventually(async () => assert.equal(await page.getByRole('dialog').count(), 1));
    await eventually(async () =>
      assert.equal(await page.getByRole('dialog').getByLabel('Name').inputValue(), 'Not saved yet'),
    );
  });
});
