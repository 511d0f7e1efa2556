import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { open, openStage } from './stage.ts';

// 18 November 2026, 9:00 in Berlin: before the day-ahead gate.
const { platform, world, user, visit } = await openStage('2026-11-18T08:00:00Z');
const { seller, sellerGroup, buyer, buyerGroup } = await world.pair();
const producer = await world.customer(seller, { name: 'Windpark Größ-Föhr', group: sellerGroup });
const consumer = await world.customer(buyer, { name: 'Stadtwerke Viernau', group: buyerGroup });
const contract = await world.contract(producer, consumer, { externalId: 'PPA-FÖHR-0017' });
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });
const account = await world.account();
const asAccount = await user({ type: 'account', accountNo: account.no });
const offer = await client(platform.baseUrl, await world.operatorKey())('/operator/v1/assets', {
  method: 'POST',
  body: {
    name: 'Windpark Größ-Föhr',
    technology: 'wind_onshore',
    nominal_power: 48,
    tso: 'DE_50HERTZ',
    offer: {
      ppa_type: 'PAY_AS_PRODUCED',
      average_annual_power: 96_000,
      delivery_start: '2027-01-01T00:00:00Z',
      country: 'DE',
      state: 'Schleswig-Holstein',
      pricing: [{ years: 5, price: 60 }],
    },
  },
});
assert.equal(offer.status, 201, offer.text);
const offerId: string = offer.body.id;

/** Opens the search by its keys, types, and opens the option that is then selected. The mouse is never used. */
async function go(page: Page, typed: string, selected: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: /^(Search|Suche)$/ });
  const field = dialog.getByRole('combobox');
  await field.waitFor();
  await page.keyboard.type(typed);
  await dialog.getByRole('option', { name: selected, selected: true }).waitFor();
  const active = await field.getAttribute('aria-activedescendant');
  const id = await dialog.getByRole('option', { selected: true }).getAttribute('id');
  assert.equal(active, id, 'the field names the selected option');
  await page.keyboard.press('Enter');
  await field.waitFor({ state: 'detached' });
}

const isAt = (page: Page, path: string, search: Record<string, string> = {}) =>
  eventually(async () => {
    const url = new URL(page.url());
    assert.equal(url.pathname, path);
    for (const [name, value] of Object.entries(search)) assert.equal(url.searchParams.get(name), value);
  });

test('a BRP goes everywhere by the keyboard, in both languages', () =>
  visit(asBrp, async (page) => {
    await open(page, '/');
    await go(page, 'tomorrow tennet', /^Nominations/);
    await isAt(page, '/nominations', { day: '2026-11-19', tso: 'DE_TENNET' });
    await go(page, '25.10. amprion', /^Nominations/);
    await isAt(page, '/nominations', { day: '2026-10-25', tso: 'DE_AMPRION' });
    await go(page, 'vertraege', 'Contracts');
    await isAt(page, '/contracts');
    await go(page, 'föhr-0017', /^PPA-FÖHR-0017/);
    await isAt(page, `/contracts/${contract.id}`);
    await page.getByRole('heading', { level: 1, name: /PPA-FÖHR-0017/ }).waitFor();
    await go(page, 'sprache deutsch', 'Language: Deutsch');
    await go(page, 'check schedule', 'Fahrplan prüfen');
    await isAt(page, '/check');
    // The record that was opened before this page.
    await go(page, '', /^PPA-FÖHR-0017/);
    await isAt(page, `/contracts/${contract.id}`);
    await go(page, 'neuer webhook', 'Neuer Webhook');
    await page.getByRole('dialog', { name: 'Neuer Webhook-Endpunkt' }).waitFor();
    await page.keyboard.press('Escape');
    const download = page.waitForEvent('download');
    await go(page, 'fahrplan herunterladen', 'Fahrplan für morgen herunterladen');
    assert.match((await download).suggestedFilename(), /2026-11-19/);
  }));

test('the operator goes everywhere by the keyboard', () =>
  visit(asOperator, async (page) => {
    await open(page, '/');
    await go(page, 'morgen 50hertz nachrichten', /^Messages/);
    await isAt(page, '/operator/messages', { day: '2026-11-19', tso: 'DE_50HERTZ' });
    await go(page, 'new customer', 'New customer');
    await page.getByRole('dialog', { name: 'Assign a customer to a BRP' }).waitFor();
    await page.keyboard.press('Escape');
    // On the page that is already open.
    await go(page, 'neuer kunde', 'New customer');
    await page.getByRole('dialog', { name: 'Assign a customer to a BRP' }).waitFor();
    await page.keyboard.press('Escape');
    await go(page, 'dunkel', 'Dark theme');
    await eventually(async () =>
      assert.equal(await page.evaluate(() => document.documentElement.dataset['theme']), 'dark'),
    );
    await go(page, 'leitstand', 'Control room');
    await isAt(page, '/operator/board');
  }));

test('an account holder goes everywhere by the keyboard, and signs out', () =>
  visit(asAccount, async (page) => {
    await open(page, '/');
    await go(page, 'groess', /^Windpark Größ-Föhr/);
    await isAt(page, `/offers/${offerId}`);
    await go(page, 'merkliste', 'Watch list');
    await isAt(page, '/offers', { watched: 'true' });
    for (const [typed, label, path] of [
      ['gesuche', 'Demands', '/demands'],
      ['inquir', 'Inquiries', '/inquiries'],
      ['vergleich', 'Compare offers', '/compare'],
    ] as const) {
      await go(page, typed, label);
      await isAt(page, path);
    }
    await go(page, 'neuer schluessel', 'New API key');
    await isAt(page, '/keys');
    await page.getByRole('dialog', { name: 'New API key' }).waitFor();
    await page.keyboard.press('Escape');
    await go(page, 'abmelden', 'Sign out');
    await isAt(page, '/sign-in');
  }));
