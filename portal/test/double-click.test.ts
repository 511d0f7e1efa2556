import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openFormWorld, press } from './form-world.ts';
import { hold, open, type Visitor } from './stage.ts';

const { visit, asBrp, asAccount, keys } = await openFormWorld();

/** Ways of clicking twice. The browser decides whether the page is rendered between the clicks of a mouse. */
const WAYS: Readonly<Record<string, (button: Locator) => Promise<void>>> = {
  'by a mouse': (button) => button.dblclick(),
  'in one task': (button) =>
    button.evaluate((element: HTMLElement) => {
      element.click();
      element.click();
    }),
};

/** Answers the first request when both clicks have arrived. Returns how many requests were sent until then or later. */
async function countSent(page: Page, path: string, clickTwice: () => Promise<void>): Promise<() => number> {
  let count = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname === path) count++;
  });
  const { asked, release } = await hold(page, ({ pathname }) => pathname === path, 'POST');
  await clickTwice();
  await asked;
  release();
  return () => count;
}

type Case = {
  readonly name: string;
  readonly visitor: Visitor;
  readonly url: string;
  readonly prepare: (page: Page) => Promise<void>;
  readonly path: string;
  readonly button: string;
  /** A text that the page shows when the change is done. */
  readonly done: string;
};

const CASES: readonly Case[] = [
  {
    name: 'a new key',
    visitor: asBrp,
    url: '/keys',
    prepare: async (page) => {
      await press('New key')(page);
      await page.locator('dialog [name=name]').fill('Clicked twice');
    },
    path: '/portal/v1/api-keys',
    button: 'dialog [type=submit]',
    done: 'Your new key',
  },
  {
    name: 'a rotation of a key',
    visitor: asBrp,
    url: '/keys',
    prepare: press('Rotate'),
    path: `/portal/v1/api-keys/${keys.body.api_keys[0].id}/rotate`,
    button: 'dialog .justify-end button:last-child',
    done: 'Your new key',
  },
  {
    name: 'an inquiry',
    visitor: asAccount,
    url: '/demands',
    prepare: async (page) => {
      await press('Send an inquiry')(page);
      await page.locator('[name=message]').fill('We can supply this.');
    },
    path: '/portal/v1/inquiries',
    button: 'dialog [type=submit]',
    done: 'The inquiry was sent.',
  },
];

for (const { name, visitor, url, prepare, path, button, done } of CASES)
  for (const [way, clickTwice] of Object.entries(WAYS))
    test(`a double click sends once: ${name}, ${way}`, () =>
      visit(visitor, async (page) => {
        await open(page, url);
        await prepare(page);
        const count = await countSent(page, path, () => clickTwice(page.locator(button)));
        await page.getByText(done).first().waitFor();
        assert.equal(count(), 1);
      }));
