import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { signedIn } from '../../server/test/browser.ts';
import { eventually } from '../../server/test/until.ts';
import { drawn, follow, hold, holdLiveRefresh, open, openStage } from './stage.ts';

const { platform, world, user, visit } = await openStage();
const brp = await world.brp('Nordwind');
const seller = await world.customer(brp, { group: await world.group(brp) });
const buyer = await world.customer(brp, { group: await world.group(brp) });
const asOperator = await user({ type: 'operator' });
const { browser: colleague } = await signedIn(platform, { type: 'operator' });
const colleagueName: string = (await colleague.request('/portal/v1/session')).body.user.name;
const patch = async (path: string, body: object) =>
  assert.equal((await colleague.request(`/operator/v1/${path}`, { method: 'PATCH', body })).status, 200);

const TEXTS = {
  'en-GB': {
    save: 'Save',
    close: 'Close',
    edit: 'Change',
    name: 'Name',
    changedBy: `${colleagueName} has changed this,`,
    withdrawnBy: `${colleagueName} has withdrawn this,`,
    unsaved: /^Nothing was saved, because another user has changed this/,
    nothingSaved: 'Nothing has been saved.',
    contract: {
      open: 'Set end',
      day: 'Last day of delivery',
      mine: '30/09/2027',
      change: 'Last day of delivery: Fri, 31/12/2027 → Thu, 30/12/2027',
      discard: 'Discard my input',
    },
    plant: { change: 'Nominal power in MW: 12.5 → 48.25', rights: 'Rights: Administrator → Viewer' },
    offer: {
      info: 'Description',
      change: 'Price ladder: 10 years 61.00 → 10 years 59.50',
      withdraw: 'Withdraw',
      gone: 'Offer: on offer → not on offer',
    },
    demand: {
      years: 'Contract period in years',
      change: 'Region: – → Hessen',
      saved: 'The demand is saved.',
    },
    saved: (name: string) => `${name} is saved.`,
  },
  'de-DE': {
    save: 'Speichern',
    close: 'Schließen',
    edit: 'Ändern',
    name: 'Name',
    changedBy: `${colleagueName} hat dies geändert,`,
    withdrawnBy: `${colleagueName} hat dies zurückgezogen,`,
    unsaved: /^Nichts wurde gespeichert, weil jemand dies inzwischen geändert hat/,
    nothingSaved: 'Nichts wurde gespeichert.',
    contract: {
      open: 'Ende setzen',
      day: 'Letzter Liefertag',
      mine: '30.09.2027',
      change: 'Letzter Liefertag: Fr., 31.12.2027 → Do., 30.12.2027',
      discard: 'Meine Eingaben verwerfen',
    },
    plant: { change: 'Nennleistung in MW: 12,5 → 48,25', rights: 'Rechte: Administrator → Leser' },
    offer: {
      info: 'Beschreibung',
      change: 'Preisstaffel: 10 Jahre 61,00 → 10 Jahre 59,50',
      withdraw: 'Zurückziehen',
      gone: 'Angebot: im Angebot → nicht im Angebot',
    },
    demand: {
      years: 'Vertragsdauer in Jahren',
      change: 'Region: – → Hessen',
      saved: 'Das Gesuch ist gespeichert.',
    },
    saved: (name: string) => `${name} ist gespeichert.`,
  },
} as const;

const create = async (path: string, body: object): Promise<string> => {
  const made = await colleague.request(`/operator/v1/${path}`, { method: 'POST', body });
  assert.equal(made.status, 201);
  return made.body.id;
};
const remove = async (path: string) =>
  assert.equal((await colleague.request(`/operator/v1/${path}`, { method: 'DELETE' })).status, 204);
const PLANT = { technology: 'solar', nominal_power: 12.5, tso: 'DE_TENNET' };
const OFFER = {
  ppa_type: 'PAY_AS_PRODUCED',
  delivery_start: '2027-12-31T23:00:00Z',
  country: 'DE',
  pricing: [{ years: 10, price: 61 }],
};
const DEMAND = { contract_period: 5, delivery_volume: 9000, country: 'DE' };

type Texts = (typeof TEXTS)['en-GB' | 'de-DE'];

/** Saves, is shown the colleague's change with the input kept, and saves again. */
async function saveTwice(form: Locator, texts: Texts, change: string): Promise<void> {
  const save = form.getByRole('button', { name: texts.save, exact: true });
  await save.click();
  await form.getByText(texts.changedBy).waitFor();
  await form.getByText(change, { exact: true }).waitFor();
  await form.getByText(texts.unsaved).waitFor();
  await save.click();
}

/** Waits until the record has these values. */
const stores = (path: string, values: object) =>
  eventually(async () => {
    const { body } = await colleague.request(`/operator/v1/${path}`);
    assert.deepEqual(
      Object.keys(values).map((name) => body[name]),
      Object.values(values),
    );
  });

for (const [locale, width, country] of [
  ['en-GB', 1440, 'AT'],
  ['en-GB', 390, 'CH'],
  ['de-DE', 1440, 'DK'],
  ['de-DE', 390, 'NL'],
] as const) {
  const texts: Texts = TEXTS[locale];
  const where = `(${locale}, ${width} px)`;
  const tag = `${locale.slice(0, 2)}${width}`;
  const stage = (act: (page: Page) => Promise<void>) =>
    visit(
      asOperator,
      async (page) => {
        await holdLiveRefresh(page);
        await act(page);
      },
      { locale, width },
    );

  test(`a contract that a colleague ended meanwhile shows so, and the input can be discarded ${where}`, () =>
    stage(async (page) => {
      const { id } = await world.contract(seller, buyer, {
        externalId: `PPA-${tag}`,
        last: '2027-12-31',
      });
      await open(page, `/operator/contracts/${id}`);
      await page.getByRole('button', { name: texts.contract.open }).click();
      const dialog = page.getByRole('dialog');
      const day = dialog.getByLabel(texts.contract.day);
      await day.fill(texts.contract.mine);
      await patch(`contracts/${id}`, { delivery_end: '2027-12-30T23:00:00Z' });
      await dialog.getByRole('button', { name: texts.contract.open }).click();
      await dialog.getByText(texts.changedBy).waitFor();
      await dialog.getByText(texts.contract.change, { exact: true }).waitFor();
      await stores(`contracts/${id}`, { delivery_end: '2027-12-30T23:00:00Z' });
      await dialog.getByRole('button', { name: texts.contract.discard }).click();
      await dialog.getByText(texts.changedBy).waitFor({ state: 'detached' });
      await day.fill(texts.contract.mine);
      await dialog.getByRole('button', { name: texts.contract.open }).click();
      await page.getByText(texts.saved(`PPA-${tag}`)).waitFor();
      await stores(`contracts/${id}`, { delivery_end: '2027-09-30T22:00:00Z' });
    }));

  test(`a plant and a user keep the fields of a colleague that the user did not change ${where}`, () =>
    stage(async (page) => {
      const id = await create('assets', { name: 'Heide', ...PLANT });
      await open(page, `/operator/assets/${id}`);
      await page.getByRole('button', { name: texts.edit, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(texts.name, { exact: true }).fill('Moor');
      await patch(`assets/${id}`, { nominal_power: 48.25 });
      await saveTwice(dialog, texts, texts.plant.change);
      await page.getByText(texts.saved('Moor')).waitFor();
      await stores(`assets/${id}`, { name: 'Moor', nominal_power: 48.25 });

      const email = `${tag}@nord.example`;
      const userId = await create('users', { email, name: tag, role: 'operator', permissions: 'admin' });
      await follow(page, `/operator/users?email=${encodeURIComponent(email)}`);
      await page.getByRole('button', { name: `${texts.edit}: ${tag}` }).click();
      await dialog.getByLabel(texts.name, { exact: true }).fill(`Ina ${tag}`);
      await patch(`users/${userId}`, { permissions: 'viewer' });
      await saveTwice(dialog, texts, texts.plant.rights);
      await page.getByText(texts.saved(`Ina ${tag}`)).waitFor();
      await stores(`users/${userId}`, { name: `Ina ${tag}`, permissions: 'viewer' });
    }));

  test(`an offer that a colleague changed is saved with both changes, and is not withdrawn unseen ${where}`, () =>
    stage(async (page) => {
      const id = await create('assets', { name: 'Heide', ...PLANT, offer: OFFER });
      await open(page, `/operator/assets/${id}`);
      const form = page.locator('form');
      await form.getByLabel(texts.offer.info).fill('Am See');
      await patch(`assets/${id}`, {
        offer: { pricing: [{ years: 10, price: 59.5 }] },
      });
      await saveTwice(form, texts, texts.offer.change);
      await page.getByText(texts.saved('Heide')).waitFor();
      await form.getByText(texts.changedBy).waitFor({ state: 'detached' });
      await eventually(async () => {
        const { offer } = (await colleague.request(`/operator/v1/assets/${id}`)).body;
        assert.deepEqual([offer.additional_info, offer.pricing], ['Am See', [{ years: 10, price: 59.5 }]]);
      });

      await page.getByRole('button', { name: texts.offer.withdraw }).click();
      const dialog = page.getByRole('dialog');
      await patch(`assets/${id}`, { offer: null });
      await dialog.getByRole('button', { name: texts.offer.withdraw }).click();
      await dialog.getByText(texts.changedBy).waitFor();
      await dialog.getByText(texts.offer.gone, { exact: true }).waitFor();
      await dialog.getByText(texts.nothingSaved, { exact: true }).waitFor();
      // Closing is all that still makes sense.
      await dialog.getByRole('button', { name: texts.offer.withdraw }).waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: texts.close, exact: true }).last().click();
      await dialog.waitFor({ state: 'detached' });
    }));

  test(`a demand shows the change of a colleague, and that it was withdrawn ${where}`, () =>
    stage(async (page) => {
      const id = await create('demands', { ...DEMAND, country });
      await open(page, `/operator/demands?country=${country}`);
      const edit = page.getByRole('button', { name: new RegExp(`^${texts.edit}: `) });
      await edit.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(texts.demand.years).fill('7');
      await patch(`demands/${id}`, { state: 'Hessen' });
      await saveTwice(dialog, texts, texts.demand.change);
      await page.getByText(texts.demand.saved).waitFor();
      await stores(`demands/${id}`, { contract_period: 7, state: 'Hessen' });

      await page.getByRole('button', { name: new RegExp(`^${texts.offer.withdraw}: `) }).click();
      await dialog.locator('button:enabled', { hasText: texts.offer.withdraw }).waitFor();
      await patch(`demands/${id}`, { state: null });
      await dialog.getByRole('button', { name: texts.offer.withdraw }).click();
      await dialog.getByText(texts.changedBy).waitFor();
      await dialog.getByText('Region: Hessen → –', { exact: true }).waitFor();
      await dialog.getByRole('button', { name: texts.offer.withdraw }).waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: texts.close, exact: true }).last().click();

      // Another demand, which the dialog has not read before: nothing is read again when it is withdrawn.
      await remove(`demands/${id}`);
      const other = await create('demands', { ...DEMAND, country });
      await open(page, `/operator/demands?country=${country}`);
      await edit.click();
      await dialog.getByLabel(texts.demand.years).fill('9');
      await remove(`demands/${other}`);
      await dialog.getByRole('button', { name: texts.save, exact: true }).click();
      await dialog.getByText(texts.withdrawnBy).waitFor();
      await dialog.getByRole('button', { name: texts.save, exact: true }).waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: texts.close, exact: true }).last().click();
      await dialog.waitFor({ state: 'detached' });
    }));
}

test('a change that another one does not concern is saved at once', () =>
  visit(asOperator, async (page) => {
    await holdLiveRefresh(page);
    const id = await create('assets', { name: 'Heide', ...PLANT });
    await open(page, `/operator/assets/${id}`);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Moor');
    await patch(`assets/${id}`, { offer: OFFER });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Moor is saved.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await colleague.request(`/operator/v1/assets/${id}`);
    assert.deepEqual([body.name, body.offer.country], ['Moor', 'DE']);
  }));

test('what is typed into an offer while it is saved stays, and is no conflict', () =>
  visit(asOperator, async (page) => {
    await holdLiveRefresh(page);
    const id = await create('assets', { name: 'Heide', ...PLANT, offer: OFFER });
    await open(page, `/operator/assets/${id}`);
    const form = page.locator('form');
    const info = form.getByLabel('Description');
    const region = form.getByLabel('Region');
    const save = form.getByRole('button', { name: 'Save', exact: true });
    const { asked, release } = await hold(page, (url) => url.pathname.endsWith(`/assets/${id}`), 'PATCH');
    await info.fill('Am See');
    await region.fill('Hessen');
    await save.click();
    await asked;
    await info.fill('');
    const refreshed = page.waitForResponse(
      (response) => response.request().method() === 'GET' && response.url().endsWith(`/assets/${id}`),
    );
    release();
    await page.getByText('Heide is saved.').waitFor();
    await (await refreshed).finished();
    await drawn(page);
    assert.deepEqual([await info.inputValue(), await region.inputValue()], ['', 'Hessen']);
    assert.equal(await form.getByText(/has changed this/).count(), 0);

    await save.click();
    await page.locator('[data-unsaved]').waitFor({ state: 'detached' });
    const { offer } = (await colleague.request(`/operator/v1/assets/${id}`)).body;
    assert.deepEqual([offer.additional_info, offer.state], [null, 'Hessen']);
  }));
