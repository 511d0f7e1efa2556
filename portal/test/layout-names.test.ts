import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { open, openStage, type Visitor } from './stage.ts';

const { platform, world, user, visit } = await openStage();
const { seller, producer, consumer } = await world.pair();
const operator = client(platform.baseUrl, await world.operatorKey());

async function made(path: string, body: unknown) {
  const answer = await operator(`/operator/v1${path}`, { method: 'POST', body });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

const KEY = 'Einsatzplanung Nordwest';
const CUSTOMERS = ['Windpark Uckermark', 'Rechenzentrum Frankfurt'];

const key = await made('/api-keys', {
  owner: { type: 'brp', id: seller.id },
  name: KEY,
  scopes: ['contracts:read'],
});
await made(`/api-keys/${key.id}/rotate`, { grace_s: 24 * 3600 });
for (const name of CUSTOMERS) await made('/customers', { brp_id: seller.id, name });
// Too late for every gate.
await world.volumes(await world.contract(producer, consumer), '2026-10-01', 250);
await world.nominate();
const asSeller = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

const LOCALES = ['en-GB', 'de-DE'] as const;
const PHONES = [390, 320];
const KEY_PAGES: readonly (readonly [string, Visitor])[] = [
  ['/keys', asSeller],
  ['/operator/keys', asOperator],
];

/** Runs in a page: the texts in table cells that begin with one of these words and are cut, by themselves or by their cell. */
function cutTexts(beginnings: readonly string[]): string[] {
  const isCut = (element: Element): boolean => {
    const cell = element.closest('td');
    const range = document.createRange();
    range.selectNodeContents(element);
    return (
      element.scrollWidth > element.clientWidth ||
      (cell !== null && range.getBoundingClientRect().right > cell.getBoundingClientRect().right)
    );
  };
  return Array.from(document.querySelectorAll('main td span, main td code'))
    .filter(
      ({ textContent: text, children }) =>
        children.length === 0 && beginnings.some((word) => text.startsWith(word)),
    )
    .filter(isCut)
    .map(({ textContent }) => textContent);
}

test('the names, prefixes and owners of keys are whole after a rotation, in both languages', async () => {
  for (const locale of LOCALES)
    for (const [url, visitor] of KEY_PAGES)
      await visit(
        visitor,
        async (page) => {
          await open(page, url);
          assert.equal(await page.getByText(KEY, { exact: true }).count(), 2);
          for (const width of [1280, 1440, 1720, 1920]) {
            await page.setViewportSize({ width, height: 900 });
            await eventually(async () =>
              assert.deepEqual(await page.evaluate(cutTexts, [KEY, 'saldo_', 'BRP']), [], `${url}, ${width}`),
            );
          }
        },
        { locale },
      );
});

const isOnScreen = (page: Page, width: number, name: RegExp) =>
  eventually(async () => {
    const boxes = await Promise.all(
      (await page.getByRole('button', { name }).all()).map((button) => button.boundingBox()),
    );
    assert.ok(boxes.length > 0);
    for (const box of boxes)
      assert.ok(box && box.x >= 0 && box.x + box.width <= width, `${width}: ${JSON.stringify(box)}`);
  });

test('a key is rotated and revoked on a phone without scrolling the table', async () => {
  for (const [url, visitor] of KEY_PAGES)
    for (const locale of LOCALES)
      await visit(
        visitor,
        async (page) => {
          await open(page, url);
          for (const width of PHONES) {
            await page.setViewportSize({ width, height: 900 });
            await isOnScreen(page, width, /^(Rotate|Erneuern): /);
            await isOnScreen(page, width, /^(Revoke|Widerrufen): /);
          }
        },
        { locale },
      );
});

/** Runs in a page: the words of a link that are on more than one line. */
function brokenWords(link: Element): string[] {
  const text = link.firstChild as Text;
  const range = document.createRange();
  return Array.from(text.data.matchAll(/\S+/g), ([word]) => word).filter((word) => {
    const start = text.data.indexOf(word);
    range.setStart(text, start);
    range.setEnd(text, start + word.length);
    return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1;
  });
}

test('the words of a customer’s name stay whole on a phone', async () => {
  for (const [url, visitor] of [
    ['/customers', asSeller],
    ['/operator/customers', asOperator],
  ] as const)
    await visit(
      visitor,
      async (page) => {
        await open(page, url);
        for (const width of PHONES) {
          await page.setViewportSize({ width, height: 900 });
          for (const name of CUSTOMERS)
            await eventually(async () =>
              assert.deepEqual(await page.getByRole('link', { name, exact: true }).evaluate(brokenWords), []),
            );
        }
      },
      { locale: 'de-DE' },
    );
});

test('the difference of a late change is on the screen of a phone', () =>
  visit(asOperator, async (page) => {
    await open(page, '/operator/late');
    for (const width of PHONES) {
      await page.setViewportSize({ width, height: 900 });
      await eventually(async () => {
        const shown = page.getByText(/^[+−]24\.000/).filter({ visible: true });
        const boxes = await Promise.all((await shown.all()).map((one) => one.boundingBox()));
        assert.equal(boxes.length, 2);
        for (const box of boxes)
          assert.ok(box && box.x + box.width <= width, `${width}: ${JSON.stringify(box)}`);
      });
    }
  }));
