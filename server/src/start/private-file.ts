import { existsSync, statSync } from 'node:fs';
import { open, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '@saldo/postgres/cluster.ts';
import { ConfigError } from './config-error.ts';
import { createFolder, folder, PRIVATE } from './config-folder.ts';

/** Files of keys and credentials, which only their owner can read. `name` is the setting that names the file. */

const ONLY_OWNER = 0o600;
const OTHERS = 0o077;

/**
 * The rule of ssh for its private keys. A file of another user, such as a secret that root mounts into a container, is
 * accepted with any mode, because the server's user cannot change it. Only a start checks it: a server that runs goes on, and
 * root may rotate the keys of a file that belongs to root and to the group of the server.
 */
export function refuseOthers(name: string, file: string): void {
  const { uid, mode } = statSync(file);
  if (uid !== process.getuid?.() || (mode & OTHERS) === 0) return;
  const found = (mode & 0o777).toString(8).padStart(4, '0');
  throw new ConfigError(
    `${name} must be a file that only its owner can read, but the mode of "${file}" is ${found}. Run: chmod 600 '${file}'`,
  );
}

/** Checks that only the own user can read the file, or that it can be created. Leaves nothing behind. */
export function checkPrivateFile(name: string, file: string, read: (file: string) => unknown): void {
  if (existsSync(file)) {
    read(file);
    return refuseOthers(name, file);
  }
  try {
    folder(name, path.dirname(file));
  } catch (cause) {
    throw new ConfigError(`${name} must be in a folder that can be written to, but it was "${file}".`, {
      cause,
    });
  }
}

/**
 * Replaces the file, or creates it: after a kill or a power failure it has either its earlier content or the new one. It keeps its
 * owner and mode, because the command that rotates keys may run as root.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  createFolder(path.dirname(file), PRIVATE);
  const target = existsSync(file) ? await realpath(file) : file;
  const draft = `${target}.new`;
  const handle = await open(draft, 'w', ONLY_OWNER);
  try {
    await handle.chmod(ONLY_OWNER);
    if (existsSync(target)) {
      const { uid, gid, mode } = statSync(target);
      const own = await handle.stat();
      if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
      await handle.chmod(mode & 0o777);
    }
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(draft, target);
  } catch (error) {
    await handle.close();
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(target));
}
