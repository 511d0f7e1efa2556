import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { until } from '../../server/test/until.ts';
import { open, openStage, type Visitor } from './stage.ts';

const DAY = '2026-10-21';

const { platform, world, user, visit } = await openStage();
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
await world.volumes(contract, DAY, 250);
await world.nominate();
const [nomination] = await listNominated(client(platform.baseUrl, seller.key), `&delivery_date=${DAY}`);
assert.ok(nomination);
await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

/** Counts the rows of a table that are on paper as a whole. */
const rowsOnPaper = (page: Page, table: string): Promise<number> =>
  page
    .getByRole('table', { name: table, exact: true })
    .last()
    .locator('tbody tr')
    .evaluateAll((rows) => rows.filter((row) => (row as HTMLElement).offsetHeight > 0).length);

type Sheet = {
  readonly name: string;
  readonly visitor: Visitor;
  readonly url: string;
  readonly tables: Readonly<Record<'en-GB' | 'de-DE', string>>;
  readonly rows: number;
};

const SHEETS: readonly Sheet[] = [
  {
    name: 'nomination',
    visitor: asBrp,
    url: `/nominations/${nomination.id}`,
    tables: { 'en-GB': 'Quarter-hours', 'de-DE': 'Viertelstunden' },
    // Each hour and its quarters.
    rows: 24 + 96,
  },
  {
    name: 'contract day',
    visitor: asOperator,
    url: `/operator/contracts/${contract.id}?day=${DAY}`,
    tables: { 'en-GB': 'Transactions', 'de-DE': 'Transaktionen' },
    rows: 96,
  },
  {
    name: 'mismatch page',
    visitor: asOperator,
    url: `/operator/mismatches?day=${DAY}`,
    tables: { 'en-GB': 'Nominations that do not match', 'de-DE': 'Nominierungen, die nicht übereinstimmen' },
    rows: 1,
  },
];

for (const { name, visitor, url, tables, rows } of SHEETS) {
  for (const [locale, width] of [
    ['en-GB', 1440],
    ['de-DE', 390],
  ] as const) {
    test(`the ${name} is printed without navigation, with complete tables, on white (${locale}, ${width} px)`, () =>
      visit(
        visitor,
        async (page) => {
          await open(page, url);
          const table = page.getByRole('table', { name: tables[locale], exact: true }).last();
          await table.waitFor();
          try {
            await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
            await page.setViewportSize({ width: 703, height: 1000 });
            await until(async () => (await rowsOnPaper(page, tables[locale])) === rows);
            for (const hidden of ['nav', 'search', 'main button[title]', '[role=tablist]'])
              assert.equal(await page.locator(`${hidden} >> visible=true`).count(), 0, hidden);
            const look = await page.evaluate(() => {
              const element = document.querySelector('main [role=group]')!;
              return {
                background: getComputedStyle(document.documentElement).backgroundColor,
                text: getComputedStyle(document.body).color,
                isCut: element.scrollHeight > element.clientHeight + 1,
                width: document.documentElement.scrollWidth,
              };
            });
            assert.equal(look.background, 'rgb(255, 255, 255)');
            assert.equal(look.text, 'rgb(22, 32, 42)');
            assert.equal(look.isCut, false);
            assert.ok(look.width <= 703, `${look.width} px wide`);
            const pdf = await page.pdf({ preferCSSPageSize: true });
            assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
          } finally {
            await page.emulateMedia({ media: 'screen' });
          }
        },
        { locale, width, theme: 'dark' },
      ));
  }
}
