import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { faultsOf } from './axe.ts';
import { ANONYMOUS, drawn, open, openStage } from './stage.ts';

const { visit, visitApart, user, world, platform } = await openStage();
const brp = await world.brp();

/** One page of each kind: a guide, a wide table, pictures, the reference, the problems, an unknown page. */
const PAGES = [
  '/docs',
  '/docs/guides/getting-started',
  '/docs/glossary',
  '/docs/tour',
  '/docs/guides/time',
  '/docs/reference/brp',
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

const REFERENCE = '/docs/reference/brp/contracts';

/** The languages of the samples that the page shows. */
const shownLanguages = (page: Page) =>
  page
    .locator('[role=tabpanel] >> visible=true')
    .evaluateAll((panels) => [...new Set(panels.map((panel) => panel.getAttribute('aria-label')))]);

test('the language of the samples is chosen once for all samples and pages, with the mouse or the keyboard', () =>
  visit(ANONYMOUS, async (page) => {
    await open(page, REFERENCE);
    assert.deepEqual(await shownLanguages(page), ['curl']);
    const last = page.getByRole('tablist', { name: 'Language of the samples' }).last();
    const tab = (name: string) => last.getByRole('tab', { name, exact: true });
    await tab('curl').scrollIntoViewIfNeeded();
    const before = await last.boundingBox();
    await tab('TypeScript').click();
    assert.deepEqual(await shownLanguages(page), ['TypeScript']);
    await drawn(page);
    const after = await last.boundingBox();
    assert.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 0)) < 2, 'the tabs stay where they were');
    assert.deepEqual(await faultsOf(page, 'samples in TypeScript'), []);
    await page.keyboard.press('ArrowRight');
    await tab('Python').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('End');
    assert.deepEqual(await shownLanguages(page), ['CLI']);
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await shownLanguages(page), ['curl']);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await tab('Python').and(page.locator('[aria-selected=true][tabindex="0"]')).waitFor();
    await open(page, '/docs/reference/operator/nominations');
    assert.deepEqual(await shownLanguages(page), ['Python']);
    await page.emulateMedia({ media: 'print' });
    try {
      assert.deepEqual(await shownLanguages(page), ['curl']);
    } finally {
      await page.emulateMedia({ media: 'screen' });
    }
  }));

/** Where the parts of a page are, to the pixel. */
const placesOf = (page: Page) =>
  page
    .locator('main :is(h1, h2, p, pre, table, form, [role=tablist]) >> visible=true')
    .evaluateAll((all) => all.map((part) => `${part.tagName} ${part.getBoundingClientRect().top}`));

for (const width of [1440, 390]) {
  test(`a page in the remembered language does not move when its scripts run, signed in and with a key (${width} px)`, async () => {
    const asBrp = await user({ type: 'brp', brpNo: brp.no });
    await visit(
      asBrp,
      async (page) => {
        await open(page, REFERENCE);
        await page.getByRole('tab', { name: 'Python' }).first().click();
        await page.evaluate(() => sessionStorage.setItem('saldo.docs.key', 'saldo_brp_abcdefgh'));
        // As it is painted before the modules have loaded.
        const modules = /\/docs\/assets\/(?:search|code|own-key)\.js$/;
        await page.route(modules, (route) => route.abort());
        await open(page, REFERENCE);
        assert.deepEqual(await shownLanguages(page), ['Python']);
        const before = await placesOf(page);
        await page.unroute(modules);
        await open(page, REFERENCE);
        await page.getByText('In the samples: saldo_brp_abcd…').waitFor();
        await page.getByRole('link', { name: 'API keys', exact: true }).waitFor();
        assert.deepEqual(await placesOf(page), before);
        assert.ok(before.length > 20);
      },
      { width },
    );
  });
}

test('without JavaScript a page has the samples in curl, and no tabs or forms', () =>
  visitApart(
    ANONYMOUS,
    async (page) => {
      await page.goto(REFERENCE);
      assert.match(await page.locator('.samples').first().innerText(), /^curl -H "X-Api-Key: \$SALDO_KEY"/);
      for (const hidden of ['[role=tab]', 'form', 'button', '[data-sample=Python]'])
        assert.equal(await page.locator(`main ${hidden} >> visible=true`).count(), 0, hidden);
    },
    { javaScriptEnabled: false },
  ));

test('every block of code has a copy button, which says what it did', () =>
  visit(ANONYMOUS, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, '/docs/guides/getting-started');
    const blocks = await page.locator('pre').count();
    const buttons = page.getByRole('button', { name: 'Copy', exact: true });
    assert.equal(await buttons.count(), blocks);
    const text = await page.locator('pre').first().innerText();
    await buttons.first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
    assert.deepEqual(await faultsOf(page, 'after copying'), []);
  }));

/** The text of the samples that are shown, and what their copy buttons copy. */
async function firstSample(page: Page): Promise<{ shown: string; copied: string }> {
  const panel = page.locator('[role=tabpanel] >> visible=true').first();
  await panel.hover();
  await panel.getByRole('button').click();
  await panel.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  return { shown: await panel.locator('code').innerText(), copied };
}

test('a pasted key stays in its tab: samples show its beginning and copy all of it', () =>
  visit(ANONYMOUS, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const sent: string[] = [];
    page.on('request', (request) => {
      sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`);
    });
    await open(page, REFERENCE);
    await page.getByLabel('Your key in the samples').fill(` ${brp.key}\n`);
    await page.keyboard.press('Enter');
    await page.getByText(`In the samples: ${brp.key.slice(0, 14)}…`).waitFor();
    await page.getByRole('button', { name: 'Forget the key' }).and(page.locator(':focus')).waitFor();
    assert.deepEqual(await faultsOf(page, 'with a key'), []);
    const { baseUrl } = platform;
    const expected = {
      curl: `curl -H "X-Api-Key: ${brp.key}" "${baseUrl}/v1/contracts"`,
      TypeScript: `baseUrl: '${baseUrl}',\n  apiKey: '${brp.key}',`,
      Python: `BrpClient("${baseUrl}", "${brp.key}")`,
      CLI: `SALDO_URL="${baseUrl}" SALDO_KEY="${brp.key}" saldo contracts list`,
    };
    for (const [language, text] of Object.entries(expected)) {
      await page.getByRole('tab', { name: language, exact: true }).first().click();
      const { shown, copied } = await firstSample(page);
      assert.ok(copied.includes(text), copied);
      assert.ok(shown.includes(text.replace(brp.key, `${brp.key.slice(0, 14)}…`)), shown);
    }
    assert.ok(!(await page.content()).includes(brp.key), 'the page does not have the key');
    await open(page, '/docs/reference/operator/contracts');
    await page.getByText('is a key of the BRP API').waitFor();
    await page.getByRole('tab', { name: 'curl', exact: true }).first().click();
    assert.match((await firstSample(page)).copied, /\$SALDO_KEY/);
    await open(page, REFERENCE);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('Your key in the samples').and(page.locator(':focus')).waitFor();
    assert.match((await firstSample(page)).copied, /X-Api-Key: \$SALDO_KEY/);
    assert.deepEqual(
      sent.filter((request) => request.includes(brp.key)),
      [],
    );
  }));

test('an answer that is not the session of the portal does not make the address of the page that of the API', () =>
  visitApart(ANONYMOUS, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const key = 'saldo_brp_abcdefgh';
    await page.addInitScript((stored) => sessionStorage.setItem('saldo.docs.key', stored), key);
    for (const status of [429, 503]) {
      await page.route('**/portal/v1/session', (route) => route.fulfill({ status }));
      await open(page, REFERENCE);
      // Is answered after the request of the page's own script.
      await page.evaluate(() => fetch('/portal/v1/session'));
      const { copied } = await firstSample(page);
      assert.equal(copied, `curl -H "X-Api-Key: ${key}" "$SALDO_URL/v1/contracts"`, `${status}`);
    }
  }));

test('a text that does not begin like a key is named as such, on the pages of every API', () =>
  visitApart(ANONYMOUS, async (page) => {
    for (const [url, have] of [
      ['/docs/reference/operator/contracts', 'The samples have it.'],
      [REFERENCE, 'The samples of this page do not have it.'],
    ] as const) {
      await open(page, url);
      await page.getByLabel('Your key in the samples').fill('brp_saldo_mistyped');
      await page.keyboard.press('Enter');
      const prefixes = 'saldo_brp_, saldo_operator_ and saldo_account_';
      await page
        .getByText(
          `Your text begins with none of ${prefixes}. Only the operator’s own key may be such a text. ${have}`,
        )
        .waitFor();
      assert.ok(!(await page.content()).includes('mistyped'), 'the page does not have the text');
      await page.getByRole('button', { name: 'Forget the key' }).click();
    }
  }));

test('the dialog of a new key opens the reference with it, in a tab of its own, and its sample works', async () => {
  const asBrp = await user({ type: 'brp', brpNo: brp.no }, 'admin');
  await visit(asBrp, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, '/keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await dialog.getByLabel('Name').fill('Reference');
    await dialog.getByRole('button', { name: 'New key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    const secret = await shown.locator('code').first().innerText();
    const opening = page.waitForEvent('popup');
    await shown.getByRole('button', { name: 'Open the reference with this key' }).click();
    const reference = await opening;
    try {
      await reference.getByText(`In the samples: ${secret.slice(0, 14)}…`).waitFor();
      await reference.getByRole('link', { name: 'API keys', exact: true }).waitFor();
      assert.equal(new URL(reference.url()).pathname, '/docs/reference/brp');
      assert.ok(!reference.url().includes(secret));
      assert.equal(await page.evaluate(() => sessionStorage.getItem('saldo.docs.key')), null);
      await reference.getByRole('main').getByRole('link', { name: 'List contracts' }).click();
      await reference.getByRole('heading', { level: 1, name: 'BRP API: Contracts' }).waitFor();
      const { copied } = await firstSample(reference);
      const [, key = '', url = ''] = /^curl -H "X-Api-Key: (.+)" "(.+)"$/.exec(copied) ?? [];
      assert.equal((await fetch(url, { headers: { 'x-api-key': key } })).status, 200, copied);
    } finally {
      await reference.close();
    }
  });
});
