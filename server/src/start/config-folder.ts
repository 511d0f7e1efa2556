import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { refuse } from './config-error.ts';

/** Other users of the machine must not read schedules and answers. */
export const PRIVATE = 0o700;

/** Checks that the folder of the setting `name` can be written to, or can be created. Leaves nothing behind. */
export function folder(name: string, value: string): string {
  const dir = path.resolve(value);
  try {
    // Permission bits are not enough: the file system may be read-only or full.
    rmdirSync(mkdtempSync(path.join(existingPart(dir), '.saldo-')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const must = existsSync(dir)
      ? `a folder that can be written to (${code})`
      : 'a folder that exists or can be created';
    refuse(name, must, value);
  }
  return dir;
}

const existingPart = (dir: string): string => (existsSync(dir) ? dir : existingPart(path.dirname(dir)));

/** Not `recursive`: that never returns where `mkdir` answers ENOENT in a folder that exists, as in /proc. */
export function createFolder(dir: string, mode?: number): void {
  if (existsSync(dir)) return;
  createFolder(path.dirname(dir), mode);
  try {
    mkdirSync(dir, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
