import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { formatOf } from '../src/i18n/format.ts';
import { cellsOf, holdLiveRefresh, open, openStage } from './stage.ts';

/** An hour before the day-ahead gate of the next day, in Germany. */
const BEFORE_GATE = '2026-10-20T11:30:00Z';
const AFTER_GATE = '2026-10-20T12:30:00Z';
const [TODAY, FIRST, SECOND] = ['2026-10-20', '2026-10-21', '2026-10-22'] as const;
const [english, german] = [formatOf('en'), formatOf('de')];

const { platform, world, user, visit } = await openStage(BEFORE_GATE);
const asOperator = client(platform.baseUrl, await world.operatorKey());

/** A producer in one of two balance groups of its BRP, with volumes of the next two delivery days. */
async function producerWithVolumes(name: string) {
  platform.clock.set(BEFORE_GATE);
  const { seller, sellerGroup, buyer, buyerGroup, consumer } = await world.pair();
  const second = await world.group(seller, ['DE_AMPRION']);
  const producer = await world.customer(seller, { name, group: sellerGroup });
  const contract = await world.contract(producer, consumer);
  for (const day of [FIRST, SECOND]) await world.volumes(contract, day, 250);
  await world.nominate();
  const api = client(platform.baseUrl, seller.key);
  return {
    id: producer.id,
    seller,
    buyer,
    first: sellerGroup.eic,
    second: second.eic,
    buyerEic: buyerGroup.eic,
    api,
    visitor: await user({ type: 'brp', brpNo: seller.no }),
    stored: async () => (await api(`/v1/customers/${producer.id}`)).body,
    placements: async () => (await api(`/v1/customers/${producer.id}/placements`)).body.placements,
  };
}

const isChange = (request: { method(): string }) => request.method() === 'PATCH';

async function choosePlace(page: Page, eic: string, tso: string): Promise<void> {
  const panel = page.getByRole('region', { name: 'Balance group', exact: true });
  await panel.getByLabel('Balance group').selectOption(eic);
  await panel.getByLabel('Control area').selectOption(tso);
  await panel.getByRole('button', { name: 'Preview…' }).click();
}

test('a move is sent only after its first delivery day, counts and nominations were confirmed', async () => {
  const { id, first, second, buyerEic, visitor, stored } = await producerWithVolumes('Windpark Deich');
  await visit(visitor, async (page) => {
    await open(page, `/customers/${id}`);
    let changes = 0;
    page.on('request', (request) => {
      if (isChange(request)) changes++;
    });
    await choosePlace(page, second, 'DE_AMPRION');
    const dialog = page.getByRole('dialog', { name: 'Move Windpark Deich?' });
    await dialog.getByText(english.dayLong(FIRST)).waitFor();
    await dialog.getByText('1 contract, 192 transactions').waitFor();
    await dialog.getByText('4 nominations get a new version:').waitFor();
    const nominations = await cellsOf(page, 'Nominations with a new version');
    assert.deepEqual(
      nominations.map(([day, eic]) => `${day} ${eic}`).toSorted(),
      [FIRST, SECOND]
        .flatMap((day) => [first, second].map((eic) => `${english.dayShort(day)} ${eic}`))
        .toSorted(),
    );
    assert.deepEqual(
      (await cellsOf(page, 'Energy before and after'))
        .map(([eic, , , before, after]) => `${eic} ${before} ${after}`)
        .toSorted(),
      [`${first} 48.000 0.000`, `${second} 0.000 48.000`].toSorted(),
    );
    assert.ok(!nominations.flat().includes(buyerEic), 'the other side does not change');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(changes, 0);
    assert.equal((await stored()).balance_group.eic, first);

    await page.getByRole('region', { name: 'Balance group', exact: true }).getByRole('button').click();
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('row', { name: new RegExp(`${english.day(FIRST)} – ${second}`) }).waitFor();
    await eventually(async () =>
      assert.deepEqual(
        (await cellsOf(page, 'Balance groups by delivery day')).map(([from, to, place = '']) => [
          from,
          to,
          place.split(/\s+/),
        ]),
        [
          [english.day(FIRST), '–', [second, 'Amprion', 'upcoming']],
          ['from the beginning', english.day(TODAY), [first, 'Amprion', 'current']],
        ],
      ),
    );
    assert.equal(changes, 1);
  });
  assert.deepEqual((await stored()).balance_group, { eic: second, tso: 'DE_AMPRION' });
});

test('when the gate closes before the confirmation, the new first day is shown and confirmed again', async () => {
  const { id, second, visitor, stored, first, placements } = await producerWithVolumes('Windpark Düne');
  await visit(visitor, async (page) => {
    await open(page, `/customers/${id}`);
    await choosePlace(page, second, 'DE_AMPRION');
    const dialog = page.getByRole('dialog', { name: 'Move Windpark Düne?' });
    await dialog.getByText(english.dayLong(FIRST)).waitFor();
    platform.clock.set(AFTER_GATE);
    await dialog.getByRole('button', { name: 'Move' }).click();
    await dialog.getByText(/A gate has closed meanwhile, and nothing has been sent/).waitFor();
    await dialog.getByText(english.dayLong(SECOND)).waitFor();
    await dialog.getByText('1 contract, 96 transactions').waitFor();
    assert.equal((await stored()).balance_group.eic, first);
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByText('Saved.').waitFor();
  });
  assert.equal((await placements())[0].first_day, SECOND);
});

test('problems of a preview are those of the change, and nothing is sent', async () => {
  const { id, second, visitor, stored, api, first } = await producerWithVolumes('Windpark Watt');
  await visit(visitor, async (page) => {
    await holdLiveRefresh(page);
    await open(page, `/customers/${id}`);
    const panel = page.getByRole('region', { name: 'Balance group', exact: true });
    await choosePlace(page, second, 'DE_50HERTZ');
    await panel.getByText(/^DE_50HERTZ is not enabled for balance group/).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(async () =>
      assert.equal(await panel.getByLabel('Control area').getAttribute('aria-invalid'), 'true'),
    );

    await page.getByRole('button', { name: 'Deactivate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deactivate Windpark Watt?' });
    await dialog.getByText(english.dayLong(FIRST)).waitFor();
    const meanwhile = { method: 'PATCH', body: { metadata: { site: 'Moor' } } };
    assert.equal((await api(`/v1/customers/${id}`, meanwhile)).status, 200);
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await dialog.getByText('metadata · site: – → Moor').waitFor();
    await dialog.getByText('Nothing has been saved.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Deactivate' }).count(), 0);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
  });
  const { status, balance_group } = await stored();
  assert.deepEqual([status, balance_group.eic], ['active', first]);
});

test('a deactivation shows the nominations that change, and its reversal too', async () => {
  const { id, visitor, stored, buyerEic, first } = await producerWithVolumes('Windpark Priel');
  await visit(visitor, async (page) => {
    await open(page, `/customers/${id}`);
    await page.getByRole('button', { name: 'Deactivate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deactivate Windpark Priel?' });
    await dialog.getByText('4 nominations get a new version:').waitFor();
    const eics = new Set((await cellsOf(page, 'Nominations with a new version')).map(([, eic]) => eic));
    assert.deepEqual([...eics].toSorted(), [first, buyerEic].toSorted());
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('Windpark Priel is deactivated.').waitFor();
    assert.equal((await stored()).status, 'deactivated');
    await world.nominate();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    const reversal = page.getByRole('dialog', { name: 'Activate Windpark Priel?' });
    await reversal.getByText('1 contract, 192 transactions').waitFor();
    await reversal.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('Windpark Priel is active.').waitFor();
  });
  assert.equal((await stored()).status, 'active');
});

test('the dialogs and the placements are in German too', async () => {
  const { id, second, visitor, placements } = await producerWithVolumes('Windpark Hallig');
  await visit(
    visitor,
    async (page) => {
      await open(page, `/customers/${id}`);
      const panel = page.getByRole('region', { name: 'Bilanzkreis', exact: true });
      await panel.getByLabel('Bilanzkreis').selectOption(second);
      await panel.getByLabel('Regelzone').selectOption('DE_AMPRION');
      await panel.getByRole('button', { name: 'Vorschau…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Bilanzkreis von Windpark Hallig wechseln?' });
      await dialog.getByText(german.dayLong(FIRST)).waitFor();
      await dialog.getByText('1 Vertrag, 192 Transaktionen').waitFor();
      await dialog.getByText('4 Nominierungen erhalten eine neue Version:').waitFor();
      platform.clock.set(AFTER_GATE);
      await dialog.getByRole('button', { name: 'Wechseln' }).click();
      await dialog.getByText(/Inzwischen ist eine Frist abgelaufen, und nichts wurde gesendet/).waitFor();
      await dialog.getByText(german.dayLong(SECOND)).waitFor();
      await dialog.getByRole('button', { name: 'Wechseln' }).click();
      await page.getByText('Gespeichert.').waitFor();
      await page.getByRole('row', { name: new RegExp(`22\\.10\\.2026 – ${second}.*künftig`) }).waitFor();
      await page.getByText('von Anfang an').waitFor();
    },
    { locale: 'de-DE' },
  );
  assert.equal((await placements()).length, 2);
});

test('without volumes nothing changes for nominations, which the dialog says', async () => {
  platform.clock.set(BEFORE_GATE);
  const brp = await world.brp();
  const { id } = await world.customer(brp, { name: 'Waldhof' });
  const visitor = await user({ type: 'brp', brpNo: brp.no });
  await visit(visitor, async (page) => {
    await open(page, `/customers/${id}`);
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate Waldhof?' });
    await dialog.getByText('0 contracts, 0 transactions').waitFor();
    await dialog.getByText('Nothing changes for nominations.').waitFor();
  });
  await visit(
    visitor,
    async (page) => {
      await open(page, `/customers/${id}`);
      await page.getByRole('button', { name: 'Aktivieren', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Waldhof aktivieren?' });
      await dialog.getByText('Für Nominierungen ändert sich nichts.').waitFor();
    },
    { locale: 'de-DE' },
  );
});

test('the operator moves a customer to another BRP, with a balance group for contracts that deliver', async () => {
  const { id, buyer, buyerEic, first } = await producerWithVolumes('Windpark Sand');
  const operator = await user({ type: 'operator' });
  await visit(operator, async (page) => {
    await open(page, `/operator/customers/${id}`);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Change: Windpark Sand' });
    await form.getByLabel('BRP', { exact: true }).selectOption(buyer.id);
    await form.getByRole('button', { name: 'Preview…' }).click();
    await form.getByText(/needed, because the customer has contracts that deliver/).waitFor();
    await form.getByLabel('Balance group').selectOption(buyerEic);
    await form.getByRole('button', { name: 'Preview…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move Windpark Sand?' });
    await dialog.getByText(english.dayLong(FIRST)).waitFor();
    await dialog.getByText('1 contract, 192 transactions').waitFor();
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByText('Windpark Sand is saved.').waitFor();
    await page.getByRole('row', { name: new RegExp(`${first}.*current`) }).waitFor();
  });
  const { body } = await asOperator(`/operator/v1/customers/${id}`);
  assert.deepEqual([body.brp_id, body.balance_group.eic], [buyer.id, buyerEic]);
});

test('the operator creates an active customer', async () => {
  const brp = await world.brp('Nordlicht');
  await visit(await user({ type: 'operator' }), async (page) => {
    await open(page, '/operator/customers');
    await page.getByRole('button', { name: 'New customer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('BRP', { exact: true }).selectOption(brp.id);
    await dialog.getByLabel('Name').fill('Windpark Geest');
    await dialog.getByRole('checkbox', { name: /Active from the start/ }).check();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: /Windpark Geest/ }).waitFor();
  });
  const { body } = await asOperator(`/operator/v1/customers?brp_id=${brp.id}`);
  assert.deepEqual(
    body.customers.map(({ name, status }: Record<string, string>) => [name, status]),
    [['Windpark Geest', 'active']],
  );
});
