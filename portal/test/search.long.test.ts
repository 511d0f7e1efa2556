import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { formatOf } from '../src/i18n/format.ts';
import { goTo, open, openStage, settled } from './stage.ts';

const DAY = '2026-10-25';
const { platform, world, user, visit } = await openStage();
const { seller, sellerGroup, buyer, buyerGroup } = await world.pair();
const producer = await world.customer(seller, { name: 'Windpark Größ-Föhr', group: sellerGroup });
const consumer = await world.customer(buyer, { name: 'Stadtwerke Viernau', group: buyerGroup });
const asset = await world.asset('Föhr Nordfeld');
const contract = await world.contract(producer, consumer, {
  externalId: 'PPA-FÖHR-0017',
  assetUuid: asset.uuid,
});
for (let number = 1; number <= 8; number++) {
  await world.contract(producer, consumer, { externalId: `Hallig-${number}` });
}
const { producer: strange, consumer: stranger } = await world.pair();
const foreign = await world.contract(strange, stranger, { externalId: 'PPA-FÖHR-FREMD' });
await world.volumes(contract, DAY, 250);
await world.nominate();
const api = client(platform.baseUrl, await world.operatorKey());
const sent = await api('/operator/v1/exchange/send', { method: 'POST', body: { delivery_date: DAY } });
const [message] = sent.body.messages;

const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

const TEXTS = {
  'en-GB': {
    title: 'Search',
    contracts: 'Contracts',
    customers: 'Customers',
    assets: 'Assets',
    nothing: 'Nothing found',
    date: '25/10/2026',
  },
  'de-DE': {
    title: 'Suche',
    contracts: 'Verträge',
    customers: 'Kunden',
    assets: 'Anlagen',
    nothing: 'Nichts gefunden',
    date: '25.10.2026',
  },
} as const;
type Locale = keyof typeof TEXTS;
const SETTINGS = [
  { locale: 'en-GB', width: 1440 },
  { locale: 'en-GB', width: 390 },
  { locale: 'de-DE', width: 1440 },
  { locale: 'de-DE', width: 390 },
] as const;

/** Opens the search: on a desktop by its keys, on a phone by its button. */
async function openSearch(page: Page, { locale, width }: { locale: Locale; width: number }) {
  const { title } = TEXTS[locale];
  if (width > 400) await page.keyboard.press('Control+k');
  else await page.getByRole('button', { name: title, exact: true }).click();
  const dialog = page.getByRole('dialog', { name: title, exact: true });
  const field = dialog.getByRole('combobox', { name: title });
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

for (const setting of SETTINGS) {
  const texts = TEXTS[setting.locale];
  const name = `${setting.locale}, ${setting.width} pixels`;

  test(`a BRP finds its own records by a part of their texts: ${name}`, () =>
    visit(
      asBrp,
      async (page) => {
        await open(page, '/');
        const { dialog, field } = await openSearch(page, setting);
        await field.fill('größ-fö');
        await page.getByRole('option', { name: /Windpark Größ-Föhr/, selected: true }).waitFor();
        const found = await resultsOf(page);
        assert.deepEqual(Object.keys(found), [texts.contracts, texts.customers]);
        const [first] = found[texts.contracts] ?? [];
        assert.equal(first, 'PPA-FÖHR-0017\nWindpark Größ-Föhr → Stadtwerke Viernau');
        assert.equal(found[texts.contracts]?.length, 6, 'five contracts, and the way to all of them');
        assert.deepEqual(found[texts.customers], [`Windpark Größ-Föhr\n${sellerGroup.eic}`]);
        await field.press('ArrowUp');
        await page.getByRole('option', { name: /^Windpark Größ-Föhr/, selected: true }).waitFor();
        await field.press('Enter');
        await page.waitForURL(`**/customers/${producer.id}`);
        await dialog.waitFor({ state: 'detached' });
      },
      setting,
    ));

  test(`the operator finds records of all BRPs, and a click opens one: ${name}`, () =>
    visit(
      asOperator,
      async (page) => {
        await open(page, '/');
        const { field } = await openSearch(page, setting);
        await field.fill('FÖHR');
        await page.getByRole('option', { name: /PPA-FÖHR-0017/, selected: true }).waitFor();
        const found = await resultsOf(page);
        assert.deepEqual(Object.keys(found), [texts.contracts, texts.customers, texts.assets]);
        await field.fill('fremd');
        await page.getByRole('option', { name: /PPA-FÖHR-FREMD/ }).click();
        await page.waitForURL(`**/operator/contracts/${foreign.id}`);
      },
      setting,
    ));

  test(`a typed date leads to the nominations of the day: ${name}`, () =>
    visit(
      asBrp,
      async (page) => {
        await open(page, '/contracts');
        const { field } = await openSearch(page, setting);
        await field.fill(texts.date);
        const day = formatOf(setting.locale === 'de-DE' ? 'de' : 'en').day(DAY);
        await page.getByRole('option', { name: new RegExp(day), selected: true }).waitFor();
        await field.press('Enter');
        await page.waitForURL(`**/nominations?day=${DAY}`);
      },
      setting,
    ));
}

test('a complete id opens its record, and an unknown or foreign one finds nothing', async () => {
  /** Ids and the pages that they open; null for those that find nothing. The latter come first and stay on the page. */
  const ends: [visitor: typeof asBrp, ends: [id: string, end: string | null][]][] = [
    [
      asOperator,
      [
        [`msg_${'0'.repeat(26)}`, null],
        [message.id, `/operator/messages/${message.id}`],
        [asset.id, `/operator/assets/${asset.id}`],
      ],
    ],
    [
      asBrp,
      [
        [foreign.id, null],
        [message.id, null],
        [contract.id, `/contracts/${contract.id}`],
      ],
    ],
  ];
  for (const [visitor, ofVisitor] of ends) {
    await visit(visitor, async (page) => {
      await open(page, '/');
      for (const [id, end] of ofVisitor) {
        const { dialog, field } = await openSearch(page, SETTINGS[0]);
        await field.fill(` ${id} `);
        if (end === null) {
          await dialog.getByText('Nothing found').waitFor();
          assert.equal(await dialog.getByRole('option').count(), 0);
          await field.press('Enter');
          assert.equal(new URL(page.url()).pathname, '/');
          await field.press('Escape');
        } else {
          await dialog.getByRole('option', { selected: true }).waitFor();
          await field.press('Enter');
          await page.waitForURL(`**${end}`);
        }
        await dialog.waitFor({ state: 'detached' });
      }
    });
  }
});

test('results belong to what is typed: an answer to an earlier text is never shown', async () => {
  await visit(asOperator, async (page) => {
    const held: Route[] = [];
    let isHeld: () => void = () => {};
    const firstIsHeld = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    await page.route(/\/operator\/v1\/contracts\?.*search=Hallig/, (route) => {
      held.push(route);
      isHeld();
    });
    await open(page, '/');
    const { dialog, field } = await openSearch(page, SETTINGS[0]);
    await field.fill('Hallig');
    await firstIsHeld;
    await dialog.getByText('Searching…').waitFor();
    await field.press('Enter');
    assert.equal(new URL(page.url()).pathname, '/', 'nothing to open yet');
    await field.fill('0017');
    await page.getByRole('option', { name: /PPA-FÖHR-0017/ }).waitFor();
    for (const route of held) await route.continue().catch(() => {});
    await field.fill('00170');
    await dialog.getByText('Nothing found').waitFor();
    assert.equal(await dialog.getByRole('option').count(), 0);
    await field.fill('0017');
    await page.getByRole('option', { name: /PPA-FÖHR-0017/ }).waitFor();
    await eventually(async () => assert.equal(await dialog.getByRole('option').count(), 1));
  });
});

test('the last option of a group leads to the list with the same search', async () => {
  await visit(asBrp, async (page) => {
    await open(page, '/');
    const { field } = await openSearch(page, SETTINGS[0]);
    await field.fill('hallig');
    await page.getByRole('option', { name: 'Show all in the list' }).click();
    await page.waitForURL('**/contracts?search=hallig');
    await settled(page);
    await eventually(async () => assert.equal(await page.getByLabel('Search').inputValue(), 'hallig'));
  });
});

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

/** Searched lists: the page, the text, and a text of the only row found. */
const LISTS: [visitor: typeof asBrp, lists: [path: string, text: string, found: string][]][] = [
  [
    asBrp,
    [
      ['/contracts', 'föhr-0017', 'PPA-FÖHR-0017'],
      ['/balance-groups', sellerGroup.eic.slice(4).toLowerCase(), sellerGroup.eic],
    ],
  ],
  [
    asOperator,
    [
      ['/operator/contracts', 'fremd', 'PPA-FÖHR-FREMD'],
      ['/operator/balance-groups', buyerGroup.eic.slice(4), buyerGroup.eic],
      ['/operator/assets', 'nordf', 'Föhr Nordfeld'],
    ],
  ],
];

test('a list is searched by a part of its texts, and the search is in the address', async () => {
  for (const [visitor, lists] of LISTS) {
    await visit(visitor, async (page) => {
      for (const [path, text, found] of lists) {
        await goTo(page, path);
        await page.getByRole('search').getByLabel('Search').fill(text);
        await page.waitForURL(`**${path}?search=${encodeURIComponent(text)}`);
        const rows = page.getByRole('table').locator('tbody tr');
        await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
        await eventually(async () =>
          assert.ok((await rows.innerText()).includes(found), await rows.innerText()),
        );
        await page.reload();
        await settled(page);
        await eventually(async () =>
          assert.equal(await page.getByRole('search').getByLabel('Search').inputValue(), text),
        );
        await eventually(async () => assert.equal(await rows.count(), 1));
      }
    });
  }
});
