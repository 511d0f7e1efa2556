import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { open, openStage } from './stage.ts';

// 20 October, 10:00 in Berlin: the day-ahead gates of the 21st and later are open.
const { platform, world, user, visit } = await openStage();
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
for (const day of ['2026-10-21', '2026-10-22', '2026-10-24']) await world.volumes(contract, day, 250);
await world.nominate();
// Active on every day, but without an end it takes no volumes, so that none are missing.
await world.contract(producer, consumer, { last: null });
await world.customer(seller, { name: 'Wartend' });
const api = client(platform.baseUrl, seller.key);
const [nomination] = await listNominated(api, '&delivery_date=2026-10-22');
assert.ok(nomination);
await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

const rows = (page: Page, name: string) =>
  page
    .getByRole('list', { name })
    .getByRole('listitem')
    .evaluateAll((items) => items.map((item) => (item as HTMLElement).innerText.replaceAll(/\s+/g, ' ')));

for (const width of [1440, 390]) {
  test(`a BRP sees matters of all days with an open gate, most urgent first, on ${width} px`, () =>
    visit(
      asBrp,
      async (page) => {
        await open(page, '/');
        for (const day of [20, 21, 23]) await page.getByText(`Gate ${day}/10/2026, 14:30`).waitFor();
        const shown = await rows(page, 'Needs attention');
        assert.match(
          shown[0] ?? '',
          /^Not sent .*21\/10\/2026 .*Check your own schedule.*Gate 20\/10\/2026, 14:30/,
        );
        assert.match(shown[1] ?? '', /^Mismatch .*22\/10\/2026 Compare both sides.*Gate 21\/10\/2026, 14:30/);
        assert.match(shown[2] ?? '', /^Not sent .*24\/10\/2026 .*Gate 23\/10\/2026, 14:30/);
        assert.match(shown[3] ?? '', /^Waiting 1 customer Activate/);
        await page.getByRole('list', { name: 'Needs attention' }).getByRole('link').nth(1).click();
        await page.waitForURL(`**/nominations/${nomination.id}`);
      },
      { width },
    ));
}

test('the operator sees the same matters of all BRPs, in German, and new ones appear by themselves', () =>
  visit(
    asOperator,
    async (page) => {
      await open(page, '/');
      for (const day of [20, 21, 23]) await page.getByText(`Frist ${day}.10.2026, 14:30`).first().waitFor();
      const shown = await rows(page, 'Braucht Aufmerksamkeit');
      assert.match(
        shown[0] ?? '',
        /^Nicht gesendet 2 Nominierungen .*21\.10\.2026 .*Frist 20\.10\.2026, 14:30/,
      );
      assert.ok(
        shown.some((row) => /^Abweichung .*22\.10\.2026 Beide Seiten ansehen/.test(row)),
        shown.join('\n'),
      );
      assert.ok(!shown.some((row) => row.startsWith('Keine Mengen')), shown.join('\n'));
      await world.volumes(contract, '2026-10-27', 250);
      await world.nominate();
      await page.getByText('Frist 26.10.2026, 14:30').first().waitFor();
    },
    { locale: 'de-DE' },
  ));
