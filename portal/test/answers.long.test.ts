import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { follow, hold, open, openStage, type WithRouter } from './stage.ts';

// What pages show, in whatever order answers and changes arrive.

const [DAY, NEXT_DAY] = ['2026-10-21', '2026-10-22'];
const { platform, world, user, visit } = await openStage();
const { seller, producer, consumer } = await world.pair();
const first = await world.contract(producer, consumer, { externalId: 'PPA-1' });
const second = await world.contract(producer, consumer, { externalId: 'PPA-2' });
await world.volumes(first, DAY, 250);
await world.volumes(first, NEXT_DAY, 500);
await world.volumes(second, DAY, 750);
const api = client(platform.baseUrl, seller.key);
const asOperator = await user({ type: 'operator' });
const asBrp = await user({ type: 'brp', brpNo: seller.no });

test('what was typed for a contract is gone on the page of another one', () =>
  visit(asOperator, async (page) => {
    await open(page, `/operator/contracts/${second.id}?day=${DAY}`);
    await follow(page, `/operator/contracts/${first.id}?day=${DAY}`);
    await page.getByRole('button', { name: 'Correct the day' }).click();
    await page.getByRole('textbox', { name: 'Slot 1, 00:00, MWh' }).fill('0.4');
    await page.evaluate(
      (to) => (window as unknown as WithRouter).__TSR_ROUTER__.history.push(to),
      `/operator/contracts/${second.id}?day=${DAY}`,
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { level: 1, name: 'PPA-2' }).waitFor();
    await page.getByRole('button', { name: 'Correct the day' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Slot 1, 00:00, MWh' }).count(), 0);
  }));

test('volumes of a day are not shown as those of the next one, and cannot be corrected as such', () =>
  visit(asOperator, async (page) => {
    await open(page, `/operator/contracts/${first.id}?day=${DAY}`);
    await page.getByText('24.000 MWh').first().waitFor();
    const { asked, release } = await hold(page, (url) => url.searchParams.get('delivery_date') === NEXT_DAY);
    await page.getByRole('button', { name: 'Next day' }).click();
    await asked;
    await page.locator('main .animate-pulse').first().waitFor();
    assert.equal(await page.getByText('24.000 MWh').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Correct the day' }).count(), 0);
    release();
    await page.getByText('48.000 MWh').first().waitFor();
    await page.getByRole('button', { name: 'Correct the day' }).waitFor();
  }));

test('a change that comes while a page is read for the first time is shown', async () => {
  const { id } = await world.customer(seller, { name: 'Solarfeld Aue' });
  await visit(asBrp, async (page) => {
    await open(page, '/profile');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    await page.route(
      (url) => url.pathname === `/v1/customers/${id}`,
      async (route) => {
        const answer = await route.fetch();
        read();
        await held;
        await route.fulfill({ response: answer });
      },
      { times: 1 },
    );
    await page.evaluate(
      (to) => (window as unknown as WithRouter).__TSR_ROUTER__.history.push(to),
      `/customers/${id}`,
    );
    await isRead;
    const noticed = page.waitForResponse(
      async (response) =>
        response.url().includes('/portal/v1/changes?') && (await response.json()).changed.length > 0,
    );
    const activation = { method: 'PATCH', body: { status: 'active' } };
    assert.equal((await api(`/v1/customers/${id}`, activation)).status, 200);
    await noticed;
    release();
    await page.locator('main header').getByText('active', { exact: true }).waitFor();
  });
});

test('the result of sending is shown at once, not after the page behind it is refreshed', async () => {
  await world.nominate();
  await visit(asOperator, async (page) => {
    await open(page, '/operator/exchange');
    // Every request, whether it follows from the result or from the change.
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/exchange/unsent?*', async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    await page.getByRole('button', { name: 'Send now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send now' }).click();
    await dialog.getByText(/schedules were sent/).waitFor();
    release();
  });
});
