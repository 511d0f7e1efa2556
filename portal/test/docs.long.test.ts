import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from './axe.ts';
import { ANONYMOUS, open, openStage } from './stage.ts';

const { visit } = await openStage();

/** One page of each kind: a guide, a wide table, pictures, the reference, the problems, an unknown page. */
const PAGES = [
  '/docs',
  '/docs/guides/getting-started',
  '/docs/glossary',
  '/docs/tour',
  '/docs/guides/time',
  '/docs/reference/brp/nominations',
  '/docs/reference/customer/schemas',
  '/errors',
  '/errors/validation',
  '/docs/nowhere',
];

for (const url of PAGES) {
  test(`${url} has no accessibility faults, in both themes, on a desktop and on a phone`, () =>
    visit(ANONYMOUS, async (page) => {
      await open(page, url);
      assert.deepEqual(await faultsOf(page, url), []);
    }));
}

for (const width of [1440, 390]) {
  test(`the search finds sections and is used with the keyboard alone (${width} px)`, () =>
    visit(
      ANONYMOUS,
      async (page) => {
        await open(page, '/docs');
        await page.keyboard.press('/');
        const field = page.getByRole('searchbox', { name: 'Search' });
        await field.and(page.locator(':focus')).waitFor();
        await page.keyboard.type('clock changes');
        const results = page.getByRole('search').getByRole('link');
        const wanted = results.filter({ hasText: 'Time and clock changes' }).first();
        await wanted.waitFor();
        assert.deepEqual(await faultsOf(page, 'the results'), []);
        await page.keyboard.press('ArrowDown');
        await results.first().and(page.locator(':focus')).waitFor();
        await page.keyboard.press('ArrowUp');
        await field.and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Enter');
        await page.waitForURL((address) => address.pathname === '/docs/guides/time');
        await page.getByRole('heading', { level: 1, name: 'Time and clock changes' }).waitFor();
        await page.keyboard.press('/');
        await page.keyboard.type('no such words anywhere');
        await page.getByRole('status').getByText('Nothing found').waitFor({ state: 'attached' });
      },
      { width },
    ));
}

test('a page is printed without navigation, on white', () =>
  visit(
    ANONYMOUS,
    async (page) => {
      await open(page, '/docs/guides/time');
      try {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        for (const hidden of ['nav', 'search', 'header'])
          assert.equal(await page.locator(`${hidden} >> visible=true`).count(), 0, hidden);
        const background = await page.evaluate(
          () => getComputedStyle(document.documentElement).backgroundColor,
        );
        assert.equal(background, 'rgb(255, 255, 255)');
      } finally {
        await page.emulateMedia({ media: 'screen' });
      }
    },
    { theme: 'dark' },
  ));

test('the navigation is reached on a phone, and marks the current page', () =>
  visit(
    ANONYMOUS,
    async (page) => {
      await open(page, '/docs/reference/brp/nominations');
      await page.getByRole('link', { name: 'All pages' }).click();
      const navigation = page.getByRole('navigation', { name: 'All pages' });
      await navigation
        .getByRole('link', { name: 'Nominations', exact: true })
        .and(page.locator('[aria-current=page]'))
        .waitFor();
      await navigation.getByRole('link', { name: 'Glossary' }).click();
      await page.getByRole('heading', { level: 1, name: 'Glossary' }).waitFor();
    },
    { width: 390 },
  ));
