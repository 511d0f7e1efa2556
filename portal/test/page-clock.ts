import type { Locator, Page } from 'playwright-core';
import { until } from '../../server/test/until.ts';

/** Stops the clock of a page, at most a second later. `clock.install` comes before. */
export async function pauseClock(page: Page): Promise<void> {
  const pauseSoon = async () => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
  // On a slow machine that time is over when it arrives. The clock has stopped then too, and a second call succeeds.
  await pauseSoon().catch(pauseSoon);
}

/** Lets the timers without a delay run, which TanStack Query needs, or those of longer steps, until the element is there. */
export const shown = (page: Page, element: Locator, stepMs = 1): Promise<boolean> =>
  until(async () => {
    await page.clock.runFor(stepMs);
    return (await element.count()) > 0;
  });
