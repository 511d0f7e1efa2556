import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { BRP_FORMS, SESSION_FORMS } from './brp-forms.ts';
import { WAYS } from './filling.ts';
import { type FormCase, visit } from './form-world.ts';
import { OPERATOR_FORMS } from './operator-forms.ts';
import { open } from './stage.ts';

const CASES = [...SESSION_FORMS, ...BRP_FORMS, ...OPERATOR_FORMS];

const PROBLEM = {
  type: 'about:blank',
  title: 'Refused',
  status: 400,
  code: 'invalid_request',
  detail: 'This test refuses it.',
};

/** What the first request of this kind sends. The test refuses it, so that nothing changes. */
async function sentBy(page: Page, [method, path]: FormCase['request'], act: () => Promise<void>) {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await page.route(
    ({ pathname }) => pathname === path,
    async (route) => {
      const request = route.request();
      if (request.method() !== method) return route.fallback();
      const { searchParams } = new URL(request.url());
      resolve(method === 'GET' ? Object.fromEntries(searchParams) : request.postDataJSON());
      await route.fulfill({
        status: PROBLEM.status,
        contentType: 'application/problem+json',
        body: JSON.stringify(PROBLEM),
      });
    },
  );
  await act();
  return promise;
}

for (const { name, visitor, url, prepare, entries, button = '[type=submit]', request, sent } of CASES) {
  for (const [way, fill] of Object.entries(WAYS)) {
    test(`the form sends what it shows: ${name}, ${way}`, () =>
      visit(visitor, async (page) => {
        await open(page, url);
        await prepare?.(page);
        await page.locator(button).first().waitFor();
        assert.deepEqual(await sentBy(page, request, () => fill(page, entries, button)), sent);
      }));
  }
}

test('every form of the portal is tested here', async () => {
  const folder = path.join(import.meta.dirname, '../src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.tsx'));
  const forms = await Promise.all(
    files.map(async (file) => {
      const found = (await readFile(path.join(folder, file), 'utf8')).match(/<Form\s/g) ?? [];
      return found.map(() => file.replaceAll('\\', '/'));
    }),
  );
  const tested = CASES.flatMap(({ file }) => file ?? []);
  assert.deepEqual(forms.flat().toSorted(), tested.toSorted());
});
