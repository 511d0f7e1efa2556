import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { refuse } from './config-error.ts';

/** Other users of the machine must not read schedules and answers. */
export const PRIVATE = 0o700;

/** Creates the folder of the setting `name`, and checks that it can be written to. */
export function folder(name: string, value: string, mode?: number): string {
  const dir = path.resolve(value);
  try {
    createFolder(dir, mode);
  } catch {
    refuse(name, 'a folder that exists or can be created', value);
  }
  try {
    // Permission bits are not enough: the file system may be read-only or full.
    rmdirSync(mkdtempSync(path.join(dir, '.saldo-')));
  } catch (error) {
    refuse(name, `a folder that can be written to (${(error as NodeJS.ErrnoException).code})`, value);
  }
  return dir;
}

/** Not `recursive`: that never returns where `mkdir` answers ENOENT in a folder that exists, as in /proc. */
function createFolder(dir: string, mode?: number): void {
  if (existsSync(dir)) return;
  const parent = path.dirname(dir);
  if (parent !== dir) createFolder(parent, mode);
  try {
    mkdirSync(dir, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
