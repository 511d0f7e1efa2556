import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { recordSent } from '../../server/src/nominations/actions.ts';
import { client } from '../../server/test/harness.ts';
import { listNominated, type Nominated, nominationUuid } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { faultsOf } from './axe.ts';
import { downloadBy } from './download.ts';
import { open, openStage } from './stage.ts';

const DAY = '2026-10-21';
const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');

/** A deal whose nomination of tomorrow was sent and has changed since, and the user who sees it. */
async function changedDeal() {
  const { seller, producer, consumer } = await world.pair();
  const externalId = `PPA-${producer.id.slice(-6)}`;
  const contract = await world.contract(producer, consumer, { externalId });
  const ask = client(platform.baseUrl, seller.key);
  const current = async (): Promise<Nominated> => {
    const versions = await listNominated(ask, `&delivery_date=${DAY}`);
    return versions.find(({ status }) => status !== 'superseded')!;
  };
  const next = async (kwh: number): Promise<Nominated> => {
    await world.volumes(contract, DAY, kwh);
    await world.nominate();
    return current();
  };
  const first = await next(250);
  await platform.db.transaction((tx) => recordSent(tx, [nominationUuid(first)], platform.clock.now()));
  const second = await next(1250);
  return {
    ask,
    first,
    second,
    next,
    contract,
    externalId,
    seller,
    visitor: await user({ type: 'brp', brpNo: seller.no }),
  };
}

const tasks = (page: Page) => page.getByRole('list', { name: /Needs attention|Braucht Aufmerksamkeit/ });
const rowOf = (page: Page, kind: string) =>
  tasks(page).getByRole('listitem').filter({ hasText: kind }).first();

/** The badges of a row are next to each other, and none of them is stretched to the height of another one. */
const hasBadgesOfOneLine = (page: Page) =>
  eventually(async () => {
    const boxes = await page
      .locator('main table tbody tr span.rounded.font-medium')
      .filter({ visible: true })
      .evaluateAll((badges) => badges.map((badge) => badge.getBoundingClientRect()));
    assert.ok(boxes.length >= 3);
    const [first] = boxes;
    for (const { top, height } of boxes) {
      assert.ok(height <= 24, `a badge of ${height} px`);
      assert.equal(top, first?.top);
    }
  });

test('the status of a changed nomination is in one line, in both languages', async () => {
  const { visitor } = await changedDeal();
  for (const locale of ['en-GB', 'de-DE'] as const)
    await visit(
      visitor,
      async (page) => {
        await open(page, `/nominations?day=${DAY}`);
        await hasBadgesOfOneLine(page);
        await open(page, '/');
        await hasBadgesOfOneLine(page);
      },
      { locale },
    );
});

test('a changed nomination is the first task, with its cause, and loading the new schedule ends it', async () => {
  const { ask, second, contract, externalId, visitor } = await changedDeal();
  await visit(visitor, async (page) => {
    await open(page, '/');
    const row = rowOf(page, 'Changed');
    await row.getByText('Version 1 → 2').waitFor();
    await row.getByText('96 quarter-hours · Δ +96.000 MWh').first().waitFor();
    await row.getByText('Correction').waitFor();
    const link = row.getByRole('link', { name: externalId });
    assert.match((await link.getAttribute('href')) ?? '', new RegExp(`/contracts/${contract.id}`));
    const day = page.getByRole('region', { name: /^Tomorrow/ });
    const marked = (text: string) => day.getByText(text, { exact: true }).filter({ visible: true });
    await marked('changed since v1').waitFor();
    assert.deepEqual(await faultsOf(page, 'home with a changed nomination'), []);
    const file = await downloadBy(row.getByRole('button', { name: 'Load new schedule' }));
    assert.match(file.name, /_v2\.csv$/);
    await page.getByText(`${file.name} was downloaded.`).waitFor();
    await row.waitFor({ state: 'detached' });
    await marked('loaded').waitFor();
  });
  const [schedule] = (await ask(`/v1/schedules?delivery_date=${DAY}`)).body.schedules;
  assert.deepEqual([schedule.loaded.nomination_id, schedule.changed_since], [second.id, null]);
});

test('the page of a nomination says what changed and why, and keeps the steps of the own side', async () => {
  const { next, second, visitor, first } = await changedDeal();
  await visit(visitor, async (page) => {
    await open(page, `/nominations/${second.id}`);
    await page.getByText(/has changed since version 1\. Load the new schedule/).waitFor();
    await page.getByText('Sent by the operator at').waitFor();
    const steps = page.getByRole('list', { name: 'Your own side' });
    await page.getByRole('button', { name: 'Mark as submitted' }).click();
    await page.getByRole('button', { name: 'Take back “submitted”' }).waitFor();
    await eventually(async () =>
      assert.match((await steps.getByRole('listitem').nth(2).textContent()) ?? '', /^submitted.*\d{2}:\d{2}/),
    );
    await page.getByText(/has changed since version 1/).waitFor({ state: 'detached' });
    // The line of the version before is dashed.
    const before = page.getByRole('slider').locator('path.stroke-muted[stroke-dasharray]');
    await before.first().waitFor({ state: 'attached' });
    assert.deepEqual(await faultsOf(page, 'nomination with its own side'), []);
    const third = await next(2500);
    await open(page, `/nominations/${third.id}?view=history`);
    await page.getByText(/has changed since version 2/).waitFor();
    await steps.getByText('version 2, out of date').waitFor();
    await page.getByText('Why version 3 differs from the version before').waitFor();
    const corrected = page.getByRole('link', { name: /Version [23].*Correction/s });
    await corrected.nth(1).waitFor();
    assert.equal(await corrected.count(), 2);
    await page.getByRole('button', { name: 'Mark as submitted' }).click();
    await page.getByRole('button', { name: 'Take back “submitted”' }).click();
    await page.getByText(/has changed since version 2/).waitFor();
    assert.deepEqual(await faultsOf(page, 'versions with causes'), []);
    await platform.db.transaction((tx) => recordSent(tx, [nominationUuid(third)], platform.clock.now()));
    await open(page, `/nominations?day=${DAY}`);
    await page.getByText('sent by the operator').waitFor();
    assert.deepEqual(await faultsOf(page, 'day with a sent and changed nomination'), []);
    await open(page, `/nominations/${first.id}`);
    await page
      .getByText(/newer version|outdated|Version 3/i)
      .first()
      .waitFor();
    assert.equal(await steps.count(), 0, 'a superseded version has no steps');
  });
});

test('a check without differences is a step of the own side', async () => {
  const { ask, visitor } = await changedDeal();
  const csv = (await ask(`/v1/nominations/schedule?delivery_date=${DAY}`)).text;
  await visit(visitor, async (page) => {
    await open(page, '/check');
    await page.getByText(/The file is not stored\. .* notes that you checked them\./).waitFor();
    const file = { name: 'schedule.csv', mimeType: '', buffer: Buffer.from(csv) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText(/All 96 quarter-hours are equal/).waitFor();
    await eventually(async () => {
      const [schedule] = (await ask(`/v1/schedules?delivery_date=${DAY}`)).body.schedules;
      assert.equal(schedule.checked?.version, 2);
    });
  });
});

test('a submitted message is a step of the own side, which a colleague sees and a viewer cannot set', async () => {
  const { ask, second, seller, visitor } = await changedDeal();
  const position = `eic=${second.eic}&tso=${second.tso}`;
  const xml = (
    await ask(`/v1/nominations/schedule?delivery_date=${DAY}&${position}&format=ess&message_version=2`)
  ).text;
  const check = async (page: Page) => {
    await open(page, '/check');
    const file = { name: 'schedule.xml', mimeType: '', buffer: Buffer.from(xml) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText(/All 96 quarter-hours are equal/).waitFor();
  };
  const button = (page: Page) => page.getByRole('button', { name: 'Mark as submitted' });
  const asViewer = await user({ type: 'brp', brpNo: seller.no }, 'viewer');
  await visit(asViewer, async (page) => {
    await check(page);
    assert.equal(await button(page).count(), 0);
  });
  await visit(visitor, async (page) => {
    await check(page);
    await button(page).click();
    await page.getByText('Version 2 is marked as submitted, with 1 nomination.').waitFor();
  });
  const [{ submitted }] = (await ask(`/v1/schedules?delivery_date=${DAY}`)).body.schedules;
  assert.ok(submitted.actor_name);
  await visit(asViewer, async (page) => {
    await open(page, `/nominations/${second.id}`);
    const step = page.getByRole('list', { name: 'Your own side' }).getByRole('listitem').nth(2);
    await step.getByText('submitted').waitFor();
    await step.getByText(submitted.actor_name).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Take back “submitted”' }).count(), 0);
  });
});
