import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { UserPermissions } from '@saldo/api';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  errors,
  type Page,
} from 'playwright-core';
import type { Owner } from '../../server/src/platform/auth/principal.ts';
import { ensurePortal } from '../../server/src/start/portal-build.ts';
import { signedIn } from '../../server/test/browser.ts';
import { startTestPlatform, type TestPlatform } from '../../server/test/harness.ts';
import { HANG_MS } from '../../server/test/until.ts';
import type { World } from '../../server/test/world.ts';
import { launchChromium } from '../chromium.ts';
import { SHOWN_MS } from '../src/ui/times.ts';

/** Settings of a visitor's browser. */
export type Setting = {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  readonly locale?: 'en-GB' | 'de-DE';
};

/** The cookies of a browser: of a signed-in user, or none. */
export type Visitor = { readonly cookie: string };
export const ANONYMOUS: Visitor = { cookie: '' };

export type Stage = {
  readonly platform: TestPlatform;
  readonly world: World;
  /** Signs a new user in, without the form. */
  user(owner: Owner, permissions?: UserPermissions): Promise<Visitor>;
  /**
   * Runs a test in a browser context without cookies or settings of an earlier test. Afterwards every request must have
   * gone to the platform, the content security policy must have blocked nothing, and no script may have failed.
   */
  visit<T>(visitor: Visitor, act: (page: Page) => Promise<T>, setting?: Setting): Promise<T>;
  /** Runs a test in a context of its own, for settings that a page that other tests use again would keep. */
  visitApart(
    visitor: Visitor,
    act: (page: Page) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void>;
};

const HEIGHT = 900;
/** A file without scripts, of the portal's origin: for another one Chromium would start another renderer. */
const BLANK = '/favicon.svg';
const WATCHED = ['request', 'console', 'pageerror'] as const;
/** Time limit of a call of Playwright that has one: shorter than that of the visit, since its error names the call. */
const CALL_MS = HANG_MS / 2;
/** A visit may look at every page of a role. Less than the limit of a test, so that it says what the page shows. */
const VISIT_MS = 2.5 * HANG_MS;
/** How long a page that hangs is asked for its state. */
const STATE_MS = 10_000;

let shared: Browser | null = null;

/**
 * One Chromium for all files of a process. A worker ends when the runner disconnects, a file that runs alone by itself.
 * Not a promise that files share: a file that waited for the promise of an earlier one would register its `after` hooks there.
 */
async function sharedBrowser(): Promise<Browser> {
  if (shared) return shared;
  const launched = await launchChromium();
  shared = launched;
  const close = () => launched.close();
  if (process.connected) process.once('disconnect', close);
  else after(close);
  return launched;
}

/** Starts the platform with its portal for one test file. Call it before its tests. */
export async function openStage(now?: string, environment: Record<string, string> = {}): Promise<Stage> {
  const chromium = await sharedBrowser();
  /** The pages that no test uses at the moment, by locale. Each has its own context. */
  const pages: Record<string, Page[]> = {};
  // Close the pages before the platform, which waits for open connections.
  after(async () => {
    for (const page of Object.values(pages).flat()) await page.context().close();
  });
  const messages: string[] = [];
  const portalDir = await ensurePortal(path.join(tmpdir(), 'saldo-portal'), (message) =>
    messages.push(message),
  );
  assert.ok(portalDir, messages.join('\n'));
  const platform = await startTestPlatform({ portalDir, environment, ...(now === undefined ? {} : { now }) });
  return {
    platform,
    world: platform.world,
    async user(owner, permissions) {
      const { browser: signed } = await signedIn(platform, owner, permissions);
      return { cookie: signed.cookie };
    },
    async visit(visitor, act, { width = 1440, theme = 'light', locale = 'en-GB' } = {}) {
      const known = (pages[locale] ??= []);
      let page = known.pop();
      if (!page) {
        // Without animations, which would change measured sizes.
        const context = await chromium.newContext({
          baseURL: platform.baseUrl,
          reducedMotion: 'reduce',
          locale,
        });
        // Confirmations stay, however late a busy machine looks for them.
        await context.addInitScript(stopTimers, Object.values(SHOWN_MS));
        page = await context.newPage();
        page.setDefaultTimeout(CALL_MS);
      }
      await giveCookie(page.context(), visitor, platform.baseUrl);
      await page.setViewportSize({ width, height: HEIGHT });
      await page.emulateMedia({ colorScheme: theme });
      const faults = watch(page, platform);
      try {
        const result = await withinHang(page, act(page));
        assert.deepEqual(faults, []);
        return result;
      } finally {
        if (!page.isClosed()) {
          await forget(page);
          known.push(page);
        }
      }
    },
    async visitApart(visitor, act, options) {
      const context = await chromium.newContext({
        baseURL: platform.baseUrl,
        locale: 'en-GB',
        reducedMotion: 'reduce',
        ...options,
      });
      try {
        context.setDefaultTimeout(CALL_MS);
        await giveCookie(context, visitor, platform.baseUrl);
        const page = await context.newPage();
        await withinHang(page, act(page));
      } finally {
        await context.close();
      }
    },
  };
}

/** Not all calls of Playwright have a time limit of their own. A page that hangs is closed, so that later tests run. */
async function withinHang<T>(page: Page, visit: Promise<T>): Promise<T> {
  const hang = Promise.withResolvers<never>();
  const giveUp = () => hang.reject(new errors.TimeoutError(`The visit did not end within ${VISIT_MS} ms.`));
  const timer = setTimeout(giveUp, VISIT_MS);
  try {
    return await Promise.race([visit, hang.promise]);
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error;
    const state = await stateOf(page);
    await page.context().close();
    throw new Error(`${error.message}\n${state}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** What a page that hangs shows, for the error. A stuck renderer draws no frames, or does not even answer. */
async function stateOf(page: Page): Promise<string> {
  const answerTo = (question: Promise<string>): Promise<string> =>
    Promise.race([question.catch(String), delay(STATE_MS, 'no answer')]);
  const frames = await answerTo(drawn(page).then(() => 'yes'));
  const text = await answerTo(page.evaluate(() => document.body.innerText));
  return `${page.url()}\nDoes it draw frames: ${frames}\nIts text: ${text}`;
}

/** Runs in a page: timers of these lengths never end. */
export function stopTimers(lengthsMs: readonly number[]): void {
  const { setTimeout } = window;
  const others = (act: TimerHandler, ms = 0, ...rest: unknown[]) =>
    lengthsMs.includes(ms) ? 0 : setTimeout(act, ms, ...rest);
  Object.assign(window, { setTimeout: others });
}

/** Ends the visit: no script, listener, cookie or setting of it is left. The renderer and its compiled scripts stay. */
async function forget(page: Page): Promise<void> {
  for (const event of WATCHED) page.removeAllListeners(event);
  await page.unrouteAll();
  await page.goto(BLANK);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.context().clearCookies();
}

async function giveCookie(context: BrowserContext, { cookie }: Visitor, url: string): Promise<void> {
  if (cookie === '') return;
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
}

/** Browsers log every error status, such as that of the first session request without a session. */
const isRefusal = (message: ConsoleMessage) => message.text().startsWith('Failed to load resource');

function watch(page: Page, { baseUrl, customerUrl }: TestPlatform): string[] {
  const faults: string[] = [];
  const { origin } = new URL(baseUrl);
  page.on('request', (request) => {
    const url = request.url();
    // Content created by the page, such as a download, has its origin too. Covers come from the customer API.
    if (new URL(url).origin !== origin && !url.startsWith(`${customerUrl}/covers/`))
      faults.push(`a request went to ${url}`);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isRefusal(message)) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  return faults;
}

/** Waits until the page has its heading and has loaded everything. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('.animate-pulse') === null);
}

/** Waits until the last change is on the screen. */
export const drawn = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );

/** Keeps a page from refreshing itself, for tests of a change that it does not know yet. */
export const holdLiveRefresh = (page: Page): Promise<unknown> =>
  page.route('**/portal/v1/changes?*', () => new Promise(() => {}));

/** Holds the next request of a method that matches. */
export async function hold(page: Page, isHeld: (url: URL) => boolean, method = 'GET') {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const asked = page.waitForRequest(
    (request) => request.method() === method && isHeld(new URL(request.url())),
  );
  let isNext = true;
  await page.route(isHeld, async (route) => {
    if (isNext && route.request().method() === method) {
      isNext = false;
      await held;
    }
    // A request that the page has cancelled in the meantime cannot go on.
    await route.continue().catch(() => {});
  });
  return { asked, release };
}

export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await settled(page);
}

export type WithRouter = {
  __TSR_ROUTER__: {
    history: { push(url: string): void };
    state: { status: string; location: object; resolvedLocation?: object };
  };
};

/** Goes to another page as a link does: without loading the portal, and what a test put into the page, again. */
export async function follow(page: Page, url: string): Promise<void> {
  await page.evaluate((to) => (window as unknown as WithRouter).__TSR_ROUTER__.history.push(to), url);
  await page.waitForFunction((to) => {
    const { state } = (window as unknown as WithRouter).__TSR_ROUTER__;
    const { pathname, search } = window.location;
    return pathname + search === to && state.status === 'idle' && state.resolvedLocation === state.location;
  }, url);
  await settled(page);
}

/** Goes to a page of the portal, which is loaded for the first one of a visit only. */
export const goTo = async (page: Page, url: string): Promise<void> =>
  (await page.evaluate(() => '__TSR_ROUTER__' in window)) ? follow(page, url) : open(page, url);

/** The text of every cell of a table's body, row by row. Waits for the table, not for its rows. */
export async function cellsOf(page: Page, name: string): Promise<string[][]> {
  const table = page.getByRole('table', { name, exact: true });
  await table.first().waitFor();
  return table
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => Array.from(row.children, (cell) => (cell as HTMLElement).innerText.trim())),
    );
}
