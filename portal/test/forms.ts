import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { brpForms, sessionForms } from './brp-forms.ts';
import type { Ways } from './filling.ts';
import { type FormCase, openFormWorld } from './form-world.ts';
import { operatorForms } from './operator-forms.ts';
import { open } from './stage.ts';

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

/** Declares a test per form and way of filling it in. Returns the forms. Call it at the top of a test file. */
export async function testForms(ways: Ways): Promise<readonly FormCase[]> {
  const world = await openFormWorld();
  const cases = [...sessionForms(world), ...brpForms(world), ...operatorForms(world)];
  for (const { name, visitor, url, prepare, entries, button = '[type=submit]', request, sent } of cases) {
    for (const [way, fill] of Object.entries(ways)) {
      test(`the form sends what it shows: ${name}, ${way}`, () =>
        world.visit(visitor, async (page) => {
          await open(page, url);
          await prepare?.(page);
          await page.locator(button).first().waitFor();
          assert.deepEqual(await sentBy(page, request, () => fill(page, entries, button)), sent);
        }));
    }
  }
  return cases;
}
