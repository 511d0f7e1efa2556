import assert from 'node:assert/strict';
import type { BrowserContext, Locator, Page } from 'playwright-core';

/** A field by its selector, and its new value: of a checkbox whether it is to be ticked, true for a button to press. */
export type Entry = readonly [selector: string, value: string | boolean];

type Filling = {
  readonly entries: readonly Entry[];
  /** The button that sends the form. */
  readonly button: string;
  /** Whether a field's value is set by the browser's own setter, which a framework cannot notice. */
  readonly isNative: boolean;
};

/** Runs in a page: fills in and sends a form within one task. Returns what kept it from doing so. */
function fillAtOnce({ entries, button, isNative }: Filling): string | null {
  const find = (selector: string) => document.querySelector<HTMLInputElement>(selector);
  for (const [selector, value] of entries) {
    const field = find(selector);
    if (field === null) return `there is no ${selector}`;
    if (typeof value === 'boolean') {
      if (field.checked !== value) field.click();
      continue;
    }
    const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
    if (isNative) own?.set?.call(field, value);
    else field.value = value;
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
  }
  const submit = find(button);
  if (submit === null || submit.disabled) return `${button} cannot be pressed`;
  submit.click();
  return null;
}

/** Runs a function in a world of its own, which shares the page's elements and none of its scripts. */
async function inIsolatedWorld(page: Page, filling: Filling): Promise<unknown> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
    });
    const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
      functionDeclaration: fillAtOnce.toString(),
      arguments: [{ value: filling }],
      executionContextId,
      returnByValue: true,
    });
    return exceptionDetails?.exception?.description ?? result.value;
  } finally {
    await session.detach();
  }
}

type Session = Awaited<ReturnType<BrowserContext['newCDPSession']>>;

/** Keys that do not wait for one another, as fast as the browser takes them. */
const pressed = (session: Session, keys: readonly string[]): Promise<unknown> =>
  Promise.all(
    keys.map((key) =>
      session.send('Input.dispatchKeyEvent', {
        type: 'keyDown',
        key,
        text: key === 'Enter' ? '\r' : key,
        ...(key === 'Enter' ? { windowsVirtualKeyCode: 13 } : {}),
      }),
    ),
  );

/** Whether Enter in this field sends its form. */
const isSentByEnter = (field: Locator) =>
  field.evaluate((element) => element instanceof HTMLInputElement && element.form !== null);

/** Types without pauses, and sends the form by Enter if its last field is a text. */
async function type(page: Page, entries: readonly Entry[], button: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const [index, [selector, value]] of entries.entries()) {
    const field = page.locator(selector);
    if (await field.evaluate(({ tagName }) => tagName === 'BUTTON')) await field.click();
    else if (typeof value === 'boolean') await field.setChecked(value);
    else if (await field.evaluate(({ tagName }) => tagName === 'SELECT')) await field.selectOption(value);
    else {
      await field.selectText();
      const isLast = index === entries.length - 1 && (await isSentByEnter(field));
      await pressed(session, [...value, ...(isLast ? ['Enter'] : [])]);
      if (isLast) return session.detach();
    }
  }
  await session.detach();
  await page.locator(button).click();
}

type Way = (page: Page, entries: readonly Entry[], button: string) => Promise<void>;

/** How people, scripts and password managers fill in and send a form. */
export type Ways = Readonly<Record<string, Way>>;

/** The hardest for a framework: all in one task, with the setters that it watches. */
export const AT_ONCE: Ways = {
  'by a script, with the setters of the browser': async (page, entries, button) =>
    assert.equal(await page.evaluate(fillAtOnce, { entries, button, isNative: true }), null),
};

export const OTHER_WAYS: Ways = {
  'typed without pauses': type,
  'by a script, with assignments': async (page, entries, button) =>
    assert.equal(await page.evaluate(fillAtOnce, { entries, button, isNative: false }), null),
  'by an extension such as a password manager': async (page, entries, button) =>
    assert.equal(await inIsolatedWorld(page, { entries, button, isNative: false }), null),
};
