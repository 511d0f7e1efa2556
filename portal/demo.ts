import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { startProduct } from '../server/test/product.ts';

export type DemoRole = 'brp' | 'operator' | 'account';

/** A running platform with the demo data. */
export type Demo = {
  readonly baseUrl: string;
  /** Signs in by the form. */
  signIn(page: Page, role: DemoRole): Promise<void>;
};

/** Starts the platform with its demo data in a temporary folder, and ends it afterwards. */
export async function withDemo(act: (demo: Demo) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-demo-'));
  try {
    const product = await startProduct({ DATA_DIR: folder });
    // Also after Ctrl C, which ends this process only.
    process.once('exit', () => product.child.kill());
    try {
      const { baseUrl } = product;
      const { users } = await product.demo();
      await act({
        baseUrl,
        async signIn(page, role) {
          const user = users.find((known) => known.role === role);
          if (!user) throw new Error(`The demo data has no user of the role ${role}.`);
          await page.goto(`${baseUrl}/sign-in`);
          await page.fill('input[name=email]', user.email);
          await page.fill('input[name=password]', user.password);
          await page.click('button[type=submit]');
          await page.waitForURL(`${baseUrl}/`);
        },
      });
    } finally {
      await product.end('SIGTERM');
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until a page shows its data. Not until the network is idle: a long poll waits for changes. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector('.animate-pulse') === null &&
      // Images below the screen are loaded when they are scrolled into view.
      [...document.images].every(
        (image) => image.complete || image.getBoundingClientRect().top > window.innerHeight,
      ),
  );
}
