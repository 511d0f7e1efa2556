import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { appendEvents, type NewEvent } from '../../server/src/events/store.ts';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { hold, open, openStage } from './stage.ts';

const DAY = '2026-10-21';
const { platform, world, user, visit } = await openStage();
const { seller, sellerGroup, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
await world.volumes(contract, DAY, 250);
await world.nominate();
const api = client(platform.baseUrl, seller.key);
const operatorApi = client(platform.baseUrl, await world.operatorKey());
const [nomination] = await listNominated(api, `&delivery_date=${DAY}`);
assert.ok(nomination);
await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const { external_id: reference } = (await api(`/v1/contracts/${contract.id}`)).body;
const groupName = 'Nordwind Erzeugung';
const renamed = { method: 'PATCH', body: { name: groupName } };
assert.equal((await operatorApi(`/operator/v1/balance-groups/${sellerGroup.eic}`, renamed)).status, 200);

/** Opens the groups of many events, whose sentences are read at the next call. */
const sentences = (page: Page) =>
  page.getByRole('list', { name: 'Activity' }).evaluate((list) => {
    for (const group of list.querySelectorAll<HTMLElement>('details:not([open]) > summary')) group.click();
    const lines = [...list.querySelectorAll('li > div, details > div > div')];
    return lines.map((line) => line.lastElementChild?.textContent ?? '');
  });

for (const width of [1440, 390]) {
  test(`a BRP reads what happened in sentences with names and links, newest first, on ${width} px`, () =>
    visit(
      asBrp,
      async (page) => {
        await open(page, '/activity');
        await page.getByText(`Volumes of contract ${reference} for`).waitFor();
        const nominated = `Nomination of ${groupName} at Amprion for Wed 21/10 (delivers, version 1)`;
        await page.getByRole('link', { name: nominated }).first().waitFor();
        const shown = await sentences(page);
        const last = shown.indexOf(`Balance group ${groupName} was changed: name.`);
        assert.equal(shown[last + 1], `${nominated} was confirmed by the TSO with other amounts.`);
        assert.equal(shown[last + 2], `${nominated} was created.`);
        await page.getByRole('link', { name: `Volumes of contract ${reference}` }).click();
        await page.waitForURL(`**/contracts/${contract.id}?day=${DAY}`);
        await page.goBack();
        await page.getByRole('link', { name: nominated }).first().click();
        await page.waitForURL(`**/nominations/${nomination.id}`);
      },
      { width },
    ));
}

test('new activity appears by itself, of the chosen kind only, and also after another page', () =>
  visit(asBrp, async (page) => {
    const { id } = await world.customer(seller, { name: 'Solarfeld Aue' });
    await open(page, '/activity?types=customer.updated');
    await api(`/v1/customers/${id}`, { method: 'PATCH', body: { metadata: { site: 'Harz' } } });
    await page.getByText('Customer Solarfeld Aue was changed: metadata.').waitFor();
    await world.volumes(contract, '2026-10-22', 250);
    await page.getByRole('link', { name: 'Customers', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    await api(`/v1/customers/${id}`, { method: 'PATCH', body: { status: 'active' } });
    await page.goBack();
    await page.getByText(/Customer Solarfeld Aue was changed: status/).waitFor();
    await eventually(async () => {
      const shown = await sentences(page);
      assert.equal(shown.length, new Set(shown).size);
      assert.ok(shown[0]?.includes('status') && shown[1]?.includes('metadata'), shown.join('\n'));
    });
  }));

const ofCustomer = (id: string): NewEvent => ({
  type: 'customer.updated',
  tenants: [`brp/${seller.no}`],
  data: { object: 'customer', id, changed: ['metadata'] },
});

const append = (id: string, count: number) =>
  platform.db.transaction((tx) => appendEvents(tx, Array(count).fill(ofCustomer(id)), platform.clock.now()));

test('older activity is loaded on request, and more than a hundred new events start the list anew', async () => {
  const { id } = await world.customer(seller, { name: 'Vielzahl' });
  await append(id, 70);
  await visit(asBrp, async (page) => {
    await open(page, '/activity?types=customer.*');
    await page.getByText('50 shown').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(/^All \d+ shown/).waitFor();
    await eventually(async () => assert.ok((await sentences(page)).length >= 70));
    await append(id, 120);
    await page.getByText('50 shown').waitFor();
  });
});

test('the activity keeps its older events when all of it is read again', async () => {
  const { id } = await world.customer(seller, { name: 'Windpark Börde' });
  await append(id, 60);
  await visit(asBrp, async (page) => {
    await open(page, '/activity?types=customer.*');
    await page.getByText('50 shown').waitFor();
    await append(id, 1);
    await page.getByText('51 shown').waitFor();
    await page.context().setOffline(true);
    await page.getByText(/^No connection to the server/).waitFor();
    const refreshed = page.waitForResponse((response) => response.url().includes('/v1/events?'));
    await page.context().setOffline(false);
    await refreshed;
    await page.getByText(/^No connection to the server/).waitFor({ state: 'detached' });
    await eventually(async () => assert.ok((await sentences(page)).length > 60));
  });
});

test('"Show more" of the activity adds older events, also while a new one arrives', async () => {
  const { id } = await world.customer(seller, { name: 'Windpark Heide' });
  await append(id, 60);
  await visit(asBrp, async (page) => {
    await open(page, '/activity?types=customer.updated');
    await page.getByText('50 shown').waitFor();
    const isOlder = (url: URL) => url.pathname.endsWith('/events') && url.searchParams.get('order') !== null;
    const { asked, release } = await hold(page, isOlder);
    await page.getByRole('button', { name: 'Show more' }).click();
    await asked;
    const added = page.waitForResponse((response) => response.url().includes('/v1/events?'));
    await append(id, 1);
    await added;
    release();
    await eventually(async () => assert.ok((await sentences(page)).length > 100));
  });
});
