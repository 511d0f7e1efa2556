import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { type Demo, type DemoRole, loaded, withDemo } from './demo.ts';

/**
 * Takes the screenshots of the documentation from the demo data: `npm run screenshots --workspace portal`. Arguments
 * limit it to the screenshots of these names. `--review <folder>` writes every page of the portal in both languages,
 * themes and sizes to that folder instead; arguments limit it to the pages of these roles (brp, operator, account).
 */
const IMAGES = fileURLToPath(new URL('../docs/images', import.meta.url));

const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const THEMES = ['light', 'dark'] as const;
/** In the demo data a balance group sent no schedule three days ago. */
const FORGOTTEN = new Date(Date.now() - 3 * 24 * 3_600_000).toISOString().slice(0, 10);

const LOCALES = ['en-GB', 'de-DE'] as const;
const ROLES: readonly DemoRole[] = ['brp', 'operator', 'account'];

type Look = { readonly size: keyof typeof SIZES; readonly theme: (typeof THEMES)[number] };
type View = {
  readonly role: DemoRole;
  readonly path: string;
  /** Goes on from that page. */
  readonly act?: (page: Page) => Promise<void>;
  /** The images of the documentation, by name. */
  readonly images: Readonly<Record<string, Look>>;
};

const VIEWS: readonly View[] = [
  { role: 'brp', path: '/', images: { overview: { size: 'wide', theme: 'light' } } },
  { role: 'brp', path: '/nominations', images: { nominations: { size: 'wide', theme: 'light' } } },
  {
    role: 'brp',
    path: `/nominations?day=${repeatedHourDay()}`,
    act: openFirst,
    images: {
      nomination: { size: 'wide', theme: 'dark' },
      'nomination-phone': { size: 'phone', theme: 'light' },
    },
  },
  { role: 'brp', path: '/month', images: { month: { size: 'wide', theme: 'dark' } } },
  {
    role: 'operator',
    path: `/operator/mismatches?day=${FORGOTTEN}`,
    images: { mismatches: { size: 'wide', theme: 'light' } },
  },
  { role: 'account', path: '/offers', images: { offers: { size: 'wide', theme: 'dark' } } },
];

/** The last Sunday of October, on which the clock goes back. */
function repeatedHourDay(): string {
  const year = new Date().getUTCFullYear();
  return `${year}-10-${31 - new Date(Date.UTC(year, 9, 31)).getUTCDay()}`;
}

async function openFirst(page: Page): Promise<void> {
  await page.locator('tbody a').first().click();
  await page.waitForSelector('[role=slider] svg');
}

async function signedIn(browser: Browser, demo: Demo, role: DemoRole, look: Look, locale = 'en-GB') {
  const context = await browser.newContext({ viewport: SIZES[look.size], colorScheme: look.theme, locale });
  const page = await context.newPage();
  await demo.signIn(page, role);
  return page;
}

async function take(browser: Browser, demo: Demo, view: View, look: Look, file: string): Promise<void> {
  const page = await signedIn(browser, demo, view.role, look);
  await page.goto(demo.baseUrl + view.path);
  await loaded(page);
  await view.act?.(page);
  await loaded(page);
  await page.screenshot({ path: file });
  await page.context().close();
}

async function takeDocumented(browser: Browser, demo: Demo, names: readonly string[]): Promise<void> {
  await mkdir(IMAGES, { recursive: true });
  for (const view of VIEWS)
    for (const [name, look] of Object.entries(view.images))
      if (names.length === 0 || names.includes(name))
        await take(browser, demo, view, look, path.join(IMAGES, `${name}.png`));
}

/** The path without ids, which every page of a kind has in common. */
const kindOf = (href: string) => href.split(/[?#]/)[0]!.replaceAll(/\/[a-z]+_[^/]+/g, '/id');

/** Opens a page of every kind that links lead to from the first page on, and adds the paths to those that are known. */
async function review(page: Page, demo: Demo, folder: string, look: string, known: Map<string, string>) {
  // A map's iterator also reaches what is added meanwhile.
  for (const href of known.values()) {
    await page.goto(demo.baseUrl + href);
    await loaded(page);
    const name = kindOf(href).slice(1).replaceAll('/', '_') || 'first';
    await page.screenshot({ path: path.join(folder, `${name}-${look}.png`), fullPage: true });
    const links = page.locator('a[href^="/"]:not([href^="/docs"]):not([download])');
    for (const link of await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')!))) {
      if (!known.has(kindOf(link))) known.set(kindOf(link), link);
    }
  }
}

async function reviewAll(browser: Browser, demo: Demo, folder: string, roles: readonly string[]) {
  for (const role of ROLES.filter((known) => roles.length === 0 || roles.includes(known))) {
    await mkdir(path.join(folder, role), { recursive: true });
    // Shared by all sizes: on a phone, the navigation is in a dialog.
    const known = new Map([['/', '/']]);
    for (const size of Object.keys(SIZES) as Look['size'][]) {
      for (const theme of THEMES) {
        for (const locale of LOCALES) {
          const page = await signedIn(browser, demo, role, { size, theme }, locale);
          await review(page, demo, path.join(folder, role), `${size}-${theme}-${locale.slice(0, 2)}`, known);
          await page.context().close();
        }
      }
    }
  }
}

const { values, positionals } = parseArgs({
  options: { review: { type: 'string' } },
  allowPositionals: true,
});
const browser = await launchChromium();
try {
  await withDemo((demo) =>
    values.review === undefined
      ? takeDocumented(browser, demo, positionals)
      : reviewAll(browser, demo, values.review, positionals),
  );
} finally {
  await browser.close();
}
