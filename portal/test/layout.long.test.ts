import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { openPages } from './accessibility.ts';
import { drawn, open } from './stage.ts';

const { stage, pages, visitors, records } = await openPages();
const { platform, world } = stage;

/** Names and texts as long as the API accepts, without a place to break. */
const LONG = 'A'.repeat(100);
const asOperator = client(platform.baseUrl, await world.operatorKey());
const renamed = await asOperator(`/operator/v1/customers/${records.producer.id}`, {
  method: 'PATCH',
  body: { name: LONG, metadata: { [LONG.slice(0, 40)]: 'm'.repeat(200) } },
});
assert.equal(renamed.status, 200, renamed.text);
assert.ok(LONG.length <= LIMITS.nameLength);

/**
 * Measured only with `LAYOUT_SHIFT=on`, on an idle machine: which of several answers arrives first changes what moves, and the
 * load of the machine decides that.
 */
const SHIFT = 0.05;
const isShiftMeasured = process.env['LAYOUT_SHIFT'] === 'on';
const HEIGHT = 900;

type Shifted = { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly };
type LayoutShift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: Shifted[] };
type Measured = { __shift: number; __moved: string[] };

/** Runs in a page: sums up what moves without an input of the user. */
function sumShifts(): void {
  const measured = window as unknown as Measured;
  measured.__shift = 0;
  measured.__moved = [];
  const nameOf = (node: Node | null) =>
    node instanceof Element
      ? `${node.tagName.toLowerCase()} “${node.textContent.trim().slice(0, 30)}”`
      : 'text';
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput, sources } = entry as LayoutShift;
      if (hadRecentInput) continue;
      measured.__shift += value;
      for (const { node, previousRect, currentRect } of sources)
        measured.__moved.push(`${nameOf(node)} from ${previousRect.y} to ${currentRect.y}`);
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** How much of the sidebar is below the screen. */
const hiddenSidebar = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const sidebar = document.querySelector('#root > div > header');
    return sidebar === null ? 0 : sidebar.scrollHeight - sidebar.clientHeight;
  });

/** Badges that reach over the right edge of the screen. */
const cutBadges = (page: Page): Promise<string[]> =>
  page
    .locator('main span.rounded.font-medium')
    .evaluateAll((badges) =>
      badges
        .filter((badge) => badge.getBoundingClientRect().right > document.documentElement.clientWidth)
        .map((badge) => badge.textContent),
    );

/** A page is loaded in the first width, which shows its layout shifts, and looked at in both. */
async function faultsOf(page: Page, url: string, widths: readonly [number, number]): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    if (width === widths[0]) {
      await open(page, url);
      await drawn(page);
      const { __shift: shift, __moved: moved } = await page.evaluate(() => {
        const { __shift, __moved } = window as unknown as Measured;
        return { __shift, __moved };
      });
      if (isShiftMeasured && shift >= SHIFT)
        faults.push(`${url} at ${width} px: shift ${shift.toFixed(3)}: ${moved.join(', ')}`);
    }
    await drawn(page);
    const overflow = await overflowOf(page);
    if (overflow > 0) faults.push(`${url} at ${width} px: ${overflow} px too wide`);
    const cut = width === 390 ? await cutBadges(page) : [];
    if (cut.length > 0) faults.push(`${url} at ${width} px: cut badges ${cut.join(', ')}`);
    if (width === 1440 && (await hiddenSidebar(page)) > 0) faults.push(`${url}: the sidebar is cut`);
  }
  return faults;
}

for (const role of ['account', 'brp', 'operator'] as const)
  for (const widths of [
    [1440, 900],
    [390, 320],
  ] as const)
    test(`pages of ${role} fit at ${widths.join(' and ')} px`, () =>
      stage.visitApart(
        visitors[role],
        async (page) => {
          await page.addInitScript(sumShifts);
          const faults: string[] = [];
          for (const url of Object.values(pages[role]).flat())
            faults.push(...(await faultsOf(page, url, widths)));
          assert.deepEqual(faults, []);
        },
        { locale: 'de-DE', ...(widths[0] < 1000 && { hasTouch: true, isMobile: true }) },
      ));
