import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAccount } from '../../server/src/parties/actions.ts';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { cellsOf, follow, open, openStage, type Setting } from './stage.ts';

const { platform, world, user, visit } = await openStage();
const asOperator = client(platform.baseUrl, await world.operatorKey());

type Plant = {
  name: string;
  technology: string;
  power: number;
  state: string;
  start: string;
  prices: number[];
};

/** Prices are for 5 and 10 years. */
async function publish({ name, technology, power, state, start, prices }: Plant): Promise<string> {
  const body = {
    name,
    technology,
    nominal_power: power,
    tso: 'DE_50HERTZ',
    offer: {
      ppa_type: 'PAY_AS_PRODUCED',
      average_annual_power: power * 2000,
      delivery_start: start,
      country: 'DE',
      state,
      additional_info: `About ${name}.`,
      pricing: prices.map((price, at) => ({ years: 5 * (at + 1), price })),
    },
  };
  const answer = await asOperator('/operator/v1/assets', { method: 'POST', body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

const uckermark = await publish({
  name: 'Windpark Uckermark',
  technology: 'wind_onshore',
  power: 48.3,
  state: 'Brandenburg',
  start: '2027-01-01T00:00:00Z',
  prices: [61, 58.5],
});
await publish({
  name: 'Solarpark Lausitz',
  technology: 'solar',
  power: 62,
  state: 'Sachsen',
  start: '2028-01-01T00:00:00Z',
  prices: [44.2],
});
await publish({
  name: 'Nordsee West',
  technology: 'wind_offshore',
  power: 240,
  state: 'Niedersachsen',
  start: '2029-01-01T00:00:00Z',
  prices: [78, 75],
});
const account = await platform.db.transaction((tx) =>
  createAccount(tx, { name: 'Stadtwerk' }, platform.clock.now()),
);
const visitor = await user({ type: 'account', accountNo: account.no });

const names = (page: Page) => page.locator('article h3').allInnerTexts();
const PHONE_IN_GERMAN: Setting = { width: 390, locale: 'de-DE', theme: 'dark' };

test('a cover without an image is a drawing that has loaded, in the colours of the chosen theme', () =>
  visit(visitor, async (page) => {
    await open(page, '/offers');
    const covers = page.locator('article img');
    await eventually(async () => assert.equal(await covers.count(), 3));
    await page.waitForFunction(() =>
      [...document.images].every((image) => image.complete && image.naturalWidth > 0),
    );
    // Decoded in an empty page, because the portal's policy allows no images in data URLs.
    const empty = await page.context().newPage();
    /** The corner of a drawing is its background. */
    const brightness = async () => {
      const png = (await covers.first().screenshot()).toString('base64');
      return empty.evaluate(async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas').getContext('2d');
        canvas?.drawImage(image, 0, 0);
        return canvas?.getImageData(4, 4, 1, 1).data[1] ?? -1;
      }, png);
    };
    await eventually(async () => assert.ok((await brightness()) > 200));
    await page.getByRole('combobox', { name: 'Appearance' }).selectOption('dark');
    await eventually(async () =>
      assert.ok((await brightness()) < 60, 'the choice of the page, not that of the system'),
    );
    await empty.close();
  }));

test('offers are sorted and filtered, and the address keeps it', () =>
  visit(visitor, async (page) => {
    await open(page, '/offers');
    await eventually(async () =>
      assert.deepEqual(await names(page), ['Nordsee West', 'Solarpark Lausitz', 'Windpark Uckermark']),
    );
    const choose = (label: string, option: string) =>
      page.getByRole('combobox', { name: label, exact: true }).selectOption({ label: option });
    await choose('Sort by', 'Lowest price first');
    await eventually(async () =>
      assert.deepEqual(await names(page), ['Solarpark Lausitz', 'Windpark Uckermark', 'Nordsee West']),
    );
    await choose('Duration', '10 years');
    await eventually(async () => assert.deepEqual(await names(page), ['Windpark Uckermark', 'Nordsee West']));
    await choose('Price', 'up to 60 EUR/MWh');
    await eventually(async () => assert.deepEqual(await names(page), ['Windpark Uckermark']));
    await eventually(async () => {
      const kept = Object.fromEntries(new URL(page.url()).searchParams);
      assert.deepEqual(kept, { sort: 'price', years: '10', max_price: '60' });
    });
    await page.reload();
    await page.locator('article').waitFor();
    await eventually(async () => assert.deepEqual(await names(page), ['Windpark Uckermark']));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await eventually(async () =>
      assert.deepEqual(
        await names(page),
        ['Solarpark Lausitz', 'Windpark Uckermark', 'Nordsee West'],
        'still sorted',
      ),
    );
    await choose('Nominal power', '50 MW or more');
    await choose('Delivery from', 'by 2028');
    await eventually(async () => assert.deepEqual(await names(page), ['Solarpark Lausitz']));
    await choose('Region', 'Sachsen');
    await choose('Asset type', 'Wind');
    await page.getByText('No offer matches these filters.').waitFor();
  }));

test('on a phone in German the same filters work', () =>
  visit(
    visitor,
    async (page) => {
      await open(page, '/offers?sort=-power');
      await eventually(async () =>
        assert.deepEqual(await names(page), ['Nordsee West', 'Solarpark Lausitz', 'Windpark Uckermark']),
      );
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('combobox', { name: 'Preis' }).selectOption({ label: 'bis 60 EUR/MWh' });
      await eventually(async () =>
        assert.deepEqual(await names(page), ['Solarpark Lausitz', 'Windpark Uckermark']),
      );
    },
    PHONE_IN_GERMAN,
  ));

test('a plant’s page has its prices by duration, and an inquiry that keeps edits and reaches the operator', () =>
  visit(visitor, async (page) => {
    await open(page, '/offers');
    await page.getByRole('link', { name: 'Windpark Uckermark' }).click();
    await page.getByRole('heading', { level: 1, name: 'Windpark Uckermark' }).waitFor();
    await page.waitForURL(`/offers/${uckermark}`);
    await eventually(async () =>
      assert.deepEqual(await cellsOf(page, 'Prices of Windpark Uckermark by duration'), [
        ['5 years', '61.00', '5,892,600'],
        ['10 years', '58.50', '5,651,100'],
      ]),
    );
    await page.getByText('About Windpark Uckermark.').waitFor();
    await page.getByText('2,000 h').waitFor();
    await page.getByRole('button', { name: 'Send an inquiry' }).click();
    const message = page.getByRole('textbox', { name: 'Message' });
    const prepared = await message.inputValue();
    for (const part of [uckermark, '48.3 MW Wind', 'Delivery from 01/01/2027', 'Stadtwerk'])
      assert.ok(prepared.includes(part), part);
    await message.fill(`${prepared}\nTel. 123 & more`);
    await page.getByRole('combobox', { name: 'Duration' }).selectOption('10 years at 58.50 EUR/MWh');
    const edited = `${prepared}\nTel. 123 & more`;
    const changed = edited.replace('5 years at 61.00 EUR/MWh', '10 years at 58.50 EUR/MWh');
    await eventually(async () => assert.equal(await message.inputValue(), changed));
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The inquiry was sent.').waitFor();
    const { inquiries } = (await asOperator('/operator/v1/inquiries')).body;
    assert.deepEqual(
      [inquiries[0].asset_id, inquiries[0].message, inquiries[0].status],
      [uckermark, changed, 'open'],
    );
  }));

test('on a phone the message is in German, and an unknown plant leads back to the offers', () =>
  visit(
    visitor,
    async (page) => {
      await open(page, `/offers/${uckermark}`);
      await page.getByRole('button', { name: 'Anfrage senden' }).click();
      const message = await page.getByRole('textbox', { name: 'Nachricht' }).inputValue();
      assert.match(message, /^Guten Tag,[^]*5 Jahre zu 61,00 EUR\/MWh[^]*Mit freundlichen Grüßen/);
      await page.keyboard.press('Escape');
      await follow(page, '/offers/ast_unknown');
      await page.getByText('Diese Anlage wird nicht angeboten.').waitFor();
      await page.getByRole('link', { name: 'Alle Angebote' }).click();
      await page.getByRole('heading', { level: 1, name: 'Angebote' }).waitFor();
    },
    PHONE_IN_GERMAN,
  ));

test('the operator answers an inquiry, and the account holder reads the answer and closes it', async () => {
  const operator = await user({ type: 'operator' });
  const demand = { contract_period: 5, delivery_volume: 4000, country: 'DE' };
  assert.equal((await asOperator('/operator/v1/demands', { method: 'POST', body: demand })).status, 201);
  await visit(visitor, async (page) => {
    await open(page, '/demands');
    await page.getByRole('button', { name: 'Send an inquiry' }).first().click();
    await page.getByRole('textbox', { name: 'Message' }).fill('We can supply this.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The inquiry was sent.').waitFor();
  });
  await visit(
    operator,
    async (page) => {
      await open(page, '/operator/inquiries?status=open');
      const inquiry = page.getByRole('article').filter({ hasText: 'We can supply this.' });
      await inquiry.getByRole('button', { name: 'Beantworten' }).click();
      await page.getByRole('textbox', { name: 'Ihre Antwort' }).fill('Wir melden uns am Montag.');
      await page.getByRole('button', { name: 'Senden', exact: true }).click();
      await page.getByText('Die Antwort wurde gesendet.').waitFor();
      await inquiry.waitFor({ state: 'detached' });
    },
    { locale: 'de-DE' },
  );
  await visit(visitor, async (page) => {
    await open(page, '/inquiries');
    const inquiry = page.getByRole('article').filter({ hasText: 'We can supply this.' });
    await inquiry.getByText('Wir melden uns am Montag.').waitFor();
    await inquiry.getByRole('button', { name: 'Close' }).click();
    await inquiry.getByText('closed', { exact: true }).waitFor();
  });
});

test('offers are watched, and up to four are compared side by side', () =>
  visit(visitor, async (page) => {
    await open(page, `/offers/${uckermark}`);
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByRole('button', { name: 'Watched', exact: true, pressed: true }).waitFor();
    await open(page, '/offers');
    await page.getByRole('checkbox', { name: 'Only watched ones' }).check();
    await eventually(async () => assert.equal(await page.getByRole('article').count(), 1));
    await page.getByRole('checkbox', { name: 'Only watched ones' }).uncheck();
    for (const name of ['Windpark Uckermark', 'Solarpark Lausitz'])
      await page
        .getByRole('article')
        .filter({ hasText: name })
        .getByRole('checkbox', { name: 'Compare' })
        .check();
    await page.getByRole('link', { name: 'Compare 2 offers' }).click();
    await page.getByRole('heading', { level: 1, name: 'Offers side by side' }).waitFor();
    const prices = page.getByRole('row').filter({ hasText: 'Price for 5 years' });
    assert.deepEqual(await prices.getByRole('cell').allInnerTexts(), ['61.00 EUR/MWh', '44.20 EUR/MWh']);
  }));

test('the overview’s headline is the lowest price, with its plant', () =>
  visit(visitor, async (page) => {
    await open(page, '/');
    const headline = page.getByRole('definition').filter({ hasText: '44.20' });
    await eventually(async () =>
      assert.match(await headline.innerText(), /44\.20\s*EUR\/MWh\s+5 years, Solarpark Lausitz/),
    );
    await headline.getByRole('link', { name: 'Solarpark Lausitz' }).click();
    await page.getByRole('heading', { level: 1, name: 'Solarpark Lausitz' }).waitFor();
  }));

test('in German, prices are typed and shown with a decimal comma', async () => {
  const operator = await user({ type: 'operator' });
  await visit(
    operator,
    async (page) => {
      await open(page, `/operator/assets/${uckermark}`);
      const price = page.locator('input[name="offer.pricing[1].price"]');
      await eventually(async () => assert.equal(await price.inputValue(), '58,5'));
      // A point is understood, too.
      await price.fill('57.25');
      await eventually(async () => assert.equal(await price.inputValue(), '57,25'));
      await page.getByRole('cell', { name: '57,25' }).waitFor();
      await page.getByRole('button', { name: 'Speichern' }).click();
      await eventually(async () => {
        const { body } = await asOperator(`/operator/v1/assets/${uckermark}`);
        assert.equal(body.offer.pricing[1].price, 57.25);
      });
    },
    { locale: 'de-DE' },
  );
});
