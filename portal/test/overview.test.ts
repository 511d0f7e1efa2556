import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { open, openStage } from './stage.ts';

const { platform, world, user, visit, visitApart } = await openStage('2026-10-20T08:00:00Z');
const [TODAY, TOMORROW] = ['2026-10-20', '2026-10-21'];
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
await world.volumes(contract, TODAY, 250);
await world.volumes(contract, TOMORROW, 1_234_567);
await world.nominate();
const [confirmed] = await listNominated(client(platform.baseUrl, seller.key), `&delivery_date=${TODAY}`);
assert.ok(confirmed);
await confirm(platform, confirmed, (kw, at) => (at > 90 ? 0 : kw));
const asSeller = await user({ type: 'brp', brpNo: seller.no });

test('the columns of the overview’s two tables align whatever they contain, in both languages, on desktop and phone', async () => {
  for (const locale of ['en-GB', 'de-DE'] as const)
    await visit(
      asSeller,
      async (page) => {
        await open(page, '/');
        const tables = page.locator('main table');
        for (const width of [1440, 1100, 800, 390]) {
          await page.setViewportSize({ width, height: 900 });
          const [statusToday, statusTomorrow] = await tables.locator('tbody tr').allInnerTexts();
          assert.notEqual(statusToday, statusTomorrow);
          const [today, tomorrow] = await tables.evaluateAll((all) =>
            all.map((table) =>
              Array.from(table.querySelectorAll('thead th'), (cell) => cell.getBoundingClientRect().left),
            ),
          );
          assert.ok(today && today.filter((left) => left > 0).length >= 2);
          assert.deepEqual(tomorrow, today, `${locale}, ${width} px`);
        }
      },
      { locale },
    );
});

const headline = (page: Page) => page.locator('main dl').first();

test('a BRP’s headline is the net saldo of tomorrow, and how much of it is sent', async () => {
  await visit(asSeller, async (page) => {
    await open(page, '/');
    await eventually(async () =>
      assert.match(
        await headline(page).innerText(),
        /^Net saldo of tomorrow, Wed, 21\/10\/2026\s+\+118,518\.432\s*MWh\s+0 of 1 nominations sent$/,
      ),
    );
  });
  await visit(
    asSeller,
    async (page) => {
      await open(page, '/');
      await eventually(async () =>
        assert.match(await headline(page).innerText(), /^Saldo von morgen[^]*\+118\.518,432\s*MWh/),
      );
    },
    { width: 390, locale: 'de-DE' },
  );
});

test('the operator’s headline is the number of nominations that are not sent', async () => {
  const asOperator = await user({ type: 'operator' });
  await visit(asOperator, async (page) => {
    await open(page, '/');
    await eventually(async () =>
      assert.match(await headline(page).innerText(), /^Not sent to the TSOs yet\s+3\s*nominations/),
    );
    await headline(page).getByRole('link').click();
    await page.waitForURL((url) => url.pathname === '/operator/exchange');
  });
});

test('a page whose window has no frames, as in some remote desktops, is complete too', () =>
  visitApart(asSeller, async (page) => {
    await page.addInitScript(() => Object.assign(window, { requestAnimationFrame: () => 0 }));
    await page.goto('/');
    await page.getByRole('link', { name: 'Nominations' }).first().waitFor();
    await page.locator('main table tbody tr').nth(1).waitFor();
  }));
