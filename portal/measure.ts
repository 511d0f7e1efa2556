import type { Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { withDemo } from './demo.ts';

/** Measures the rendering times of the portal with its demo data, and prints them: `npm run measure --workspace portal`. */
const RUNS = 10;
const FRAME_MS = 1000 / 60;

/** From the arrival of the nomination's last data to the first frame with its chart and table. */
async function drawNomination(page: Page, baseUrl: string, url: string): Promise<number> {
  await page.goto(`${baseUrl}/keys`);
  await page.locator('h1').first().waitFor();
  return page.evaluate(async (address) => {
    const { __TSR_ROUTER__ } = window as unknown as {
      __TSR_ROUTER__: { history: { push(url: string): void } };
    };
    const drawn = new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector('[role=slider] svg') || !document.querySelector('tbody tr')) return;
        observer.disconnect();
        // The task after the next frame.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    __TSR_ROUTER__.history.push(address);
    const end = await drawn;
    const answers = performance
      .getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname === `/v1${address}`)
      .map((entry) => (entry as PerformanceResourceTiming).responseEnd);
    return end - Math.max(...answers);
  }, url);
}

/** Frame times while the page is scrolled from top to end and the pointer moves over the cells. */
async function scrollMonth(page: Page, baseUrl: string, month: string): Promise<number[]> {
  await page.goto(`${baseUrl}/month?month=${month}`);
  await page.locator('figure svg').first().waitFor();
  return page.evaluate(async () => {
    const frames: number[] = [];
    const svg = document.querySelector('figure svg');
    let before = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    for (let step = 0; step < 120; step++) {
      scrollTo(0, step * 10);
      const box = svg?.getBoundingClientRect();
      const at = { clientX: 200 + step * 5, clientY: (box?.top ?? 0) + 30 + step * 4 };
      svg?.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, ...at }));
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      frames.push(now - before);
      before = now;
    }
    return frames;
  });
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const quantile = (values: readonly number[], share: number) =>
  Math.round(sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0);
const line = (name: string, values: readonly number[]) =>
  `${name}: median ${quantile(values, 0.5)} ms, 95 % ${quantile(values, 0.95)} ms, longest ${quantile(values, 1)} ms\n`;

const browser = await launchChromium();
try {
  await withDemo(async ({ baseUrl, signIn }) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await signIn(page, 'brp');
    await page.goto(`${baseUrl}/nominations`);
    const url = await page.locator('tbody a').first().getAttribute('href');
    if (url === null) throw new Error('The demo data has no nomination of today.');
    const month = await page.locator('input[type=date]').inputValue();
    const draws: number[] = [];
    for (let run = 0; run < RUNS; run++) draws.push(await drawNomination(page, baseUrl, url));
    process.stdout.write(line('A nomination is drawn after its data', draws));
    const frames = await scrollMonth(page, baseUrl, month.slice(0, 7));
    process.stdout.write(line('A frame while a month of slots is scrolled', frames));
    const late = frames.filter((ms) => ms > 2 * FRAME_MS).length;
    process.stdout.write(`Frames that took longer than two: ${late} of ${frames.length}\n`);
  });
} finally {
  await browser.close();
}
