import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { startProduct } from './product.ts';
import { testFolder } from './programs.ts';

const run = promisify(execFile);

/**
 * Creates a data folder in which the product has loaded the demo and has been stopped. For tests that are not about a
 * first start, which takes five times as long as a later one.
 */
export async function createDemoFolder(dataDir: string): Promise<void> {
  const whole = path.join(testFolder(), 'demo');
  if (!existsSync(whole)) await loadDemoInto(whole);
  // Keeps the owner: as root, Postgres runs as another user.
  await run('cp', ['-a', whole, dataDir]);
}

/** Renames the folder when it is complete, because test files run concurrently. */
async function loadDemoInto(whole: string): Promise<void> {
  const draft = `${whole}-${randomUUID()}`;
  const product = await startProduct({ DATA_DIR: draft, DEMO: 'on', LOG_LEVEL: 'error' });
  const code = await product.end('SIGTERM');
  if (code !== 0) throw new Error(`ended with ${code}: ${product.output()}${product.log()}`);
  await rename(draft, whole).catch(async (error: unknown) => {
    // Another test file has finished the same folder first.
    if (!existsSync(whole)) throw error;
    await rm(draft, { recursive: true, force: true });
  });
}
