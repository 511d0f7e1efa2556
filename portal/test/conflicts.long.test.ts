import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedIn } from '../../server/test/browser.ts';
import { client } from '../../server/test/harness.ts';
import { holdLiveRefresh, open, openStage } from './stage.ts';

const { platform, world, user, visit } = await openStage();
const brp = await world.brp('Nordwind');
const group = await world.group(brp);
const api = client(platform.baseUrl, brp.key);
const asBrp = await user({ type: 'brp', brpNo: brp.no });
const asOperator = await user({ type: 'operator' });
const { browser: colleague } = await signedIn(platform, { type: 'operator' });
const colleagueName: string = (await colleague.request('/portal/v1/session')).body.user.name;
const patch = async (browser: typeof colleague, path: string, body: object) =>
  assert.equal((await browser.request(path, { method: 'PATCH', body })).status, 200);

for (const width of [1440, 390]) {
  test(`input stays when an open page shows the change of another user, in German, on ${width} px`, async () => {
    const { id } = await world.customer(brp, { metadata: { site: 'Heide' } });
    await visit(
      asBrp,
      async (page) => {
        await open(page, `/customers/${id}`);
        const editor = page.getByRole('region', { name: 'Metadaten' });
        await editor.getByRole('textbox', { name: 'Wert 1' }).fill('Harz');
        await patch(colleague, `/operator/v1/customers/${id}`, {
          name: 'Windpark Neu',
          metadata: { meter: '7' },
        });
        await editor.getByText(/^Der Betreiber hat dies geändert, 20\.10\.2026/).waitFor();
        await editor.getByText(/^Name: .* → Windpark Neu$/).waitFor();
        await editor.getByText('Metadaten · meter: – → 7').waitFor();
        await page.waitForFunction(() => {
          const values = Array.from(document.querySelectorAll<HTMLInputElement>('input[aria-label^=Wert]'));
          return values.map(({ value }) => value).join() === '7,Harz';
        });
        await editor.getByRole('button', { name: 'Speichern' }).click();
        await page.getByText('Gespeichert.', { exact: true }).waitFor();
      },
      { locale: 'de-DE', width },
    );
    const { body } = await api(`/v1/customers/${id}`);
    assert.deepEqual(body.metadata, { meter: '7', site: 'Harz' });
  });
}

test('a dialog of the operator keeps the fields of a colleague that the user did not change', async () => {
  await visit(asOperator, async (page) => {
    await holdLiveRefresh(page);
    await open(page, '/operator/balance-groups');
    await page.getByRole('button', { name: `Settings: ${group.eic}` }).click();
    const dialog = page.getByRole('dialog', { name: `Settings: ${group.eic}` });
    await dialog.getByLabel('Name').fill('Nord');
    await patch(colleague, `/operator/v1/balance-groups/${group.eic}`, { tsos: ['DE_TENNET'] });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(`${colleagueName} has changed this,`).waitFor();
    await dialog.getByText(/^control areas: .* → TenneT$/).waitFor();
    await dialog.getByText(/^Nothing was saved, because another user has changed this/).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nord is saved.').waitFor();
  });
  const { body } = await colleague.request(`/operator/v1/balance-groups/${group.eic}`);
  assert.deepEqual([body.name, body.tsos], ['Nord', ['DE_TENNET']]);
});

test('the own change of a customer is not reported as one of another user', async () => {
  const { id } = await world.customer(brp, { metadata: { site: 'Heide' } });
  await visit(asBrp, async (page) => {
    await open(page, `/customers/${id}`);
    const editor = page.getByRole('region', { name: 'Metadata' });
    await editor.getByRole('textbox', { name: 'Value 1' }).fill('Harz');
    await editor.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.locator('[data-unsaved]').waitFor({ state: 'detached' });
    assert.equal(await editor.getByText('has changed this').count(), 0);
  });
});
