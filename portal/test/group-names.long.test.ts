import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { formatOf } from '../src/i18n/format.ts';
import { cellsOf, follow, goTo, open, openStage } from './stage.ts';

const DAY = '2026-10-25';
const NEXT = '2026-10-26';
const NAME = 'Nordwind Erzeugung';
const OTHER = 'Südlicht Vertrieb';
const PRODUCER = 'Windpark Aue';

const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const { seller, sellerGroup, buyerGroup, producer, consumer } = await world.pair();
const api = client(platform.baseUrl, seller.key);
const operatorApi = client(platform.baseUrl, await world.operatorKey());
for (const [{ eic }, name] of [
  [sellerGroup, NAME],
  [buyerGroup, OTHER],
] as const) {
  const renamed = await operatorApi(`/operator/v1/balance-groups/${eic}`, {
    method: 'PATCH',
    body: { name },
  });
  assert.equal(renamed.status, 200);
}
const named = await operatorApi(`/operator/v1/customers/${producer.id}`, {
  method: 'PATCH',
  body: { name: PRODUCER },
});
assert.equal(named.status, 200);
const contract = await world.contract(producer, consumer, { externalId: 'PPA-NAMEN' });
await world.volumes(contract, DAY, 250);
await world.volumes(contract, NEXT, 400);
await world.nominate();
const nominationOf = async (day: string) => {
  const [found] = await listNominated(api, `&delivery_date=${day}`);
  assert.ok(found);
  return found;
};
const nomination = await nominationOf(DAY);
const later = await nominationOf(NEXT);
const asSeller = await user({ type: 'brp', brpNo: seller.no });
const asReader = await user({ type: 'brp', brpNo: seller.no }, 'read');
const asOperator = await user({ type: 'operator' });

/** The page shows the name, and beside it the EIC with its copy button. */
async function showsGroup(page: Page, name: string, eic: string, copy: 'Copy' | 'kopieren') {
  await page.getByText(name, { exact: true }).first().waitFor();
  await page.getByText(eic, { exact: true }).first().waitFor();
  const label = copy === 'Copy' ? `Copy ${eic}` : `${eic} kopieren`;
  await page.getByRole('button', { name: label }).first().waitFor();
}

const OF_BRP = [
  `/nominations?day=${DAY}`,
  `/nominations/${nomination.id}`,
  '/contracts',
  `/contracts/${contract.id}?day=${DAY}`,
  '/customers',
  `/customers/${producer.id}`,
];
const OF_OPERATOR = [
  `/operator/nominations?day=${DAY}`,
  `/operator/nominations/${nomination.id}`,
  '/operator/contracts',
  `/operator/contracts/${contract.id}?day=${DAY}`,
  '/operator/customers',
  `/operator/customers/${producer.id}`,
  '/operator/exchange',
];

for (const locale of ['en-GB', 'de-DE'] as const) {
  const copy = locale === 'en-GB' ? 'Copy' : 'kopieren';
  test(`a BRP sees its balance groups by name, with the EIC to copy: ${locale}`, () =>
    visit(
      asReader,
      async (page) => {
        for (const url of OF_BRP) {
          await goTo(page, url);
          await showsGroup(page, NAME, sellerGroup.eic, copy);
          assert.equal(await page.getByText(OTHER).count(), 0, 'names of other BRPs are not its own to read');
        }
      },
      { locale },
    ));

  test(`the operator sees all balance groups by name, with the EIC to copy: ${locale}`, () =>
    visit(
      asOperator,
      async (page) => {
        for (const url of OF_OPERATOR) {
          await goTo(page, url);
          await showsGroup(page, NAME, sellerGroup.eic, copy);
        }
        await follow(page, `/operator/contracts/${contract.id}?day=${DAY}`);
        await showsGroup(page, OTHER, buyerGroup.eic, copy);
      },
      { locale },
    ));
}

test('the title of a nomination and the link to it have the name', () =>
  visit(asSeller, async (page) => {
    await open(page, `/nominations?day=${DAY}`);
    await page.getByRole('link', { name: NAME, exact: true }).click();
    await page.waitForURL(`**/nominations/${nomination.id}`);
    await page.waitForFunction((name) => document.title.startsWith(name), `${NAME} · Sun`);
    await page.getByRole('heading', { level: 1, name: new RegExp(`^${NAME}`) }).waitFor();
  }));

test('a copied EIC is the EIC only', () =>
  visit(asSeller, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, `/nominations/${nomination.id}`);
    await page.getByRole('button', { name: `Copy ${sellerGroup.eic}` }).click();
    await page.getByRole('button', { name: 'Copied' }).first().waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), sellerGroup.eic);
  }));

for (const [locale, visitor, list, search] of [
  ['en-GB', asSeller, 'Needs attention', 'Search'],
  ['de-DE', asOperator, 'Braucht Aufmerksamkeit', 'Suche'],
] as const)
  test(`the list of matters and the search name the balance group: ${locale}`, async () => {
    await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
    await visit(
      visitor,
      async (page) => {
        await open(page, '/');
        await page
          .getByRole('list', { name: list })
          .getByRole('link', { name: new RegExp(`^${NAME} · Amprion · `) })
          .first()
          .waitFor();
        await page.keyboard.press('Control+k');
        const field = page.getByRole('dialog').getByRole('combobox', { name: search });
        await field.fill(nomination.id);
        const found = page.getByRole('option', { name: /^Amprion · / });
        await found.getByText(`${NAME} (${sellerGroup.eic}) · `).waitFor();
        await field.fill(PRODUCER);
        await page
          .getByRole('option', { name: new RegExp(`^${PRODUCER}`) })
          .getByText(`${NAME} (${sellerGroup.eic})`)
          .waitFor();
      },
      { locale },
    );
  });

test('mismatches name the balance group in the heat map, the table and beside the selection', async () => {
  await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
  await visit(asOperator, async (page) => {
    await open(page, `/operator/mismatches?day=${DAY}`);
    await page.getByRole('link', { name: NAME, exact: true }).waitFor();
    await page.getByText(`${NAME.slice(0, 15)}… Amprion ↗`).waitFor();
    await page.getByText(new RegExp(`^${NAME} · Amprion · `)).waitFor();
    const [row] = await cellsOf(page, 'Nominations that do not match');
    assert.ok(row?.[0]?.startsWith(`${NAME}\n${sellerGroup.eic}`), String(row));
  });
});

const STEPS = {
  'en-GB': { language: 'en', previous: 'Previous day', next: 'Next day', none: ' (no nomination)' },
  'de-DE': { language: 'de', previous: 'Voriger Tag', next: 'Nächster Tag', none: ' (keine Nominierung)' },
} as const;

for (const [locale, texts] of Object.entries(STEPS) as [
  keyof typeof STEPS,
  (typeof STEPS)[keyof typeof STEPS],
][])
  for (const [visitor, base] of [
    [asSeller, ''],
    [asOperator, '/operator'],
  ] as const)
    test(`a nomination leads to the previous and the next day, with the same quarter-hour: ${locale}${base}`, () =>
      visit(
        visitor,
        async (page) => {
          const { dayShort } = formatOf(texts.language);
          await open(page, `${base}/nominations/${nomination.id}?slot=17`);
          await page.getByRole('link', { name: `${texts.next}: ${dayShort(NEXT)}` }).click();
          await page.waitForURL(`**${base}/nominations/${later.id}?slot=17`);
          const none = page.getByRole('button', {
            name: `${texts.next}: ${dayShort('2026-10-27')}${texts.none}`,
          });
          await none.waitFor();
          assert.ok(await none.isDisabled());
          await page.getByRole('link', { name: `${texts.previous}: ${dayShort(DAY)}` }).press('Enter');
          await page.waitForURL(`**${base}/nominations/${nomination.id}?slot=17`);
        },
        { locale, width: base === '' ? 390 : 1440 },
      ));

for (const [locale, name] of [
  ['en-GB', 'Scale from 0 to 3 MW'],
  ['de-DE', 'Skala von 0 bis 3 MW'],
] as const)
  test(`heat maps have a scale with numbers and unit: ${locale}`, async () => {
    await visit(
      asSeller,
      async (page) => {
        await open(page, '/month?month=2026-10');
        await page.getByRole('img', { name }).getByText('MW').waitFor();
      },
      { locale, width: 390 },
    );
  });
