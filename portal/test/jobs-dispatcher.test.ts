import assert from 'node:assert/strict';
import { REASONS } from '@saldo/core/messages/reasons.ts';
import { recordSent } from '../../server/src/nominations/actions.ts';
import { operating } from '../../server/test/exchanging.ts';
import { client } from '../../server/test/harness.ts';
import { listNominated, type Nominated, nominationUuid } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { appendEvent, startReceiver, webhookWorkerOf } from '../../server/test/webhook-receiver.ts';
import { monthRange } from '../src/ui/delivery-period.ts';
import { type Hand, jobsOf, type Texts } from './jobs.ts';
import { cellsOf, openStage } from './stage.ts';

/** Clicks and typed fields today. */
const COSTS = {
  'see what is due': [0, 0],
  'see what changed and why, and load it': [1, 0],
  'check a whole schedule': [1, 0],
  'download the schedule of tomorrow': [2, 0],
  'go from a mismatch to its quarter-hour and reason': [1, 0],
  'move a customer, with a preview': [6, 0],
  'rotate an API key': [4, 0],
  'create a webhook and see its deliveries': [4, 1],
  'open the day on which the clock changes': [2, 0],
  'export a month': [3, 2],
} as const;

/** 10:00 in Germany: the day-ahead gate of tomorrow is at 14:30. */
const stage = await openStage('2026-10-20T08:00:00Z', { WEBHOOK_ALLOW_PRIVATE: 'on' });
const { platform, world, user } = stage;
const TOMORROW = '2026-10-21';
const LONG_DAY = '2026-10-25';
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, answer } = operating(platform, operator);
const deliverWebhooks = webhookWorkerOf(platform).deliver;
const job = jobsOf(stage, 'Dispatcher', COSTS);

/** A contract between two new BRPs with volumes of a day. The seller is the user. */
async function newDeal(day: string, externalId: string) {
  const parties = await world.pair();
  const { seller, producer, consumer } = parties;
  const contract = await world.contract(producer, consumer, { externalId });
  const ask = client(platform.baseUrl, seller.key);
  const nominate = async (kwh: number): Promise<Nominated> => {
    await world.volumes(contract, day, kwh);
    await world.nominate();
    const versions = await listNominated(ask, `&delivery_date=${day}`);
    return versions.find(({ status }) => status !== 'superseded')!;
  };
  const nomination = await nominate(250);
  const visitor = await user({ type: 'brp', brpNo: seller.no });
  const schedule = async () => (await ask(`/v1/schedules?delivery_date=${day}`)).body.schedules[0];
  return { ...parties, contract, ask, nominate, nomination, schedule, visitor };
}

/** Without the items of lists inside a task. */
const taskOf = ({ page }: Hand, { t }: Texts, kind: string) =>
  page.getByRole('list', { name: t.brp.home.attention }).locator(':scope > li').filter({ hasText: kind });

job('see what is due', async (texts, perform) => {
  const { t, format, language } = texts;
  const { nomination, visitor, sellerGroup, ask } = await newDeal(TOMORROW, `PPA-DUE-${language}`);
  await perform(visitor, async (hand) => {
    const task = taskOf(hand, texts, t.attention.kinds.unsent);
    await task.getByRole('link', { name: sellerGroup.eic }).waitFor();
    await task.getByText(format.day(TOMORROW)).first().waitFor();
    await task.getByText(new RegExp(`${t.attention.deadline}.*14:30`)).waitFor();
  });
  const { body } = await ask(`/v1/nominations/${nomination.id}`);
  assert.deepEqual([body.sent_at, body.gate_closure], [null, '2026-10-20T12:30:00Z']);
});

job('see what changed and why, and load it', async (texts, perform) => {
  const { own, language } = texts;
  const externalId = `PPA-CHANGED-${language}`;
  const deal = await newDeal(TOMORROW, externalId);
  const sent = nominationUuid(deal.nomination);
  await platform.db.transaction((tx) => recordSent(tx, [sent], platform.clock.now()));
  const changed = await deal.nominate(1250);
  await perform(deal.visitor, async (hand) => {
    const task = taskOf(hand, texts, own.changed);
    await task.getByText(own.versions(1, 2)).waitFor();
    const cause = task.getByRole('list', { name: own.causes }).getByRole('listitem');
    await cause.getByText(own.kinds.corrected).waitFor();
    await cause.getByText(own.difference(texts.format.mwhSigned(96_000))).waitFor();
    await cause.getByRole('link', { name: externalId }).waitFor();
    const file = await hand.download(task.getByRole('button', { name: own.load }));
    const { text } = await deal.ask(`/v1/nominations/${changed.id}/schedule?format=csv`);
    assert.equal(file.bytes.toString(), texts.csv(text));
    await task.waitFor({ state: 'detached' });
  });
  const { loaded, changed_since } = await deal.schedule();
  assert.deepEqual([loaded.nomination_id, changed_since], [changed.id, null]);
});

job('check a whole schedule', async ({ schedule, language }, perform) => {
  const deal = await newDeal(TOMORROW, `PPA-CHECK-${language}`);
  const csv = (await deal.ask(`/v1/nominations/schedule?delivery_date=${TOMORROW}`)).text;
  await perform(deal.visitor, async (hand) => {
    await hand.dropFile('schedule.csv', csv);
    await hand.page.getByText(schedule.check.allEqual(96)).waitFor();
  });
  await eventually(async () => assert.equal((await deal.schedule()).checked?.version, 1));
});

job('download the schedule of tomorrow', async ({ t, format, csv, language }, perform) => {
  const deal = await newDeal(TOMORROW, `PPA-LOAD-${language}`);
  await perform(deal.visitor, async (hand) => {
    const panel = hand.page.getByRole('region', { name: `${t.common.tomorrow} · ${format.day(TOMORROW)}` });
    await hand.click(panel.getByRole('link', { name: t.brp.nominations.title, exact: true }));
    const file = await hand.download(hand.page.getByRole('button', { name: t.brp.nominations.scheduleCsv }));
    assert.equal(file.name, `${t.brp.nominations.scheduleFile}_${TOMORROW}_v1.csv`);
    const { text } = await deal.ask(`/v1/nominations/schedule?delivery_date=${TOMORROW}`);
    assert.equal(file.bytes.toString(), csv(text));
  });
  await eventually(async () => assert.equal((await deal.schedule()).loaded?.version, 1));
});

job('go from a mismatch to its quarter-hour and reason', async (texts, perform) => {
  const { t, schedule, language } = texts;
  // Days of their own, because the operator sends the nominations of all BRPs.
  const day = { de: '2026-10-22', en: '2026-10-23' }[language];
  const { buyer, buyerGroup } = await newDeal(day, `PPA-MISMATCH-${language}`);
  await send({ delivery_date: day });
  await answer({ deviations: [{ eic: buyerGroup.eic, tso: null, day, slots: [61], differenceKw: -36 }] });
  const visitor = await user({ type: 'brp', brpNo: buyer.no });
  await perform(visitor, async (hand) => {
    const task = taskOf(hand, texts, t.attention.kinds.mismatch);
    await hand.click(task.getByRole('link', { name: buyerGroup.eic }));
    await hand.page.getByRole('region', { name: t.common.slotOf(61, '15:00–15:15') }).waitFor();
    await hand.page.getByRole('table', { name: schedule.reconciliation.slots }).waitFor();
    const [row = [], ...others] = await cellsOf(hand.page, schedule.reconciliation.slots);
    assert.deepEqual(others, []);
    assert.ok(row.at(-1)?.includes(REASONS['reason.A44'][language]), row.join(' | '));
  });
  const ask = client(platform.baseUrl, buyer.key);
  const [nomination] = await listNominated(ask, `&delivery_date=${day}`);
  const { body } = await ask(`/v1/nominations/${nomination?.id}/reconciliation`);
  const differing = body.slots.filter(({ difference }: { difference: number | null }) => difference);
  assert.deepEqual(
    differing.map(({ slot_number, reasons }: { slot_number: number; reasons: { code: string }[] }) => [
      slot_number,
      reasons.map(({ code }) => code),
    ]),
    [[61, ['A44']]],
  );
});

job('move a customer, with a preview', async ({ t, customers, format, language }, perform) => {
  const { seller, producer, ask, visitor } = await newDeal(TOMORROW, `PPA-MOVE-${language}`);
  const { eic } = await world.group(seller, ['DE_TENNET']);
  const { name } = (await ask(`/v1/customers/${producer.id}`)).body;
  await perform(visitor, async ({ page, menu, click, choose }) => {
    await menu(t.brp.nav.customers);
    await click(page.getByRole('link', { name, exact: true }));
    const panel = page.getByRole('region', { name: t.common.balanceGroup, exact: true });
    await choose(panel.getByLabel(t.common.balanceGroup), eic);
    await choose(panel.getByLabel(t.common.controlArea), 'DE_TENNET');
    await click(panel.getByRole('button', { name: customers.preview }));
    const dialog = page.getByRole('dialog', { name: customers.moveTitle(name) });
    await dialog.getByText(format.dayLong(TOMORROW)).waitFor();
    await dialog.getByText(customers.effect.counts(1, '96')).waitFor();
    await click(dialog.getByRole('button', { name: customers.move, exact: true }));
    await page.getByText(customers.saved).waitFor();
    await page.getByRole('row').filter({ hasText: eic }).getByText(customers.placements.coming).waitFor();
  });
  assert.deepEqual((await ask(`/v1/customers/${producer.id}`)).body.balance_group, { eic, tso: 'DE_TENNET' });
  const { placements } = (await ask(`/v1/customers/${producer.id}/placements`)).body;
  assert.deepEqual([placements[0].first_day, placements[0].balance_group.eic], [TOMORROW, eic]);
});

job('rotate an API key', async ({ t, keys }, perform) => {
  const brp = await world.brp();
  let secret = '';
  await perform(await user({ type: 'brp', brpNo: brp.no }), async ({ page, menu, click }) => {
    await menu(t.brp.nav.keys);
    await click(page.getByRole('button', { name: `${keys.rotate}: test`, exact: true }));
    await click(page.getByRole('dialog').getByRole('button', { name: keys.rotate, exact: true }));
    const shown = page.getByRole('dialog', { name: keys.secretTitle });
    secret = await shown.getByText(/^saldo_brp_/).innerText();
    await click(shown.getByRole('button', { name: keys.secretDone }));
    const ofOldKey = page.getByRole('table', { name: keys.title }).getByText(keys.replacedUntil);
    await ofOldKey.filter({ visible: true }).waitFor();
  });
  assert.notEqual(secret, brp.key);
  for (const key of [secret, brp.key])
    assert.equal((await client(platform.baseUrl, key)('/v1/customers')).status, 200);
});

job('create a webhook and see its deliveries', async ({ t, webhooks }, perform) => {
  const brp = await world.brp();
  const owner = { type: 'brp', brpNo: brp.no } as const;
  const { url, received } = await startReceiver();
  await perform(await user(owner), async ({ page, menu, click, type }) => {
    await menu(t.webhooks.title);
    await click(page.getByRole('button', { name: webhooks.create }));
    const dialog = page.getByRole('dialog', { name: webhooks.createTitle });
    await type(dialog.getByLabel(webhooks.url), url);
    await click(dialog.getByRole('button', { name: webhooks.create }));
    const shown = page.getByRole('dialog', { name: webhooks.secretTitle });
    await shown.getByText(/^whsec_/).waitFor();
    await click(shown.getByRole('button', { name: webhooks.secretDone }));
    await appendEvent(platform, owner);
    await deliverWebhooks();
    // An open page reads its deliveries again at every event: at this one, the first is delivered.
    await appendEvent(platform, owner);
    const deliveries = page.getByRole('table', { name: webhooks.deliveries });
    const row = deliveries.getByRole('row').filter({ hasText: 'customer.updated' });
    await row.getByText(webhooks.states.succeeded).waitFor();
  });
  assert.equal(JSON.parse(received[0]?.body ?? '{}').type, 'customer.updated');
  const ask = client(platform.baseUrl, brp.key);
  const [endpoint] = (await ask('/v1/webhook-endpoints')).body.webhook_endpoints;
  assert.equal(endpoint.url, url);
  const { deliveries } = (await ask(`/v1/webhook-endpoints/${endpoint.id}/deliveries`)).body;
  assert.deepEqual(
    deliveries.map(({ state }: { state: string }) => state),
    ['succeeded'],
  );
});

job('open the day on which the clock changes', async ({ t, format, language }, perform) => {
  const deal = await newDeal(LONG_DAY, `PPA-CLOCK-${language}`);
  await perform(deal.visitor, async ({ page, menu, click }) => {
    await menu(t.brp.nav.month);
    await click(page.getByRole('link', { name: format.day(LONG_DAY), exact: true }));
    await page.getByText(t.common.clockBack).waitFor();
    await eventually(async () => {
      const [row = []] = await cellsOf(page, t.brp.nominations.title);
      assert.ok(row.includes(format.mwh(25_000)), row.join(' | '));
    });
  });
  assert.equal(deal.nomination.slots.length, 100);
});

job('export a month', async ({ t, exports, csv, format, language }, perform) => {
  const deal = await newDeal(TOMORROW, `PPA-EXPORT-${language}`);
  await perform(deal.visitor, async ({ page, menu, click, type, download }) => {
    await menu(t.brp.nav.nominations);
    await click(page.getByRole('button', { name: exports.button }));
    const dialog = page.getByRole('dialog', { name: exports.title });
    await type(dialog.getByLabel(exports.first), format.dayNumeric('2026-10-01'));
    await type(dialog.getByLabel(exports.last), format.dayNumeric('2026-10-31'));
    const file = await download(dialog.getByRole('button', { name: exports.start }));
    const query = new URLSearchParams({ ...monthRange('2026-10'), format: 'csv' });
    const { text } = await deal.ask(`/v1/exports/nominations?${query}`);
    assert.equal(text.split('\n').length, 1 + 96 + 1);
    assert.equal(file.bytes.toString(), csv(text));
  });
});
