import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { follow, goTo, open, openStage } from './stage.ts';

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
const NAMES = ['Öl', 'Mühle', 'apfel'];
for (const [at, name] of NAMES.entries()) {
  const records = {
    customers: { brp_id: nord.id, name, metadata: { list: 'sorted' } },
    assets: { name, technology: 'solar', nominal_power: [9, 100, 25][at], tso: 'DE_TENNET' },
    demands: { contract_period: at + 1, delivery_volume: (at + 1) * 1000, country: 'NL' },
    users: { email: `${at}@sort.example`, name, role: 'brp', brp_id: sued.id, permissions: 'read' },
  };
  for (const [list, body] of Object.entries(records))
    assert.equal((await api(`/operator/v1/${list}`, { method: 'POST', body })).status, 201, list);
}
const sent = await api('/operator/v1/exchange/send', { method: 'POST', body: { delivery_date: DAY } });
await api('/operator/v1/exchange/status-request', {
  method: 'POST',
  body: { delivery_date: DAY, tso: sent.body.messages[0].tso },
});
const { messages } = (await api('/operator/v1/messages')).body;
assert.equal(messages.length, 2);
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

/** Waits until the links of a table lead to these records, in this order. */
const hasLinks = (page: Page, ids: readonly string[]) =>
  page.waitForFunction((expected) => {
    const links = Array.from(document.querySelectorAll('tbody a'), (link) => link.getAttribute('href') ?? '');
    return links.length === expected.length && links.every((href, at) => href.endsWith(expected[at] ?? ''));
  }, ids);

/** Clicks a header until the table is sorted so, and waits for the address. */
async function sortBy(page: Page, header: string, sort: string | null) {
  await page.getByRole('columnheader', { name: header }).getByRole('button').click();
  await page.waitForURL((url) => url.searchParams.get('sort') === sort);
}

/** Pages of lists that the API sorts, and the first cells of their tables in each order. */
const LISTS = [
  {
    url: '/operator/customers?search=sorted',
    header: 'Name',
    sort: 'name',
    up: ['apfel', 'Mühle', 'Öl'],
  },
  { url: '/operator/assets', header: 'Name', sort: 'name', up: ['apfel', 'Mühle', 'Öl'] },
  { url: '/operator/assets', header: 'MW', sort: 'nominal_power', up: ['Öl', 'apfel', 'Mühle'] },
] as const;

for (const locale of ['en-GB', 'de-DE'] as const)
  for (const width of [1440, 390])
    test(`lists of the operator are sorted by the API and keep their order in the address: ${locale}, ${width} pixels`, () =>
      visit(
        asOperator,
        async (page) => {
          for (const { url, header, sort, up } of LISTS) {
            await goTo(page, url);
            await sortBy(page, header, sort);
            await hasOrder(page, up);
            await page.locator('th[aria-sort=ascending]').waitFor();
            await sortBy(page, header, `-${sort}`);
            await hasOrder(page, up.toReversed());
            await page.reload();
            await hasOrder(page, up.toReversed());
            await page.locator('th[aria-sort=descending]').waitFor();
          }
        },
        { locale, width },
      ));

test('demands and messages are sorted by time, contracts by their start, and users on the page', () =>
  visit(asOperator, async (page) => {
    await open(page, '/operator/demands?country=NL');
    await sortBy(page, 'Published', 'published_at');
    await hasOrder(page, ['1,000', '2,000', '3,000']);
    await sortBy(page, 'Published', '-published_at');
    await hasOrder(page, ['3,000', '2,000', '1,000']);

    await follow(page, '/operator/messages');
    const ids = messages.map(({ id }: { id: string }) => id);
    await hasLinks(page, ids.toReversed());
    await sortBy(page, 'Stored', 'created_at');
    await hasLinks(page, ids);

    await follow(page, '/operator/contracts');
    const asked = page.waitForRequest((request) => request.url().includes('sort=delivery_start'));
    await sortBy(page, 'Delivery', 'delivery_start');
    await asked;

    await follow(page, `/operator/users?brp_id=${sued.id}`);
    await sortBy(page, 'Name', 'name');
    await hasOrder(page, ['apfel', 'Mühle', 'Öl']);
  }));

test('a BRP sorts its customers by name', () =>
  visit(asNord, async (page) => {
    await open(page, '/customers?search=sorted');
    await hasOrder(page, NAMES);
    await sortBy(page, 'Name', 'name');
    await hasOrder(page, ['apfel', 'Mühle', 'Öl']);
  }));

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
          await eventually(async () => assert.equal(await header.getAttribute('aria-sort'), 'ascending'));
          await page.getByRole('columnheader', { name: energy, exact: true }).getByRole('button').click();
          await page.waitForURL((url) => url.searchParams.get('sort') === 'energy');
          await hasOrder(page, ['Mitte', 'Zentrum', 'Äußeres']);
          await page.reload();
          await hasOrder(page, ['Mitte', 'Zentrum', 'Äußeres']);
          await eventually(async () => assert.equal(await header.getAttribute('aria-sort'), null));
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
    await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' });
  });
  await visit(asOperator, async (page) => {
    await open(page, '/operator/balance-groups?search=e&sort=-group');
    await page.getByRole('columnheader', { name: 'Balance group' }).waitFor();
    const header = page.getByRole('columnheader', { name: 'Balance group' });
    await eventually(async () => assert.equal(await header.getAttribute('aria-sort'), 'descending'));
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
