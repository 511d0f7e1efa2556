import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { cellsOf, open, openStage } from './stage.ts';

const DAY = '2026-10-25';
const NAME = 'Nordwind Erzeugung';

const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const { seller, sellerGroup, producer, consumer } = await world.pair();
const operatorApi = client(platform.baseUrl, await world.operatorKey());
const renamed = await operatorApi(`/operator/v1/balance-groups/${sellerGroup.eic}`, {
  method: 'PATCH',
  body: { name: NAME },
});
assert.equal(renamed.status, 200);
await world.volumes(await world.contract(producer, consumer), DAY, 250);
await world.nominate();
const [nomination] = await listNominated(client(platform.baseUrl, seller.key), `&delivery_date=${DAY}`);
assert.ok(nomination);
const asSeller = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

test('a copied EIC is the EIC only', () =>
  visit(asSeller, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, `/nominations/${nomination.id}`);
    await page.getByRole('button', { name: `Copy ${sellerGroup.eic}` }).click();
    await page.getByRole('button', { name: 'Copied' }).first().waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), sellerGroup.eic);
  }));

test('mismatches name the balance group in the heat map, the table and beside the selection', async () => {
  await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
  await visit(asOperator, async (page) => {
    await open(page, `/operator/mismatches?day=${DAY}`);
    await page.getByRole('link', { name: NAME, exact: true }).waitFor();
    await page.getByText(`${NAME.slice(0, 15)}… Amprion ↗`).waitFor();
    await page.getByText(new RegExp(`^${NAME} · Amprion · `)).waitFor();
    const table = page.getByRole('table', { name: 'Nominations that do not match' });
    await table.getByRole('button', { name: `Copy ${sellerGroup.eic}` }).waitFor();
    const [row] = await cellsOf(page, 'Nominations that do not match');
    assert.ok(row?.[0]?.startsWith(NAME), String(row));
    assert.ok(!row?.[0]?.includes(sellerGroup.eic), 'the EIC is no second line');
  });
});
