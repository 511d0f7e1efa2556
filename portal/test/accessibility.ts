import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, dayStart } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Page } from 'playwright-core';
import { watchExchange } from '../../server/src/exchange/process/watch.ts';
import { createAccount } from '../../server/src/parties/actions.ts';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { pngImage } from '../../server/test/png.ts';
import { faultsOf, violationsInBoth } from './axe.ts';
import { pauseClock, shown } from './page-clock.ts';
import { ANONYMOUS, follow, open, openStage, settled, type Visitor } from './stage.ts';

const DAY = '2026-10-21';

const { platform, world, user, visit, visitApart } = await openStage(undefined, { SANDBOX: 'on' });
const { seller, sellerGroup, producer, consumer, buyer } = await world.pair();
const spareGroup = await world.group(seller);
await world.customer(seller, { name: 'Waiting', metadata: { site: 'Harz' } });
await world.key(seller, ['contracts:read'], dayStart(DAY));
const contract = await world.contract(producer, consumer);
/** Only the first hours of the day, because more rows have no other faults. */
const hoursOf = (firstKwh: number) =>
  Array.from({ length: 96 }, (_, at) => (at === 0 ? firstKwh : at < 8 ? 250 : null));
await world.volumes(contract, DAY, hoursOf(250));
await world.volumes(contract, '2026-10-25', 250);
// Too late for every gate.
await world.volumes(contract, '2026-10-01', hoursOf(250));
await world.nominate();
const asSeller = client(platform.baseUrl, seller.key);
const [nomination] = await listNominated(asSeller, `&delivery_date=${DAY}`);
assert.ok(nomination);
await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
await world.volumes(contract, DAY, hoursOf(300));
await world.nominate();
const account = await platform.db.transaction((tx) =>
  createAccount(tx, { name: 'Stadtwerk' }, platform.clock.now()),
);

const asOperator = client(platform.baseUrl, await world.operatorKey());
async function made(path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await asOperator(`/operator/v1${path}`, { method: 'POST', body, headers });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}
const image = new Blob([pngImage('Uckermark')]);
const { cover_url } = await made('/covers', image, { 'content-type': 'image/png' });
const { id: assetId } = await made('/assets', {
  name: 'Windpark Uckermark',
  technology: 'wind_onshore',
  nominal_power: 48.3,
  tso: 'DE_50HERTZ',
  offer: {
    ppa_type: 'PAY_AS_PRODUCED',
    delivery_start: '2027-01-01T00:00:00Z',
    country: 'DE',
    state: 'Brandenburg',
    cover_url,
    pricing: [
      { years: 5, price: 61 },
      { years: 10, price: 58.5 },
    ],
  },
});
await made('/demands', { contract_period: 10, delivery_volume: 24_000, country: 'AT' });
const { messages } = await made('/exchange/send', { delivery_date: '2026-10-25' });
await asOperator('/operator/v1/exchange/receive', {
  method: 'POST',
  body: '<nonsense/>',
  headers: { 'content-type': 'application/xml' },
});
// By then the schedule has no acknowledgement either.
const overdueAt = platform.clock.now() + platform.exchange.ackMs;
await watchExchange(platform.db, overdueAt, platform.exchange);

const webhook = async (request: typeof asSeller, path: string) =>
  (await request(path, { method: 'POST', body: { url: 'https://hooks.nordwind.example/saldo' } })).body.id;
const sellerWebhook = await webhook(asSeller, '/v1/webhook-endpoints');
await webhook(asOperator, '/operator/v1/webhook-endpoints');
await asSeller(`/v1/webhook-endpoints/${sellerWebhook}/replay`, { method: 'POST', body: {} });

type Role = 'anonymous' | 'account' | 'brp' | 'operator';

/** The URL of each page and the roles that open it. Every route of the router must be listed. */
const PAGES: Record<Role, Record<string, readonly string[]>> = {
  anonymous: {
    '/sign-in': ['/sign-in', '/sign-in?ended=true'],
    '/invitation': ['/invitation#a-token-that-does-not-exist'],
  },
  account: {
    '/': ['/'],
    '/profile': ['/profile'],
    '/offers': ['/offers', '/offers?country=FR'],
    '/offers/$assetId': [`/offers/${assetId}`, '/offers/ast_unknown'],
    '/demands': ['/demands'],
    '/keys': ['/keys'],
  },
  brp: {
    '/': ['/', '/a-page-that-does-not-exist'],
    '/profile': ['/profile'],
    '/contracts': ['/contracts', '/contracts?type=intraday'],
    '/contracts/$contractId': [
      `/contracts/${contract.id}?day=${DAY}`,
      `/contracts/${contract.id}?view=month&month=${DAY.slice(0, 7)}`,
    ],
    '/nominations': [`/nominations?day=${DAY}&versions=all&sort=-energy`],
    '/nominations/$nominationId': [
      `/nominations/${nomination.id}?slot=2`,
      `/nominations/${nomination.id}?view=history`,
    ],
    '/check': ['/check'],
    '/month': ['/month'],
    '/customers': ['/customers'],
    '/customers/$customerId': [`/customers/${producer.id}`],
    '/balance-groups': ['/balance-groups'],
    '/keys': ['/keys'],
    '/activity': ['/activity', '/activity?types=nomination.*'],
    '/webhooks': [`/webhooks?endpoint=${sellerWebhook}`],
  },
  operator: {
    '/': ['/'],
    '/operator/nominations': [`/operator/nominations?day=${DAY}`],
    '/operator/nominations/$nominationId': [`/operator/nominations/${nomination.id}`],
    '/operator/contracts': ['/operator/contracts'],
    '/operator/contracts/new': ['/operator/contracts/new'],
    '/operator/contracts/$contractId': [`/operator/contracts/${contract.id}?day=${DAY}`],
    '/operator/import': ['/operator/import'],
    '/operator/exchange': ['/operator/exchange'],
    '/operator/mismatches': ['/operator/mismatches', `/operator/mismatches?day=${DAY}`],
    '/operator/late': ['/operator/late', `/operator/late?day=${DAY}`],
    '/operator/messages': ['/operator/messages'],
    '/operator/messages/$messageId': [`/operator/messages/${messages[0].id}`],
    '/operator/assets': ['/operator/assets'],
    '/operator/assets/$assetId': [`/operator/assets/${assetId}`],
    '/operator/demands': ['/operator/demands'],
    '/operator/brps': ['/operator/brps'],
    '/operator/brps/$brpId': [`/operator/brps/${buyer.id}`],
    '/operator/balance-groups': ['/operator/balance-groups'],
    '/operator/customers': ['/operator/customers'],
    '/operator/customers/$customerId': [`/operator/customers/${producer.id}`],
    '/operator/accounts': ['/operator/accounts'],
    '/operator/accounts/$accountId': [`/operator/accounts/${encodeId(ID_PREFIX.account, account.id)}`],
    '/operator/users': ['/operator/users'],
    '/operator/keys': ['/operator/keys'],
    '/operator/activity': ['/operator/activity'],
    '/operator/webhooks': ['/operator/webhooks'],
    '/operator/audit': ['/operator/audit', '/operator/audit?from=2026-01-01'],
  },
};

const visitors: Record<Role, Visitor> = {
  anonymous: ANONYMOUS,
  account: await user({ type: 'account', accountNo: account.no }),
  brp: await user({ type: 'brp', brpNo: seller.no }),
  operator: await user({ type: 'operator' }),
};

type DialogCase = {
  url: string;
  button: string;
  /** The name of the element that has the focus when the dialog has opened. */
  focused: string;
  width?: number;
  before?: (page: Page) => Promise<unknown>;
};

const DIALOGS: Record<Role, readonly DialogCase[]> = {
  anonymous: [],
  account: [{ url: `/offers/${assetId}`, button: 'Contact the operator', focused: 'Duration' }],
  brp: [
    { url: '/keys', button: 'New key', focused: 'Name' },
    { url: '/webhooks', button: 'New endpoint', focused: 'URL' },
    { url: `/customers/${producer.id}`, button: 'Deactivate', width: 390, focused: 'Cancel' },
    {
      url: `/customers/${producer.id}`,
      button: 'Save',
      focused: 'Cancel',
      before: (page) =>
        page.getByRole('combobox', { name: 'Balance group', exact: true }).selectOption(spareGroup.eic),
    },
    { url: '/balance-groups', button: `Settings: ${sellerGroup.eic}`, focused: 'Amprion' },
    { url: `/nominations?day=${DAY}`, button: 'Export…', focused: 'Data' },
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

/** Declares the tests of these roles. */
export function lookAtPagesOf(...roles: Role[]): void {
  test('every page of the router is checked', lookForForgottenPages);
  for (const role of roles) {
    test(`axe finds no fault on any page of ${role}, in both themes, on desktop and phone`, () =>
      lookAtPages(role));
    if (role === 'operator') test('axe finds no fault in a search field and its list', lookAtSearchField);
    if (role === 'brp') test('axe finds no fault in the result of a checked schedule', lookAtCheckedSchedule);
    if (role === 'operator') test('axe finds no fault in the search dialog', lookAtSearchDialog);
    if (role === 'brp') test('keys step through days and tabs', pressKeys);
    if (role === 'brp') test('a toast stays while the pointer is on it', pointAtToast);
    if (role === 'brp') test('an error stays until it is closed, and is shown once', missError);
    if (DIALOGS[role].length === 0) continue;
    test(`axe finds no fault in dialogs of ${role}; opening focuses the first control, closing the opener`, () =>
      lookAtDialogs(role));
  }
}

const lookForForgottenPages = () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, '/sign-in');
    const paths = await page.evaluate(() => {
      const { __TSR_ROUTER__ } = window as unknown as {
        __TSR_ROUTER__: {
          routesById: Record<string, { fullPath: string; options: { component?: unknown } }>;
        };
      };
      // Routes without a component only group others.
      return Object.values(__TSR_ROUTER__.routesById)
        .filter(({ options }) => options.component !== undefined)
        .map(({ fullPath }) => fullPath);
    });
    const looked = new Set(Object.values(PAGES).flatMap((pages) => Object.keys(pages)));
    const unknown = new Set(paths.map((path) => (path === '' ? '/' : path))).symmetricDifference(looked);
    assert.deepEqual([...unknown], []);
  });

const lookAtPages = (role: Role) =>
  visit(visitors[role], async (page) => {
    const faults: string[] = [];
    // Signed in, only the first page is loaded. Axe, which takes longer to load than most pages to check, then stays.
    let go = open;
    for (const [route, urls] of Object.entries(PAGES[role])) {
      for (const url of urls) {
        await go(page, url);
        if (role !== 'anonymous') go = follow;
        faults.push(...(await faultsOf(page, `${url} (${route})`)));
      }
    }
    assert.deepEqual(faults, []);
  });

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

const lookAtDialogs = (role: Role) =>
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
