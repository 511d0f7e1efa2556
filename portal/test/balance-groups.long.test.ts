import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { holdLiveRefresh, open, openStage } from './stage.ts';

const { platform, world, user, visit } = await openStage();

/** A BRP with a balance group in two control areas, one of them in use, and a user. */
async function brpWithSettings() {
  const brp = await world.brp();
  const { eic } = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
  await world.customer(brp, { group: { eic, brp }, tso: 'DE_TENNET' });
  const settings = client(platform.baseUrl, brp.key);
  return {
    eic,
    visitor: await user({ type: 'brp', brpNo: brp.no }),
    enabled: async () => (await settings(`/v1/balance-groups/${eic}`)).body.enabled_tsos,
    change: (enabled_tsos: string[]) =>
      settings(`/v1/balance-groups/${eic}`, { method: 'PATCH', body: { enabled_tsos } }),
  };
}

test('control areas are switched on and off, and one in use is named instead of switched off', async () => {
  const { eic, visitor, enabled } = await brpWithSettings();
  await visit(visitor, async (page) => {
    await open(page, '/');
    await page.getByRole('link', { name: 'Balance groups', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Balance groups' }).waitFor();
    await page.getByRole('button', { name: `Settings: ${eic}` }).click();
    const dialog = page.getByRole('dialog', { name: `Settings: ${eic}` });
    await dialog.getByRole('checkbox', { name: 'TenneT' }).uncheck();
    await dialog.getByRole('checkbox', { name: '50Hertz' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/A control area in use cannot be disabled.*in DE_TENNET\./).waitFor();
    await dialog.getByRole('checkbox', { name: 'TenneT' }).check();
    await dialog.getByRole('checkbox', { name: 'Amprion' }).uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`${eic} is saved.`).waitFor();
    const row = page.getByRole('row', { name: new RegExp(eic) });
    await row.getByText('50Hertz').waitFor();
    await row.getByText('Amprion').waitFor({ state: 'detached' });
  });
  assert.deepEqual(await enabled(), ['DE_TENNET', 'DE_50HERTZ']);
});

test('settings changed by another user meanwhile are shown, not overwritten', async () => {
  const { eic, visitor, enabled, change } = await brpWithSettings();
  await visit(visitor, async (page) => {
    await holdLiveRefresh(page);
    await open(page, '/balance-groups');
    await page.getByRole('button', { name: `Settings: ${eic}` }).click();
    const dialog = page.getByRole('dialog', { name: `Settings: ${eic}` });
    await dialog.getByRole('checkbox', { name: 'Amprion' }).uncheck();
    assert.equal((await change(['DE_AMPRION', 'DE_TENNET', 'DE_50HERTZ'])).status, 200);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('control areas: Amprion, TenneT → Amprion, TenneT, 50Hertz').waitFor();
    await dialog.getByRole('checkbox', { name: '50Hertz', checked: true }).waitFor();
    await dialog.getByRole('checkbox', { name: 'Amprion', checked: false }).waitFor();
    await dialog.getByRole('button', { name: 'Discard my input' }).click();
    await dialog.getByRole('checkbox', { name: 'Amprion', checked: true }).waitFor();
    await dialog.getByText('control areas: ').waitFor({ state: 'detached' });
  });
  assert.deepEqual(await enabled(), ['DE_AMPRION', 'DE_TENNET', 'DE_50HERTZ']);
});

test('the balance groups page is in German too', async () => {
  const { eic, visitor } = await brpWithSettings();
  await visit(
    visitor,
    async (page) => {
      await open(page, '/balance-groups');
      await page.getByRole('heading', { level: 1, name: 'Bilanzkreise' }).waitFor();
      await page.getByRole('button', { name: `Einstellungen: ${eic}` }).click();
      const dialog = page.getByRole('dialog', { name: `Einstellungen: ${eic}` });
      await dialog.getByRole('checkbox', { name: 'TenneT' }).uncheck();
      await dialog.getByRole('button', { name: 'Speichern' }).click();
      await dialog.getByText(/Eine benutzte Regelzone kann nicht abgeschaltet werden/).waitFor();
    },
    { locale: 'de-DE' },
  );
});
