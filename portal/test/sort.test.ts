import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { open, openStage } from './stage.ts';

const DAY = '2026-10-25';
const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const nord = await world.brp('Nordlicht');
const sued = await world.brp('Suedwind');
const buyer = await world.customer(sued, { group: await world.group(sued) });
const api = client(platform.baseUrl, await world.operatorKey());
for (const [name, kwh] of [
  ['Mitte', 100],
  ['Äußeres', 300],
  ['Zentrum', 200],
] as const) {
  const group = await world.group(nord);
  await api(`/operator/v1/balance-groups/${group.eic}`, { method: 'PATCH', body: { name } });
  const producer = await world.customer(nord, { group });
  const contract = await world.contract(producer, buyer, { externalId: `PPA-${name}` });
  await world.volumes(contract, DAY, kwh);
}
await world.nominate();
const asNord = await user({ type: 'brp', brpNo: nord.no });
const asOperator = await user({ type: 'operator' });

/** Waits until the first cells of a table begin with these texts, in this order. */
const hasOrder = (page: Page, texts: readonly string[]) =>
  page.waitForFunction((expected) => {
    const cells = Array.from(document.querySelectorAll('tbody tr'), (row) => row.firstElementChild);
    return (
      cells.length === expected.length &&
      cells.every((cell, at) => (cell as HTMLElement).innerText.startsWith(expected[at] ?? ''))
    );
  }, texts);

/** Clicks a header until the table is sorted so, and waits for the address. */
async function sortBy(page: Page, header: string, sort: string | null) {
  await page.getByRole('columnheader', { name: header }).getByRole('button').click();
  await page.waitForURL((url) => url.searchParams.get('sort') === sort);
}

for (const [locale, group, energy] of [
  ['en-GB', 'Balance group', 'MWh'],
  ['de-DE', 'Bilanzkreis', 'MWh'],
] as const)
  for (const width of [1440, 390])
    test(`the nominations of a day are sorted by name and energy: ${locale}, ${width} pixels`, () =>
      visit(
        asNord,
        async (page) => {
          await open(page, `/nominations?day=${DAY}`);
          await sortBy(page, group, 'group');
          await hasOrder(page, ['Äußeres', 'Mitte', 'Zentrum']);
          const header = page.getByRole('columnheader', { name: group });
          assert.equal(await header.getAttribute('aria-sort'), 'ascending');
          await page.getByRole('columnheader', { name: energy, exact: true }).getByRole('button').click();
          await page.waitForURL((url) => url.searchParams.get('sort') === 'energy');
          await hasOrder(page, ['Mitte', 'Zentrum', 'Äußeres']);
          await page.reload();
          await hasOrder(page, ['Mitte', 'Zentrum', 'Äußeres']);
          assert.equal(await header.getAttribute('aria-sort'), null);
        },
        { locale, width },
      ));

test('the total of the nominations has their number and net energy', () =>
  visit(asNord, async (page) => {
    await open(page, `/nominations?day=${DAY}`);
    const total = page.getByRole('table').locator('tfoot');
    await total.getByText('Net saldo · 3 nominations').waitFor();
    await total.getByText('+60.000', { exact: true }).waitFor();
  }));

test('balance groups are sorted in both roles, and a third click restores the order', async () => {
  await visit(asNord, async (page) => {
    await open(page, '/balance-groups');
    await sortBy(page, 'Balance group', 'group');
    await hasOrder(page, ['Äußeres', 'Mitte', 'Zentrum']);
    await sortBy(page, 'Balance group', '-group');
    await hasOrder(page, ['Zentrum', 'Mitte', 'Äußeres']);
    await sortBy(page, 'Balance group', null);
    assert.equal(await page.getByRole('button', { name: 'Clear filters' }).count(), 0);
  });
  await visit(asOperator, async (page) => {
    await open(page, '/operator/balance-groups?search=e&sort=-group');
    await page.getByRole('columnheader', { name: 'Balance group' }).waitFor();
    const header = page.getByRole('columnheader', { name: 'Balance group' });
    assert.equal(await header.getAttribute('aria-sort'), 'descending');
  });
});

test('the operator’s contracts are read in the order of their references', () =>
  visit(asOperator, async (page) => {
    await open(page, '/operator/contracts');
    await hasOrder(page, ['PPA-Mitte', 'PPA-Äußeres', 'PPA-Zentrum']);
    const asked = page.waitForRequest((request) => request.url().includes('sort=-external_id'));
    await sortBy(page, 'Reference', 'external_id');
    await sortBy(page, 'Reference', '-external_id');
    await asked;
    const { body } = await api('/operator/v1/contracts?sort=-external_id');
    await hasOrder(
      page,
      body.contracts.map(({ external_id }: { external_id: string }) => external_id),
    );
  }));
