import assert from 'node:assert/strict';
import type { Tso } from '@saldo/api';
import { signedIn } from '../../server/test/browser.ts';
import { client } from '../../server/test/harness.ts';
import { jobsOf } from './jobs.ts';
import { openStage } from './stage.ts';

/** Clicks and typed fields today. */
const COSTS = {
  'find an offer by filters and send an inquiry': [6, 0],
  'compare offers': [4, 0],
  'watch an offer and find it again': [4, 0],
  'create an API key': [4, 1],
} as const;

const stage = await openStage();
const { platform, world } = stage;
const operator = client(platform.baseUrl, await world.operatorKey());
const job = jobsOf(stage, 'Account holder', COSTS);

async function publish(name: string, technology: string, price: number): Promise<string> {
  const tso: Tso = 'DE_50HERTZ';
  const offer = {
    ppa_type: 'PAY_AS_PRODUCED',
    delivery_start: '2027-01-01T00:00:00Z',
    country: 'DE',
    pricing: [{ years: 5, price }],
  };
  const body = { name, technology, nominal_power: 50, tso, offer };
  const { status, text, body: made } = await operator.post('/operator/v1/assets', body);
  assert.equal(status, 201, text);
  return made.id;
}
const UCKERMARK = { name: 'Windpark Uckermark', id: await publish('Windpark Uckermark', 'wind_onshore', 58) };
const LAUSITZ = { name: 'Solarpark Lausitz', id: await publish('Solarpark Lausitz', 'solar', 44.2) };
await publish('Nordsee West', 'wind_offshore', 78);

/** A user of a new account: the cookies for the browser, and a client for the API. */
async function newUser() {
  const owner = { type: 'account', accountNo: (await world.account()).no } as const;
  const { browser } = await signedIn(platform, owner);
  return { visitor: { cookie: browser.cookie }, request: browser.request };
}

job('find an offer by filters and send an inquiry', async ({ t, market, inquiries, format }, perform) => {
  const { visitor, request } = await newUser();
  await perform(visitor, async ({ page, menu, click, choose }) => {
    await menu(t.market.nav.offers);
    await choose(page.getByRole('combobox', { name: market.assetType, exact: true }), 'WIND');
    await choose(page.getByRole('combobox', { name: market.price, exact: true }), '60');
    const offers = page.getByRole('article');
    await offers.filter({ hasText: 'Nordsee West' }).waitFor({ state: 'detached' });
    assert.equal(await offers.count(), 1);
    await click(offers.getByRole('link', { name: UCKERMARK.name }));
    await click(page.getByRole('button', { name: inquiries.ask }));
    const dialog = page.getByRole('dialog');
    const message = await dialog.getByRole('textbox', { name: market.contact.messageLabel }).inputValue();
    assert.ok(message.includes(market.contact.term(market.years(5), format.price(58))), message);
    await click(dialog.getByRole('button', { name: inquiries.send, exact: true }));
    await page.getByText(inquiries.sent).waitFor();
  });
  const [{ asset_id, status }] = (await request('/portal/v1/inquiries')).body.inquiries;
  assert.deepEqual([asset_id, status], [UCKERMARK.id, 'open']);
});

job('compare offers', async ({ t, inquiries, format }, perform) => {
  const { visitor } = await newUser();
  const account = client(platform.customerUrl, await world.accountKey());
  const { assets } = (await account('/v1/assets')).body;
  await perform(visitor, async ({ page, menu, click }) => {
    await menu(t.market.nav.offers);
    for (const { name } of [UCKERMARK, LAUSITZ]) {
      const offer = page.getByRole('article').filter({ hasText: name });
      await click(offer.getByRole('checkbox', { name: inquiries.compare }));
    }
    await click(page.getByRole('link', { name: inquiries.compareChosen(2) }));
    const table = page.getByRole('table');
    await table.getByRole('columnheader', { name: LAUSITZ.name }).waitFor();
    const prices = table
      .getByRole('row')
      .filter({ hasText: inquiries.years(5) })
      .getByRole('cell');
    const priceOf = ({ id }: { id: string }): number =>
      assets.find((asset: { id: string }) => asset.id === id).pricing[0].price;
    assert.deepEqual(
      await prices.allInnerTexts(),
      [UCKERMARK, LAUSITZ].map((offer) => `${format.price(priceOf(offer))} EUR/MWh`),
    );
  });
});

job('watch an offer and find it again', async ({ t, inquiries }, perform) => {
  const { visitor, request } = await newUser();
  await perform(visitor, async ({ page, menu, click }) => {
    await click(page.getByRole('article').getByRole('link', { name: LAUSITZ.name }));
    await click(page.getByRole('button', { name: inquiries.watch, exact: true }));
    await page.getByRole('button', { name: inquiries.unwatch, exact: true, pressed: true }).waitFor();
    await menu(t.market.nav.offers);
    await click(page.getByRole('checkbox', { name: inquiries.onlyWatched }));
    await page.getByRole('article').filter({ hasText: UCKERMARK.name }).waitFor({ state: 'detached' });
    assert.deepEqual(await page.getByRole('article').getByRole('heading').allInnerTexts(), [LAUSITZ.name]);
  });
  const { body } = await request('/portal/v1/watched-offers');
  assert.deepEqual(body.asset_ids, [LAUSITZ.id]);
});

job('create an API key', async ({ t, keys }, perform) => {
  const { visitor, request } = await newUser();
  let secret = '';
  await perform(visitor, async ({ page, menu, click, type }) => {
    await menu(t.market.nav.keys);
    await click(page.getByRole('button', { name: keys.create, exact: true }));
    const dialog = page.getByRole('dialog', { name: keys.createTitle });
    await type(dialog.getByLabel(keys.name), 'portfolio');
    await click(dialog.getByRole('button', { name: keys.create, exact: true }));
    const shown = page.getByRole('dialog', { name: keys.secretTitle });
    secret = await shown.getByText(/^saldo_account_/).innerText();
    await click(shown.getByRole('button', { name: keys.secretDone }));
    await page.getByRole('table', { name: keys.title }).getByText('portfolio').waitFor();
  });
  assert.equal((await client(platform.customerUrl, secret)('/v1/assets')).status, 200);
  const names = (await request('/portal/v1/api-keys')).body.api_keys.map(
    ({ name }: { name: string }) => name,
  );
  assert.deepEqual(names, ['portfolio']);
});
