import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

let stack: AsyncDisposableStack | null = null;

/**
 * Calls `act` when the test file ends. The last call is run first, unlike the `after` hooks of Node, so that each part
 * of a test can clean up after itself: a process ends before its database is dropped and its folder deleted.
 */
export function atEnd(act: () => unknown): void {
  if (stack === null) {
    const opened = new AsyncDisposableStack();
    stack = opened;
    after(async () => {
      stack = null;
      await opened.disposeAsync();
    });
  }
  stack.defer(async () => void (await act()));
}

/** A new folder, which is deleted when the test file ends. */
export async function temporaryFolder(prefix = 'saldo-'): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
