import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { remindOfGates } from '../../server/src/exchange/process/gate-reminders.ts';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { open, openStage, settled } from './stage.ts';
import { setVisibility } from './visibility.ts';

// 20 October, 14:15 in Berlin: a quarter of an hour before the day-ahead gate of the 21st.
const { platform, world, user, visit, visitApart } = await openStage('2026-10-20T12:10:00Z');
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
for (let day = 21; day <= 28; day++) await world.volumes(contract, `2026-10-${day}`, 250);
await world.nominate();
const api = client(platform.baseUrl, seller.key);
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

type Shown = { readonly title: string; readonly body: string; readonly tag: string };
type WithNotifications = { shownNotifications: (Shown & EventTarget)[]; asked: number };

/** Replaces the browser's notifications, which have no window here, by a record of them. */
const record = (page: Page, answer: 'granted' | 'denied') =>
  page.evaluate((given) => {
    const record = window as unknown as WithNotifications;
    record.shownNotifications = [];
    record.asked = 0;
    class Recorded extends EventTarget {
      static permission = 'default';
      static async requestPermission() {
        record.asked++;
        Recorded.permission = given;
        return given;
      }
      title: string;
      body: string;
      tag: string;
      constructor(title: string, { body, tag }: { body: string; tag: string }) {
        super();
        [this.title, this.body, this.tag] = [title, body, tag];
        record.shownNotifications.push(this);
      }
      close() {}
    }
    Object.assign(window, { Notification: Recorded });
  }, answer);

const askedCount = (page: Page) => page.evaluate(() => (window as unknown as WithNotifications).asked);

const shownCount = (page: Page) =>
  page.evaluate(() => (window as unknown as WithNotifications).shownNotifications.length);

/** Waits for a notification of this title. */
const notified = async (page: Page, title: string): Promise<string> => {
  const found = await page.waitForFunction(
    (wanted) =>
      (window as unknown as WithNotifications).shownNotifications.find((one) => one.title === wanted),
    title,
  );
  return found.evaluate((one) => (one as Shown).body);
};

test('without a click no permission is asked for, and a refusal is explained', () =>
  visit(asBrp, async (page) => {
    await open(page, '/');
    await record(page, 'denied');
    await page.locator('a[href="/profile"]').first().click();
    const box = page.getByRole('checkbox', { name: 'Show notifications in this browser' });
    await box.waitFor();
    assert.equal(await askedCount(page), 0);
    await page.getByText(/60 and 15 minutes before a gate closes/).waitFor();
    await box.click();
    await page.getByText('This browser blocks notifications of this page.').waitFor();
    assert.equal(await box.isChecked(), false);
    assert.equal(await askedCount(page), 1);
  }));

/** Waits until they are on: the page first finds out which events are past. */
async function turnOn(page: Page, label = 'Show notifications in this browser') {
  const box = page.getByRole('checkbox', { name: label });
  await box.check();
  await page.waitForFunction(() => localStorage.getItem('saldo.notifications') === 'on');
  return box;
}

/** A confirmation of a day with less in some slots. */
async function differ(day: string) {
  const [nomination] = await listNominated(api, `&delivery_date=${day}`);
  assert.ok(nomination);
  await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
  return nomination;
}

test('a hidden page shows a new mismatch, and its notification leads to the nomination', () =>
  visit(asBrp, async (page) => {
    await open(page, '/profile');
    await record(page, 'granted');
    await turnOn(page);
    await setVisibility(page, 'hidden');
    const nomination = await differ('2026-10-22');
    assert.equal(await notified(page, 'New mismatch'), 'Thu, 22/10/2026 · 1 nomination');
    await page.evaluate(() =>
      (window as unknown as WithNotifications).shownNotifications[0]?.dispatchEvent(new Event('click')),
    );
    await page.waitForURL(`**/nominations/${nomination.id}`);
  }));

test('what happened before notifications were turned on is not shown', () =>
  visit(asBrp, async (page) => {
    await open(page, '/profile');
    await record(page, 'granted');
    await differ('2026-10-25');
    await turnOn(page);
    await differ('2026-10-26');
    assert.equal(await notified(page, 'New mismatch'), 'Mon, 26/10/2026 · 1 nomination');
    assert.equal(await shownCount(page), 1);
  }));

test('nor is it in another tab', () =>
  visitApart(asBrp, async (page) => {
    await open(page, '/profile');
    await record(page, 'granted');
    await page.evaluate(() => Notification.requestPermission());
    const other = await page.context().newPage();
    await open(other, '/profile');
    await record(other, 'granted');
    await differ('2026-10-27');
    const skipped = page.waitForResponse((response) => response.url().includes('/v1/events?'));
    await turnOn(other);
    await (await skipped).finished();
    await differ('2026-10-28');
    assert.equal(await notified(page, 'New mismatch'), 'Wed, 28/10/2026 · 1 nomination');
    assert.equal(await shownCount(page), 1);
  }));

test('a page that took long to load shows what has happened since it knows the session', () =>
  visitApart(asBrp, async (page) => {
    await page.clock.install({ time: platform.clock.now() });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/assets/profile-*', async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest('**/assets/profile-*');
    await page.goto('/profile', { waitUntil: 'commit' });
    await asked;
    await page.clock.fastForward(5_000);
    release();
    await settled(page);
    await record(page, 'granted');
    await turnOn(page);
    await differ('2026-10-24');
    assert.equal(await notified(page, 'New mismatch'), 'Sat, 24/10/2026 · 1 nomination');
  }));

test('the operator’s page shows that a gate closes, in German on a phone, and nothing once it is turned off', () =>
  visit(
    asOperator,
    async (page) => {
      await open(page, '/profile');
      await record(page, 'granted');
      const box = await turnOn(page, 'In diesem Browser Benachrichtigungen zeigen');
      await setVisibility(page, 'hidden');
      await remindOfGates(platform.db, platform.clock.now(), platform.config.marketRules);
      platform.clock.set('2026-10-20T12:15:30Z');
      await remindOfGates(platform.db, platform.clock.now(), platform.config.marketRules);
      assert.equal(
        await notified(page, 'Eine Frist endet in 15 Minuten'),
        'Mi., 21.10.2026 · 2 Nominierungen',
      );
      const before = await shownCount(page);
      await box.uncheck();
      await differ('2026-10-23');
      await setVisibility(page, 'visible');
      await page.locator('a[href="/"]:visible').first().click();
      await page.getByText('23.10.2026').first().waitFor();
      assert.equal(await shownCount(page), before);
    },
    { locale: 'de-DE', width: 390 },
  ));
