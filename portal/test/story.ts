import assert from 'node:assert/strict';
import type { Language } from '@saldo/core/messages/language.ts';
import type { Page } from 'playwright-core';
import { eventually } from '../../server/test/until.ts';
import { MISMATCH_TEXTS } from '../src/exchange/mismatch-texts.ts';
import { formatOf } from '../src/i18n/format.ts';
import { STORY_TEXTS } from '../src/story/texts.ts';

export const LOCALES = { en: 'en-GB', de: 'de-DE' } as const;

/** The panel of the story. */
export const panelOf = (page: Page) => page.locator('#story');

/** Starts the story, which is offered, and takes all its steps by the keyboard. `onStep` sees each of them done. */
export async function play(
  page: Page,
  language: Language,
  act: { onChanged?: () => Promise<unknown>; onStep?: (step: string) => Promise<void> } = {},
): Promise<void> {
  const texts = STORY_TEXTS[language];
  const panel = panelOf(page);
  const press = async (name: string) => {
    const button = panel.getByRole('button', { name, exact: true });
    await button.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
  };
  /** Waits until the step is done, and lets the caller look at it. */
  const done = async (step: 'change' | 'move' | 'send' | 'cut' | 'why', path: RegExp) => {
    await panel.getByText(texts[step].title, { exact: true }).waitFor();
    await page.waitForURL((url) => path.test(url.pathname));
    const name = step === 'why' ? texts.finish : texts.next;
    const button = panel.getByRole('button', { name, exact: true });
    await button.and(page.locator('[aria-busy=false]')).waitFor();
    await act.onStep?.(step);
  };
  await panel.getByRole('button', { name: texts.start, exact: true }).focus();
  await press(texts.start);
  await press(texts.change.action);
  await panel
    .getByText(texts.waiting)
    .or(panel.getByText(texts.next, { exact: true }))
    .first()
    .waitFor();
  await act.onChanged?.();
  await done('change', /^\/operator\/contracts\/con_/);
  await press(texts.next);
  await done('move', /^\/operator\/nominations\/nom_/);
  await press(texts.next);
  // Shortly before a gate, and after a quiet time in the intraday phase, the job may have sent it.
  await page.waitForURL((url) => url.pathname === '/operator/exchange');
  const send = panel.getByRole('button', { name: texts.send.action, exact: true });
  const next = panel.getByRole('button', { name: texts.next, exact: true });
  await send.or(next).waitFor();
  // Between the two calls the job may send it, and the button is gone.
  if (await send.isVisible()) await Promise.race([send.press('Enter'), next.waitFor()]);
  await done('send', /^\/operator\/exchange$/);
  await press(texts.next);
  await press(texts.cut.action);
  await done('cut', /^\/operator\/messages\/msg_/);
  await press(texts.next);
  await done('why', /^\/operator\/mismatches$/);
  const sides = page.getByRole('region', { name: MISMATCH_TEXTS[language].selected });
  const counterpart = sides.locator('dt', { hasText: MISMATCH_TEXTS[language].counterpart }).locator('+ dd');
  const [, announced = ''] = /([\d.,]+ MWh)/.exec(await counterpart.innerText()) ?? [];
  assert.notEqual(announced, '');
  await panel.getByText(texts.why.counterpart(announced.replace(' MWh', ''))).waitFor();
  // The reason is on the screen, not below the panel.
  await eventually(async () => {
    const isShown = await counterpart.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
    assert.ok(isShown);
  });
  await press(texts.finish);
  await panel.waitFor({ state: 'detached' });
}

/** How a day is written. */
export const dayText = (language: Language, day: string) => formatOf(language).day(day);
