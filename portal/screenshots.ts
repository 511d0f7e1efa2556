import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/**
 * Takes the screenshots of the documentation from a running platform with its demo world: `npm run screenshots
 * --workspace portal -- ./data`. The first argument is the platform's data folder; further arguments limit it to
 * these screenshots.
 */
const OUT = fileURLToPath(new URL('../docs/images', import.meta.url));
const BASE = process.env['SALDO_URL'] ?? 'http://127.0.0.1:8080';

type Demo = { readonly users: readonly { email: string; password: string; role: string }[] };
type View = {
  readonly name: string;
  readonly path: string;
  readonly role: 'brp' | 'operator' | 'account';
  readonly width: number;
  readonly theme: 'light' | 'dark';
};

const WIDE = 1440;
const PHONE = 390;
/** In the demo world a balance group sent no schedule three days ago. */
const FORGOTTEN = new Date(Date.now() - 3 * 24 * 3_600_000).toISOString().slice(0, 10);
const VIEWS: readonly View[] = [
  { name: 'overview', path: '/', role: 'brp', width: WIDE, theme: 'light' },
  { name: 'nominations', path: '/nominations', role: 'brp', width: WIDE, theme: 'light' },
  { name: 'nomination', path: 'long-day', role: 'brp', width: WIDE, theme: 'dark' },
  { name: 'nomination-phone', path: 'long-day', role: 'brp', width: PHONE, theme: 'light' },
  { name: 'month', path: '/month', role: 'brp', width: WIDE, theme: 'dark' },
  {
    name: 'mismatches',
    path: `/operator/mismatches?day=${FORGOTTEN}`,
    role: 'operator',
    width: WIDE,
    theme: 'light',
  },
  { name: 'offers', path: '/offers', role: 'account', width: WIDE, theme: 'dark' },
];

async function signIn(page: Page, user: Demo['users'][number]): Promise<void> {
  await page.goto(`${BASE}/sign-in`);
  await page.fill('input[name=email]', user.email);
  await page.fill('input[name=password]', user.password);
  await page.click('button[type=submit]');
  await page.waitForURL(`${BASE}/`);
}

/** The day with the repeated hour. */
async function openLongDay(page: Page): Promise<void> {
  const year = new Date().getUTCFullYear();
  const lastOfOctober = new Date(Date.UTC(year, 9, 31));
  const sunday = 31 - lastOfOctober.getUTCDay();
  await page.goto(`${BASE}/nominations?day=${year}-10-${sunday}`);
  await page.locator('tbody a').first().click();
  await page.waitForSelector('[role=slider] svg');
}

async function take(browser: Browser, demo: Demo, view: View): Promise<void> {
  const user = demo.users.find(({ role }) => role === view.role);
  if (!user) throw new Error(`the demo world has no user of the role ${view.role}`);
  const viewport = { width: view.width, height: view.width === PHONE ? 844 : 900 };
  const context = await browser.newContext({ viewport, colorScheme: view.theme, locale: 'en-GB' });
  const page = await context.newPage();
  await signIn(page, user);
  if (view.path === 'long-day') await openLongDay(page);
  else await page.goto(BASE + view.path);
  // Not until the network is idle: a long poll waits for changes as long as the page is open.
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector('.animate-pulse') === null &&
      [...document.images].every(({ complete }) => complete),
  );
  await page.screenshot({ path: path.join(OUT, `${view.name}.png`) });
  await context.close();
}

const [dataDir = './data', ...names] = process.argv.slice(2);
const demo = JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8')) as Demo;
await mkdir(OUT, { recursive: true });
const browser = await launchChromium();
try {
  const wanted = VIEWS.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const view of wanted) await take(browser, demo, view);
} finally {
  await browser.close();
}
