import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import type { UserPermissions } from '@saldo/api';
import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import type { Owner } from '../../server/src/platform/auth/principal.ts';
import { ensurePortal } from '../../server/src/portal-build.ts';
import { signedIn } from '../../server/test/browser.ts';
import { startTestPlatform, type TestPlatform } from '../../server/test/harness.ts';
import { createWorld, type World } from '../../server/test/world.ts';
import { launchChromium } from '../chromium.ts';

/** What a visitor's browser is like. */
export type Setting = {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  readonly locale?: 'en-GB' | 'de-DE';
};

/** A browser's cookies: those of somebody who has signed in, or none. */
export type Visitor = { readonly cookie: string };
export const NOBODY: Visitor = { cookie: '' };

export type Stage = {
  readonly platform: TestPlatform;
  readonly world: World;
  /** Signs a new user in, without the form. */
  user(owner: Owner, permissions?: UserPermissions): Promise<Visitor>;
  /**
   * Lets somebody use the portal in a browser of their own. When they are done, every request must have gone to the
   * platform, the content security policy must have had nothing to refuse, and no script may have failed.
   */
  visit<T>(visitor: Visitor, act: (page: Page) => Promise<T>, setting?: Setting): Promise<T>;
};

const HEIGHT = 900;

/** The platform with its portal, and one Chromium, both for one test file: call it before the file's first test. */
export async function openStage(now?: string): Promise<Stage> {
  const browser = await launchChromium();
  // Before the platform stops: it waits for those who are connected.
  after(() => browser.close());
  const said: string[] = [];
  const portalDir = await ensurePortal(path.join(tmpdir(), 'saldo-portal'), (message) => said.push(message));
  assert.ok(portalDir, said.join('\n'));
  const platform = await startTestPlatform({ portalDir, ...(now === undefined ? {} : { now }) });
  return {
    platform,
    world: createWorld(platform.db, platform.clock),
    async user(owner, permissions) {
      const { browser: signed } = await signedIn(platform, owner, permissions);
      return { cookie: signed.cookie };
    },
    async visit(visitor, act, { width = 1440, theme = 'light', locale = 'en-GB' } = {}) {
      const context = await browser.newContext({
        baseURL: platform.baseUrl,
        viewport: { width, height: HEIGHT },
        colorScheme: theme,
        // What moves is measured while it moves.
        reducedMotion: 'reduce',
        locale,
      });
      try {
        await giveCookie(context, visitor, platform.baseUrl);
        const page = await context.newPage();
        const faults = watch(page, platform);
        const result = await act(page);
        assert.deepEqual(faults, []);
        return result;
      } finally {
        await context.close();
      }
    },
  };
}

async function giveCookie(context: BrowserContext, { cookie }: Visitor, url: string): Promise<void> {
  if (cookie === '') return;
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
}

/** Browsers tell of every answer that is no success, as the first look at a session that is not there. */
const isRefusal = (message: ConsoleMessage) => message.text().startsWith('Failed to load resource');

function watch(page: Page, { baseUrl, customerUrl }: TestPlatform): string[] {
  const faults: string[] = [];
  const { origin } = new URL(baseUrl);
  page.on('request', (request) => {
    const url = request.url();
    // What a page makes itself, such as a file to download, has its origin too. Covers are served beside the market.
    if (new URL(url).origin !== origin && !url.startsWith(`${customerUrl}/covers/`))
      faults.push(`a request went to ${url}`);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isRefusal(message)) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  return faults;
}

/** Waits until the page has its heading and everything that it had to load. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.animate-pulse') === null);
}

/** Waits until what was set a moment ago is on the screen. */
export const drawn = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );

export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await settled(page);
}

/** The text of every cell of a table's body, row by row. */
export const cellsOf = (page: Page, table: string): Promise<string[][]> =>
  page
    .getByRole('table', { name: table, exact: true })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => Array.from(row.children, (cell) => (cell as HTMLElement).innerText.trim())),
    );
