import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { remindOfGates } from '../../server/src/exchange/process/gate-reminders.ts';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { open, openStage } from './stage.ts';

// 20 October, 14:15 in Berlin: a quarter of an hour before the day-ahead gate of the 21st.
const { platform, world, user, visit } = await openStage('2026-10-20T12:10:00Z');
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
for (const day of ['2026-10-21', '2026-10-22', '2026-10-23']) await world.volumes(contract, day, 250);
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

/** Waits for a notification of this title. */
const notified = async (page: Page, title: string): Promise<string> => {
  const found = await page.waitForFunction(
    (wanted) =>
      (window as unknown as WithNotifications).shownNotifications.find((one) => one.title === wanted),
    title,
  );
  return found.evaluate((one) => (one as Shown).body);
};

const hide = (page: Page) =>
  page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });

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

test('a hidden page shows a new mismatch, and its notification leads to the nomination', () =>
  visit(asBrp, async (page) => {
    await open(page, '/profile');
    await record(page, 'granted');
    const box = page.getByRole('checkbox', { name: 'Show notifications in this browser' });
    await box.check();
    await hide(page);
    const [nomination] = await listNominated(api, '&delivery_date=2026-10-22');
    assert.ok(nomination);
    await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
    assert.equal(await notified(page, 'New mismatch'), 'Thu, 22/10/2026 · 1 nomination');
    await page.evaluate(() =>
      (window as unknown as WithNotifications).shownNotifications[0]?.dispatchEvent(new Event('click')),
    );
    await page.waitForURL(`**/nominations/${nomination.id}`);
  }));

test('the operator’s page shows that a gate closes, in German on a phone, and nothing once it is turned off', () =>
  visit(
    asOperator,
    async (page) => {
      await open(page, '/profile');
      await record(page, 'granted');
      const box = page.getByRole('checkbox', { name: 'In diesem Browser Benachrichtigungen zeigen' });
      await box.check();
      await hide(page);
      await remindOfGates(platform.db, platform.clock.now(), platform.config.marketRules);
      platform.clock.set('2026-10-20T12:15:30Z');
      await remindOfGates(platform.db, platform.clock.now(), platform.config.marketRules);
      assert.equal(
        await notified(page, 'Eine Frist endet in 15 Minuten'),
        'Mi., 21.10.2026 · 2 Nominierungen',
      );
      const count = () =>
        page.evaluate(() => (window as unknown as WithNotifications).shownNotifications.length);
      const before = await count();
      await box.uncheck();
      const [nomination] = await listNominated(api, '&delivery_date=2026-10-23');
      assert.ok(nomination);
      await confirm(platform, nomination, (kw, at) => (at < 3 ? 0 : kw));
      await page.evaluate(() => {
        Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await page.locator('a[href="/"]:visible').first().click();
      await page.getByText('23.10.2026').first().waitFor();
      assert.equal(await count(), before);
    },
    { locale: 'de-DE', width: 390 },
  ));
