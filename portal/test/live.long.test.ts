import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { createAccount } from '../../server/src/parties/actions.ts';
import { client } from '../../server/test/harness.ts';
import { eventually, until } from '../../server/test/until.ts';
import { pauseClock, shown } from './page-clock.ts';
import { hold, open, openStage, type Visitor } from './stage.ts';
import { setVisibility } from './visibility.ts';

const { platform, world, user, visit, visitApart } = await openStage();
const { seller, producer, consumer } = await world.pair();
const account = await platform.db.transaction((tx) =>
  createAccount(tx, { name: 'Stadtwerk' }, platform.clock.now()),
);
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });
const asAccount = await user({ type: 'account', accountNo: account.no });
const api = client(platform.baseUrl, seller.key);
const operatorApi = client(platform.baseUrl, await world.operatorKey());

async function waitingReaders(): Promise<number> {
  const text = await (await fetch(`${platform.adminUrl}/metrics`)).text();
  return Number(/^saldo_event_readers_waiting (\d+)$/m.exec(text)?.[1]);
}
const untilWaiting = (count: number) => until(async () => (await waitingReaders()) === count);

const pathOf = (request: Request) => new URL(request.url()).pathname;
/** Pages of the role are loaded once while the browser is idle; all other requests are for data. */
const isForData = (request: Request) => !pathOf(request).startsWith('/assets/');
const isLongPoll = (request: Request) => pathOf(request) === '/portal/v1/changes';

/** Opens a page whose clock stands still, so that nothing on it happens by a timer of a second or more. */
async function openWithoutTimers(page: Page, url: string): Promise<void> {
  await page.clock.install({ time: platform.clock.now() });
  // The clock belongs to the context, which an earlier test may have left paused.
  await page.clock.resume();
  await open(page, url);
  await pauseClock(page);
  // The page may just have received an answer, after which it pauses.
  await until(async () => {
    await page.clock.runFor(1);
    return (await waitingReaders()) === 1;
  });
}

const post = async (path: string, body: object) => {
  const answer = await operatorApi(`/operator/v1${path}`, { method: 'POST', body });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
};

test('a BRP’s page shows a change by another program without a timer', () =>
  visit(asBrp, async (page) => {
    const { id } = await world.customer(seller, { name: 'Solarfeld Aue' });
    await openWithoutTimers(page, '/customers');
    const row = page.getByRole('row', { name: /Solarfeld Aue/ });
    await shown(page, row.getByText('pending'));
    const change = { method: 'PATCH', body: { status: 'active' } };
    assert.equal((await api(`/v1/customers/${id}`, change)).status, 200);
    await shown(page, row.getByText('active'));
  }));

test('the operator’s page shows changes of a BRP, and of records without events', async () => {
  const { id } = await world.customer(seller, { name: 'Windpark Börde' });
  await visit(asOperator, async (page) => {
    await openWithoutTimers(page, '/operator/customers');
    const row = page.getByRole('row', { name: /Windpark Börde/ });
    await shown(page, row.getByText('pending'));
    await api(`/v1/customers/${id}`, { method: 'PATCH', body: { status: 'active' } });
    await shown(page, row.getByText('active'));
  });
  await visit(asOperator, async (page) => {
    await openWithoutTimers(page, '/operator/brps');
    await post('/brps', { name: 'Ostwind Vertrieb' });
    await shown(page, page.getByRole('row', { name: /Ostwind Vertrieb/ }));
  });
});

test('the operator’s page shows a message of a TSO and its alarm', () =>
  visit(asOperator, async (page) => {
    await openWithoutTimers(page, '/operator/messages');
    const body = '<nonsense/>';
    const headers = { 'content-type': 'application/xml' };
    await operatorApi('/operator/v1/exchange/receive', { method: 'POST', body, headers });
    await shown(page, page.getByRole('row', { name: /unreadable/ }));
  }));

test('an account holder’s page shows a new demand', () =>
  visit(asAccount, async (page) => {
    await openWithoutTimers(page, '/demands');
    await post('/demands', { contract_period: 7, delivery_volume: 24_000, country: 'FR' });
    await shown(page, page.getByText('France').first());
  }));

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Requests for data within one minute of the page's clock. Long polls are not counted: they take the server's time. */
async function requestsInMinute(page: Page): Promise<string[]> {
  const requests: string[] = [];
  const note = (request: Request) => {
    if (isForData(request) && !isLongPoll(request)) requests.push(request.url());
  };
  page.on('request', note);
  await page.clock.runFor(MINUTE_MS);
  page.off('request', note);
  return requests;
}

const isList = (url: URL) => url.pathname.endsWith('/v1/customers');
const isFirstPage = (url: URL) => isList(url) && !url.searchParams.has('after');
const isNextPage = (url: URL) => isList(url) && url.searchParams.has('after');

type TwoPages = { page: Page; showMore(): Promise<void>; change(): Promise<void> };

/** Opens a list of two pages. At the end it must show both of them, and the change of its first record. */
async function visitTwoPages(act: (parts: TwoPages) => Promise<void>): Promise<void> {
  const brp = await world.brp();
  const [first] = await Promise.all(
    Array.from({ length: 60 }, (_, at) => world.customer(brp, { name: `Hof ${at + 10}` })),
  );
  const change = async () => {
    const activation = { method: 'PATCH', body: { status: 'active' } };
    const answer = await client(platform.baseUrl, brp.key)(`/v1/customers/${first?.id}`, activation);
    assert.equal(answer.status, 200, answer.text);
  };
  await visitApart(await user({ type: 'brp', brpNo: brp.no }), async (page) => {
    await open(page, '/customers?sort=name');
    const rows = page.locator('main tbody tr');
    await eventually(async () => assert.equal(await rows.count(), 50));
    await act({ page, change, showMore: () => page.getByRole('button', { name: 'Show more' }).click() });
    await rows.first().getByText('active').filter({ visible: true }).waitFor();
    await eventually(async () => assert.equal(await rows.count(), 60));
  });
}

test('"Show more" while a list is refreshed cancels neither', () =>
  visitTwoPages(async ({ page, change, showMore }) => {
    const { asked, release } = await hold(page, isFirstPage);
    await change();
    await asked;
    await showMore();
    release();
  }));

test('a refresh while the next page of a list is loaded cancels neither', () =>
  visitTwoPages(async ({ page, change, showMore }) => {
    const { asked, release } = await hold(page, isNextPage);
    await showMore();
    await asked;
    const refreshed = page.waitForResponse((response) => isFirstPage(new URL(response.url())));
    await change();
    await refreshed;
    release();
  }));

test('an idle page sends at most three requests a minute: two long polls of 30 seconds, and one more', async () => {
  const contract = await world.contract(producer, consumer);
  await world.volumes(contract, '2026-10-21', 250);
  await world.nominate();
  const pages: [Visitor, string[]][] = [
    [asBrp, ['/', '/nominations', '/contracts', '/customers', '/keys', '/webhooks', '/month']],
    [
      asOperator,
      ['/', '/operator/exchange', '/operator/messages', '/operator/mismatches', '/operator/audit'],
    ],
    [asAccount, ['/', '/offers', '/demands']],
  ];
  for (const [visitor, urls] of pages) {
    for (const url of urls) {
      await visit(visitor, async (page) => {
        const asked = page.waitForRequest(
          (request) => isLongPoll(request) && request.url().includes('wait='),
        );
        await openWithoutTimers(page, url);
        assert.equal(new URL((await asked).url()).searchParams.get('wait'), '30');
        const requests = await requestsInMinute(page);
        assert.ok(requests.length <= 1, `${url}: ${requests.join(', ')}`);
      });
      await untilWaiting(0);
    }
  }
});

test('a hidden page sends nothing, and goes on from its place when it is shown again', () =>
  visit(asBrp, async (page) => {
    const { id } = await world.customer(seller, { name: 'Hofgut Nebel' });
    await openWithoutTimers(page, '/customers');
    const row = page.getByRole('row', { name: /Hofgut Nebel/ });
    await shown(page, row.getByText('pending'));
    await setVisibility(page, 'hidden');
    await untilWaiting(0);
    await api(`/v1/customers/${id}`, { method: 'PATCH', body: { status: 'active' } });
    assert.deepEqual(await requestsInMinute(page), []);
    await eventually(async () =>
      assert.equal(await row.getByText('pending').filter({ visible: true }).count(), 1),
    );
    const resumed = page.waitForRequest(isLongPoll);
    await setVisibility(page, 'visible');
    assert.ok(new URL((await resumed).url()).searchParams.has('after'));
    await shown(page, row.getByText('active'));
  }));

test('a hidden page with notifications follows the changes without reading anything else, and says that it is unused', () =>
  visit(asBrp, async (page) => {
    const { id } = await world.customer(seller, { name: 'Hofgut Sonne' });
    await openWithoutTimers(page, '/customers');
    await page.evaluate(() => {
      localStorage.setItem('saldo.notifications', 'on');
      Object.defineProperty(Notification, 'permission', { value: 'granted', configurable: true });
    });
    await setVisibility(page, 'hidden');
    const requests = await requestsInMinute(page);
    assert.ok(requests.length <= 1, requests.join(', '));
    // The notifications have their own list.
    assert.ok(
      requests.every((url) => url.includes('/v1/events?')),
      requests.join(', '),
    );
    const polls: Request[] = [];
    page.on('request', (request) => isLongPoll(request) && polls.push(request));
    await page.clock.fastForward(2 * MINUTE_MS);
    await until(async () => {
      await page.clock.runFor(1_000);
      return polls.some((request) => request.headers()['saldo-unattended'] === '1');
    });
    await api(`/v1/customers/${id}`, { method: 'PATCH', body: { status: 'active' } });
    await setVisibility(page, 'visible');
    await shown(page, page.getByRole('row', { name: /Hofgut Sonne/ }).getByText('active'), SECOND_MS / 20);
  }));

test('the page says that the server is away, asks less and less often, and recovers by itself', () =>
  visit(asBrp, async (page) => {
    const { id } = await world.customer(seller, { name: 'Moorhof' });
    await openWithoutTimers(page, '/customers');
    let tries = 0;
    await page.route('**/portal/v1/changes*', (route) => {
      tries++;
      return route.abort('connectionrefused');
    });
    await shown(page, page.getByText('No connection to the server.'), SECOND_MS);
    const before = tries;
    for (let minutes = 0; minutes < 10; minutes++) await page.clock.runFor(MINUTE_MS);
    const more = tries - before;
    assert.ok(more >= 5 && more <= 45, `${more} tries in ten minutes`);
    await api(`/v1/customers/${id}`, { method: 'PATCH', body: { status: 'active' } });
    await page.unroute('**/portal/v1/changes*');
    await shown(page, page.getByRole('row', { name: /Moorhof/ }).getByText('active'), SECOND_MS);
    assert.equal(await page.getByText('No connection to the server.').count(), 0);
  }));

test('requests of a page that no person uses say so', () =>
  visit(asBrp, async (page) => {
    const isMarked = (request: Request) => request.headers()['saldo-unattended'] === '1';
    const first = page.waitForRequest(isLongPoll);
    await openWithoutTimers(page, '/customers');
    assert.equal(isMarked(await first), false);
    const nextIsMarked = async () => {
      const asked: Request[] = [];
      page.on('request', (request) => isForData(request) && asked.push(request));
      await until(async () => {
        await page.clock.runFor(1_000);
        return asked.length > 0;
      });
      return asked.some(isMarked);
    };
    await page.clock.fastForward(2 * MINUTE_MS);
    assert.equal(await nextIsMarked(), true);
    await page.keyboard.press('Tab');
    await page.clock.fastForward(MINUTE_MS / 2);
    assert.equal(await nextIsMarked(), false);
  }));

test('the countdown ends and the gate closes by the clock alone', () =>
  visit(asBrp, async (page) => {
    await openWithoutTimers(page, '/');
    const gate = page.getByRole('region', { name: 'Gates' });
    await shown(page, gate.getByRole('timer').first());
    const requests: string[] = [];
    page.on('request', (request) => isForData(request) && requests.push(pathOf(request)));
    // The next day-ahead gate is within the day of the page.
    await page.clock.fastForward(8 * 3_600_000);
    await shown(page, gate.getByText('closed').first());
    assert.ok(
      requests.every((path) => path === '/portal/v1/changes'),
      requests.join(', '),
    );
  }));
