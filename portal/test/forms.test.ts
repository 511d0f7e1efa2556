import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Entry, WAYS } from './filling.ts';
import { ANONYMOUS, open, openStage, type Visitor } from './stage.ts';

const { visit } = await openStage();

type Case = {
  readonly file: string;
  readonly visitor: Visitor;
  readonly url: string;
  readonly prepare?: (page: Page) => Promise<void>;
  readonly entries: readonly Entry[];
  readonly button?: string;
  readonly request: readonly [method: string, path: string];
  readonly sent: unknown;
};

const CASES: readonly Case[] = [
  {
    file: 'session/sign-in.tsx',
    visitor: ANONYMOUS,
    url: '/sign-in',
    entries: [
      ['[name=email]', 'ada@saldo.example'],
      ['[name=password]', 'correct horse battery'],
    ],
    request: ['POST', '/portal/v1/session'],
    sent: { email: 'ada@saldo.example', password: 'correct horse battery' },
  },
];

const PROBLEM = {
  type: 'about:blank',
  title: 'Refused',
  status: 400,
  code: 'invalid_request',
  detail: 'No.',
  errors: [],
};

/** The first request of this kind, which the test answers itself: the same form can then be sent again. */
async function sentBy(
  page: Page,
  [method, path]: Case['request'],
  act: () => Promise<void>,
): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const isAsked = (url: URL) => url.pathname === path;
  await page.route(isAsked, async (route) => {
    const request = route.request();
    if (request.method() !== method) return route.continue();
    resolve(
      method === 'GET' ? Object.fromEntries(new URL(request.url()).searchParams) : request.postDataJSON(),
    );
    await route.fulfill({
      status: 400,
      contentType: 'application/problem+json',
      body: JSON.stringify(PROBLEM),
    });
  });
  await act();
  const sent = await promise;
  await page.unroute(isAsked);
  return sent;
}

for (const { file, visitor, url, prepare, entries, button = 'button[type=submit]', request, sent } of CASES) {
  for (const [way, fill] of Object.entries(WAYS)) {
    test(`${file} sends what it shows: ${way}`, () =>
      visit(visitor, async (page) => {
        await open(page, url);
        await prepare?.(page);
        assert.deepEqual(await sentBy(page, request, () => fill(page, entries, button)), sent);
      }));
  }
}
