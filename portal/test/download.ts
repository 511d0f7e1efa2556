import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';

/** Clicks a button and returns the file that the browser downloads. */
export async function downloadBy(button: Locator): Promise<{ name: string; bytes: Buffer }> {
  const downloading = button.page().waitForEvent('download');
  await button.click();
  const file = await downloading;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}
