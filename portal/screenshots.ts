import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { type Demo, type DemoRole, loaded, withDemo } from './demo.ts';

/**
 * Takes the screenshots of the documentation from the demo data: `npm run screenshots --workspace portal`. Arguments
 * limit it to the screenshots of these names. `--review <folder>` writes each page in both themes and both sizes to that
 * folder instead.
 */
const IMAGES = fileURLToPath(new URL('../docs/images', import.meta.url));

const SIZES = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const THEMES = ['light', 'dark'] as const;
/** In the demo data a balance group sent no schedule three days ago. */
const FORGOTTEN = new Date(Date.now() - 3 * 24 * 3_600_000).toISOString().slice(0, 10);

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

async function take(browser: Browser, demo: Demo, view: View, look: Look, file: string): Promise<void> {
  const context = await browser.newContext({
    viewport: SIZES[look.size],
    colorScheme: look.theme,
    locale: 'en-GB',
  });
  const page = await context.newPage();
  await demo.signIn(page, view.role);
  await page.goto(demo.baseUrl + view.path);
  await loaded(page);
  await view.act?.(page);
  await loaded(page);
  await page.screenshot({ path: file });
  await context.close();
}

const LOOKS = Object.keys(SIZES).flatMap((size) =>
  THEMES.map((theme) => ({ size: size as Look['size'], theme })),
);

/** Every view in every look, each named after its page and look. */
const reviewed = ({ images }: View) =>
  LOOKS.map((look) => [`${Object.keys(images)[0]}-${look.size}-${look.theme}`, look] as const);

const { values, positionals } = parseArgs({
  options: { review: { type: 'string' } },
  allowPositionals: true,
});
const folder = values.review ?? IMAGES;
const isWanted = (name: string) => positionals.length === 0 || positionals.includes(name);
await mkdir(folder, { recursive: true });
const browser = await launchChromium();
try {
  await withDemo(async (demo) => {
    for (const view of VIEWS) {
      const images = values.review === undefined ? Object.entries(view.images) : reviewed(view);
      for (const [name, look] of images)
        if (isWanted(name)) await take(browser, demo, view, look, path.join(folder, `${name}.png`));
    }
  });
} finally {
  await browser.close();
}
