import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
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

test('a page whose window has no frames, as in some remote desktops, is complete too', () =>
  visitApart(asSeller, async (page) => {
    await page.addInitScript(() => Object.assign(window, { requestAnimationFrame: () => 0 }));
    await page.goto('/');
    await page.getByRole('link', { name: 'Nominations' }).first().waitFor();
    await page.locator('main table tbody tr').nth(1).waitFor();
  }));
