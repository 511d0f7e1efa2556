import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays } from '@saldo/core/delivery-day.ts';
import type { Page } from 'playwright-core';
import { DAY, openPages } from './accessibility.ts';
import { faultsOf, violationsInBoth } from './axe.ts';
import { pauseClock, shown } from './page-clock.ts';
import { follow, open, settled } from './stage.ts';

const { stage, visitors, asSeller, records } = await openPages();
const { visit, visitApart } = stage;
const { producer, sellerGroup, spareGroup, contract, nomination, assetId } = records;

type DialogCase = {
  url: string;
  button: string;
  /** The name of the element that has the focus when the dialog has opened. */
  focused: string;
  width?: number;
  before?: (page: Page) => Promise<unknown>;
};

const DIALOGS: Record<'account' | 'brp' | 'operator', readonly DialogCase[]> = {
  account: [
    { url: `/offers/${assetId}`, button: 'Send an inquiry', focused: 'Duration' },
    { url: '/demands', button: 'Send an inquiry', focused: 'Message' },
  ],
  brp: [
    { url: '/users', button: 'New user', focused: 'Name' },
    { url: '/keys', button: 'New key', focused: 'Name' },
    { url: '/profile', button: 'Add passkey', focused: 'Name' },
    { url: '/webhooks', button: 'New endpoint', focused: 'URL' },
    { url: `/customers/${producer.id}`, button: 'Deactivate', width: 390, focused: 'Cancel' },
    {
      url: `/customers/${producer.id}`,
      button: 'Preview…',
      focused: 'Cancel',
      before: (page) =>
        page.getByRole('combobox', { name: 'Balance group', exact: true }).selectOption(spareGroup.eic),
    },
    { url: '/balance-groups', button: `Settings: ${sellerGroup.eic}`, focused: 'Amprion' },
    { url: `/nominations?day=${DAY}`, button: 'Export…', focused: 'Data' },
    { url: `/nominations?day=${DAY}&tso=DE_TENNET`, button: 'Save view…', focused: 'Name' },
    { url: '/', button: 'Menu', focused: 'Overview', width: 390 },
  ],
  operator: [
    { url: '/', button: 'Acknowledge', focused: 'Note' },
    { url: '/operator/users', button: 'New user', focused: 'Name' },
    { url: '/operator/balance-groups', button: 'New balance group', focused: 'BRP' },
    { url: '/operator/nominations', button: 'Net now', focused: 'All days' },
    {
      url: `/operator/contracts/${contract.id}?day=${DAY}`,
      button: 'Set end',
      focused: 'Last day of delivery',
    },
    { url: `/operator/customers/${producer.id}`, button: 'Deactivate', focused: 'Cancel' },
  ],
};

const lookAtSearchField = () =>
  visit(visitors.operator, async (page) => {
    await open(page, '/operator/contracts/new');
    const field = page.getByRole('combobox', { name: 'Seller' });
    await field.press('ArrowDown');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await field.press('ArrowDown');
    await page.getByRole('listbox').getByRole('option', { selected: true }).waitFor();
    assert.deepEqual(await faultsOf(page, 'a list of what was found'), []);
    await field.fill('no such name');
    await page.getByText('Nothing found').waitFor();
    assert.deepEqual(await faultsOf(page, 'a list of nothing'), []);
  });

const lookAtSearchDialog = () =>
  visit(visitors.operator, async (page) => {
    await open(page, '/operator/contracts');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('dialog').getByRole('combobox');
    await field.waitFor();
    assert.deepEqual(await faultsOf(page, 'a search without text'), []);
    await field.fill('park');
    await page.getByRole('listbox').getByRole('option', { selected: true }).waitFor();
    assert.deepEqual(await faultsOf(page, 'a search with results'), []);
    await field.fill('no such name');
    await page.getByText('Nothing found').waitFor();
    assert.deepEqual(await faultsOf(page, 'a search without results'), []);
  });

const pressKeys = () =>
  visit(visitors.brp, async (page) => {
    await open(page, `/nominations?day=${DAY}`);
    const field = page.getByRole('textbox', { name: 'Delivery day', exact: true });
    await field.press('ArrowUp');
    await page.waitForURL((url) => url.searchParams.get('day') === addDays(DAY, 1));
    await field.press('ArrowDown');
    await page.waitForURL((url) => url.searchParams.get('day') === DAY);
    await follow(page, `/nominations/${nomination.id}`);
    const tabs = page.getByRole('tab');
    const last = (await tabs.count()) - 1;
    for (const [key, at] of [
      ['End', last],
      ['Home', 0],
      ['ArrowLeft', last],
      ['ArrowRight', 0],
    ] as const) {
      await page.getByRole('tab', { selected: true }).press(key);
      await tabs.nth(at).and(page.locator('[aria-selected=true]:focus')).waitFor();
    }
  });

const pointAtToast = () =>
  visitApart(visitors.brp, async (page) => {
    await page.clock.install();
    await open(page, '/profile');
    await pauseClock(page);
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    const toast = page.getByText('All other sessions have ended.');
    await shown(page, toast);
    await toast.hover();
    await page.clock.runFor(60_000);
    assert.equal(await toast.count(), 1);
    await page.mouse.move(0, 0);
    await page.clock.runFor(10_000);
    await toast.waitFor({ state: 'detached' });
  });

const missError = () =>
  visitApart(visitors.brp, async (page) => {
    await page.clock.install();
    await open(page, '/customers');
    await page.route('**/v1/customers?*', (route) => route.abort());
    const error = page.getByText('The server cannot be reached.');
    for (let attempts = 0; attempts < 2; attempts++) {
      await page.getByRole('button', { name: 'CSV' }).click();
      // The button is enabled again when the attempt has ended.
      await page.getByRole('button', { name: 'CSV' }).click({ trial: true });
      await page.clock.runFor(60_000);
      assert.equal(await error.count(), 1);
    }
    await page.getByRole('button', { name: 'Close' }).click();
    await error.waitFor({ state: 'detached' });
  });

const lookAtCheckedSchedule = () =>
  visit(visitors.brp, async (page) => {
    const { text } = await asSeller('/v1/nominations/schedule?delivery_date=2026-10-25');
    const choose = (file: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'schedule.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
    await open(page, '/check');
    await choose(text.replace(/1\.000,0\.250\n/, '2.000,0.500\n'));
    await page.getByRole('slider').waitFor();
    assert.deepEqual(await faultsOf(page, 'a schedule that differs'), []);
    const others = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.replace('11XSALDO-------Z', '11XNORDWIND----J'));
    await choose(`${text}${others.join('\n')}`);
    await page.getByRole('table', { name: 'Why the TSO would reject the file' }).waitFor();
    assert.deepEqual(await faultsOf(page, 'a schedule that would be rejected'), []);
    await choose(text.replaceAll(',', ';').replaceAll('0.250', ''));
    await page.getByText('Which decimal mark').waitFor();
    assert.deepEqual(await faultsOf(page, 'a question'), []);
    await choose('nonsense');
    await page.getByText('schedule.csv cannot be compared').waitFor();
    assert.deepEqual(await faultsOf(page, 'a faulty schedule'), []);
  });

/** The name of the focused element, as a screen reader announces it. */
async function nameOfFocused(page: Page): Promise<string> {
  const tree = await page.locator(':focus').ariaSnapshot();
  return /"(.*?)"/.exec(tree)?.[1] ?? tree;
}

const lookAtDialogs = (role: keyof typeof DIALOGS) =>
  visit(visitors[role], async (page) => {
    let go = open;
    for (const { url, button, focused, width = 1440, before } of DIALOGS[role]) {
      await page.setViewportSize({ width, height: 900 });
      await go(page, url);
      // The input of `before` is not saved, and would keep the page from being left by a link.
      go = before ? open : follow;
      await before?.(page);
      const opener = page.getByRole('button', { name: button, exact: true }).first();
      await opener.click();
      await page.getByRole('dialog').waitFor();
      await settled(page);
      assert.equal(await nameOfFocused(page), focused, `${url}: ${button}`);
      assert.deepEqual(await violationsInBoth(page), [], `${url}: ${button}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.ok(await opener.evaluate((element) => element === document.activeElement), button);
    }
  });

test('axe finds no fault in a search field and its list', lookAtSearchField);
test('axe finds no fault in the result of a checked schedule', lookAtCheckedSchedule);
test('axe finds no fault in the search dialog', lookAtSearchDialog);
test('keys step through days and tabs', pressKeys);
test('a toast stays while the pointer is on it', pointAtToast);
test('an error stays until it is closed, and is shown once', missError);
for (const role of ['account', 'brp', 'operator'] as const) {
  test(`axe finds no fault in dialogs of ${role}; opening focuses the first control, closing the opener`, () =>
    lookAtDialogs(role));
}
