import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { listNominated, only } from '../../server/test/nominated.ts';
import { formatOf } from '../src/i18n/format.ts';
import { cellsOf, open, openStage } from './stage.ts';

const LONG_DAY = '2026-10-25';
const NEXT = '2026-10-26';

const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const { seller, producer, consumer, sellerGroup, buyerGroup } = await world.pair();
const contract = await world.contract(producer, consumer, { externalId: 'PPA-MONAT' });
await world.volumes(contract, LONG_DAY, 250);
await world.volumes(contract, NEXT, 400);
await world.volumes(contract, NEXT, only(NEXT, [1], 500, 400));
await world.nominate();
const api = client(platform.baseUrl, seller.key);
const operator = client(platform.baseUrl, await world.operatorKey());
const { transactions } = (
  await api(
    `/v1/contracts/${contract.id}/transactions?delivery_date=${NEXT}&slot_number_from=2&slot_number_to=2`,
  )
).body;
const invalidated = await operator(`/operator/v1/transactions/${transactions[0].id}/invalidate`, {
  method: 'POST',
  body: { reason: 'test' },
});
assert.equal(invalidated.status, 200);
await world.nominate();
const asSeller = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });
const [nomination] = await listNominated(api, `&delivery_date=${LONG_DAY}&eic=${sellerGroup.eic}`);
assert.ok(nomination);

const TEXTS = {
  'en-GB': {
    language: 'en',
    month: 'Month',
    days: 'Days',
    complete: 'complete',
    sums: { long: '25.000', next: '38.100', both: '63.100' },
    state: '1 quarter-hour invalid\n1 quarter-hour corrected',
    nominations: /^Nominations of Sunday/,
    scale: 'Scale from 0 to 3 MW',
  },
  'de-DE': {
    language: 'de',
    month: 'Monat',
    days: 'Tage',
    complete: 'vollständig',
    sums: { long: '25,000', next: '38,100', both: '63,100' },
    state: '1 Viertelstunde ungültig\n1 Viertelstunde berichtigt',
    nominations: /^Nominierungen vom Sonntag/,
    scale: 'Skala von 0 bis 3 MW',
  },
} as const;

for (const [locale, texts] of Object.entries(TEXTS) as [
  keyof typeof TEXTS,
  (typeof TEXTS)[keyof typeof TEXTS],
][])
  for (const [visitor, base, width] of [
    [asSeller, '', 390],
    [asOperator, '/operator', 1440],
  ] as const) {
    const setting = { locale, width };
    const { day } = formatOf(texts.language);
    const path = `${base}/contracts/${contract.id}`;

    test(`a contract has a month with volume, version and state of each day: ${locale}${base}`, () =>
      visit(
        visitor,
        async (page) => {
          await open(page, `${path}?day=${LONG_DAY}`);
          await page.getByRole('button', { name: texts.month, exact: true }).click();
          await page.waitForURL(`**${path}?day=${LONG_DAY}&view=month`);
          await page.getByRole('img', { name: texts.scale }).waitFor();
          const table = page.getByRole('table', { name: texts.days });
          await table.getByText(texts.sums.both, { exact: true }).waitFor();
          assert.deepEqual(await cellsOf(page, texts.days), [
            [day(LONG_DAY), texts.sums.long, '1', texts.complete],
            [day(NEXT), texts.sums.next, '2', texts.state],
          ]);
          await table.getByRole('link', { name: day(NEXT) }).click();
          await page.waitForURL(`**${path}?day=${NEXT}`);
        },
        setting,
      ));

    test(`a day of a contract leads to the nominations of its balance groups: ${locale}${base}`, () =>
      visit(
        visitor,
        async (page) => {
          await open(page, `${path}?day=${LONG_DAY}`);
          const panel = page.getByRole('region', { name: texts.nominations });
          const link = panel.getByRole('link', { name: sellerGroup.eic });
          await link.waitFor();
          const others = base === '' ? 0 : 1;
          assert.equal(await panel.getByRole('link', { name: buyerGroup.eic }).count(), others);
          await link.click();
          await page.waitForURL(`**${base}/nominations/${nomination.id}`);
        },
        setting,
      ));
  }

test('another month is in the address, and one without volumes says so', () =>
  visit(asSeller, async (page) => {
    await open(page, `/contracts/${contract.id}?view=month&month=2026-10`);
    await page.getByRole('button', { name: 'Next month' }).click();
    await page.waitForURL('**?view=month&month=2026-11');
    await page.getByText('No volumes in this month').waitFor();
  }));

test('Enter in the heat map opens the day at the quarter-hour', () =>
  visit(asSeller, async (page) => {
    await open(page, `/contracts/${contract.id}?view=month&month=2026-10`);
    const map = page.getByRole('application', { name: /^Volumes of October 2026/ });
    await map.press('ArrowRight');
    await page.getByText(/ · 0\.250 MWh \(1\.000 MW\)$/).waitFor();
    await map.press('Enter');
    await page.waitForURL((url) => url.search === `?day=${LONG_DAY}&slot=2`);
  }));
