import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { agree, newPlace, operating } from '../../server/test/exchanging.ts';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { pauseClock } from './page-clock.ts';
import { holdLiveRefresh, open, openStage } from './stage.ts';

/** Two seconds before a quarter of an hour before the day-ahead gate of tomorrow, 14:30 in Germany. */
const { platform, world, user, visit, visitApart } = await openStage('2026-10-20T12:14:58Z');
const [TODAY, TOMORROW, LATER] = ['2026-10-20', '2026-10-21', '2026-10-28'];
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, answer } = operating(platform, operator);
const wind = await newPlace(platform, 'DE_50HERTZ');
const city = await newPlace(platform, 'DE_50HERTZ');
const works = await newPlace(platform, 'DE_TENNET');
const homes = await newPlace(platform, 'DE_TENNET');
const contract = await agree(world, wind, city);
const other = await agree(world, works, homes);
await world.volumes(contract, TOMORROW, 1000);
await world.volumes(other, LATER, 500);
await world.nominate();
await send({ delivery_date: TOMORROW });
await answer({
  deviations: [{ eic: city.group.eic, tso: null, day: TOMORROW, slots: [45, 46], differenceKw: -50 }],
});
const asOperator = await user({ type: 'operator' });

const cell = (page: Page, day: string, tso: number) =>
  page
    .getByRole('row', { name: new RegExp(day) })
    .getByRole('cell')
    .nth(tso);
/** The columns are in the order of the API. */
const [TENNET, HERTZ] = [1, 3];

test('the board shows four TSOs by day from one request; a click on a cell leads to its messages or mismatches', () =>
  visit(asOperator, async (page) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open(page, '/operator/exchange');
    const board = page.getByRole('table', { name: 'State of the exchange by delivery day and TSO' });
    assert.deepEqual(await board.getByRole('columnheader').allInnerTexts(), [
      'Delivery day',
      'Amprion',
      'TenneT',
      'TransnetBW',
      '50Hertz',
    ]);
    assert.deepEqual(
      (await board.getByRole('rowheader').allInnerTexts()).map((text) => text.split('\n')[0]),
      ['Yesterday', 'Today', 'Tomorrow', 'Wed, 28/10/2026'],
    );
    assert.equal(asked.filter((path) => path.endsWith('/exchange/board')).length, 1);
    assert.deepEqual(
      asked.filter((path) => path.includes('/delivery-days/')),
      [],
    );
    const differing = await cell(page, '21/10/2026', HERTZ).innerText();
    assert.match(differing, /v1\s+mismatch/);
    assert.match(differing, /Sent\s+v1 · 14:14\s+Acknowledged\s+v1 · 14:14\s+Confirmed\s+v1 · 14:15 · final/);
    assert.match(differing, /≠ 1 nomination, 2 quarter-hours/);
    assert.match(differing, /00:1[45]:\d\d/, 'the time to the day-ahead gate');
    assert.match(await cell(page, '28/10/2026', TENNET).innerText(), /^2 not sent[^]*7 d/);
    assert.match(await cell(page, '20/10/2026', TENNET).innerText(), /–/);

    await cell(page, '21/10/2026', HERTZ)
      .getByRole('link', { name: /Messages/ })
      .click();
    await page.waitForURL(`**/operator/messages?day=${TOMORROW}&tso=DE_50HERTZ`);
    await page.goBack();
    await page.getByRole('link', { name: '≠ 1 nomination, 2 quarter-hours' }).click();
    await page.waitForURL(`**/operator/mismatches?day=${TOMORROW}&tso=DE_50HERTZ`);
    await page.goBack();
    await page.getByRole('link', { name: '2 not sent' }).click();
    await page.waitForURL(`**/operator/exchange?day=${LATER}&tso=DE_TENNET`);
  }));

/** Counts the tones that a page plays. */
const countTones = (page: Page) =>
  page.addInitScript(() => {
    const { start } = OscillatorNode.prototype;
    Object.assign(window, { tones: 0 });
    OscillatorNode.prototype.start = function counted(when) {
      Object.assign(window, { tones: (window as unknown as { tones: number }).tones + 1 });
      return start.call(this, when);
    };
  });
const tonesOf = (page: Page) => page.evaluate(() => (window as unknown as { tones: number }).tones);

test('the wall has no navigation, and sounds 15 minutes before the gate and at the gate once the user has switched it on', () =>
  visitApart(asOperator, async (page) => {
    await countTones(page);
    await holdLiveRefresh(page);
    await page.clock.install();
    await open(page, '/operator/board');
    await pauseClock(page);
    assert.equal(await page.getByRole('navigation').count(), 0);
    await page.getByRole('heading', { level: 1, name: 'Control room' }).waitFor();
    assert.equal(await tonesOf(page), 0);
    const sound = page.getByRole('button', { name: 'Sound at the gate' });
    await sound.click();
    await eventually(async () => assert.equal(await sound.getAttribute('aria-pressed'), 'true'));
    assert.equal(await tonesOf(page), 2, 'the first signal, to check the volume');
    await page.clock.runFor(4_000);
    await page.getByRole('alert').getByText('15 minutes to the gate at 14:30.').waitFor();
    assert.equal(await tonesOf(page), 4);
    await page.clock.runFor(15 * 60_000);
    await page.getByRole('alert').getByText('The gate at 14:30 has closed.').waitFor();
    assert.equal(await tonesOf(page), 7);
    await sound.click();
    assert.equal(await sound.getAttribute('aria-pressed'), 'false');
  }));

test('the wall is dark by itself if the user wants, and the portal is as before', () =>
  visit(asOperator, async (page) => {
    const theme = () => page.evaluate(() => document.documentElement.dataset['theme'] ?? 'system');
    await open(page, '/operator/exchange');
    await page.getByRole('link', { name: 'Full screen' }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    await eventually(async () => assert.equal(await theme(), 'dark'));
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await eventually(async () => assert.equal(await theme(), 'dark', 'kept'));
    await page.getByRole('link', { name: 'Back to the portal' }).click();
    await page.getByRole('navigation').waitFor();
    await eventually(async () => assert.equal(await theme(), 'system'));
  }));

test('the board follows the exchange without a reload', () =>
  visit(asOperator, async (page) => {
    await open(page, '/operator/board');
    await cell(page, '20/10/2026', TENNET).getByText('no nominations').waitFor();
    await world.volumes(other, TODAY, 250);
    await world.nominate();
    await cell(page, '20/10/2026', TENNET).getByText('2 not sent').waitFor();
  }));
