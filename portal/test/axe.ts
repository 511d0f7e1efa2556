import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { isLong } from '../../test/runs.ts';
import { drawn } from './stage.ts';

const WIDTHS = isLong ? [1440, 390] : [1440];

type Violations = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
type WithAxe = { axe: { run(options: object): Promise<Violations> } };

/** The faults that axe finds on the current page, by all or some of its rules. */
async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await drawn(page);
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source);
  const found = await page.evaluate(async (runOnly) => {
    // By default axe leaves the rules of WCAG 2.2 out.
    const chosen = runOnly ? { runOnly } : { rules: { 'target-size': { enabled: true } } };
    const options = { resultTypes: ['violations'], ...chosen };
    return (await (window as unknown as WithAxe).axe.run(options)).violations;
  }, rules);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

/** In both themes. They differ only in colours, so only the colour rules are checked twice. */
export async function violationsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const inLight = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  return [...inLight, ...(await violations(page, ['color-contrast'])).map((fault) => `dark: ${fault}`)];
}

/** In `npm test` on a desktop in the light theme; in `npm run test:all` in both themes, and on a phone, where no content may be outside of the screen. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    faults.push(
      ...(await (isLong ? violationsInBoth : violations)(page)).map(
        (fault) => `${name}, ${width} px: ${fault}`,
      ),
    );
    const neededWidth = await page.evaluate(() => document.documentElement.scrollWidth);
    if (neededWidth > width) faults.push(`${name} is ${neededWidth} px wide on a screen of ${width} px`);
  }
  // A test goes on with the page: on a phone some buttons are in a menu.
  if (before !== null) await page.setViewportSize(before);
  return faults;
}
