import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { ANONYMOUS, open, openStage, type Visitor } from './stage.ts';

/** What a finger hits, in pixels. */
const TARGET = 37;
/** Safari on phones zooms into a field of smaller text. */
const FIELD_TEXT = 16;

const { platform, world, user, visitApart } = await openStage();
const { seller } = await world.pair();
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });
const demand = await client(platform.baseUrl, await world.operatorKey())('/operator/v1/demands', {
  method: 'POST',
  body: { contract_period: 10, delivery_volume: 310_000, country: 'DE', state: 'Nordrhein-Westfalen' },
});
assert.equal(demand.status, 201, demand.text);

/** Visits a page on a phone. Contexts of other tests have a mouse. */
const onPhone = (visitor: Visitor, url: string, act: (page: Page) => Promise<void>) =>
  visitApart(
    visitor,
    async (page) => {
      await open(page, url);
      await act(page);
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );

for (const [url, visitor] of Object.entries({ '/sign-in': ANONYMOUS, '/nominations': asBrp, '/keys': asBrp }))
  test(`buttons and fields are large enough for fingers: ${url}`, () =>
    onPhone(visitor, url, (page) =>
      eventually(async () => {
        const controls = page.locator(
          'form button[type=submit], main header button, main search button, main input:not([type=checkbox], [aria-hidden]), main select, #root > div > header button',
        );
        const sizes = await controls.evaluateAll((elements) =>
          elements.map((element) => ({
            name: element.textContent || element.getAttribute('aria-label') || element.tagName,
            height: element.getBoundingClientRect().height,
            text: element.matches('button') ? null : Number.parseFloat(getComputedStyle(element).fontSize),
          })),
        );
        assert.ok(sizes.length > 0);
        assert.deepEqual(
          sizes.filter(({ height, text }) => height < TARGET || (text ?? FIELD_TEXT) < FIELD_TEXT),
          [],
        );
      }),
    ));

for (const [url, name] of [
  ['/operator/keys', /^Revoke: /],
  ['/operator/demands', /^Withdraw: /],
] as const)
  test(`the actions of a table are on the screen of a phone: ${url}`, () =>
    onPhone(asOperator, url, (page) =>
      eventually(async () => {
        const box = await page.getByRole('button', { name }).first().boundingBox();
        assert.ok(box && box.x + box.width <= 390, JSON.stringify(box));
      }),
    ));
