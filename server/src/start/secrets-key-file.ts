import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { open, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '@saldo/postgres/cluster.ts';
import { KEY_BYTES } from '../platform/auth/sealed-secrets.ts';
import { ConfigError, fileOf } from './config-error.ts';
import { createFolder, folder, PRIVATE } from './config-folder.ts';

const NAME = 'SECRETS_KEY_FILE';
const ONLY_OWNER = 0o600;
const OTHERS = 0o077;
/** 32 bytes in base64. */
const KEY_LINE = /^[A-Za-z0-9+/]{43}=$/;

export const newSecretsKey = (): Buffer => randomBytes(KEY_BYTES);

/** The keys of the file, one per line in base64. The first one seals. */
export function readSecretsKeys(file: string): Buffer[] {
  const lines = fileOf(NAME, file)
    .toString('latin1')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0 || !lines.every((line) => KEY_LINE.test(line)))
    throw new ConfigError(
      `${NAME} must be a file with a key of ${KEY_BYTES} bytes in base64 on each line, but "${file}" is not.`,
    );
  return lines.map((line) => Buffer.from(line, 'base64'));
}

/**
 * The rule of ssh for its private keys. A file of another user, such as a secret that root mounts into a container, is
 * accepted with any mode, because the server's user cannot change it. Only a start checks it: a server that runs goes on, and
 * root may rotate the keys of a file that belongs to root and to the group of the server.
 */
function refuseOthers(file: string): void {
  const { uid, mode } = statSync(file);
  if (uid !== process.getuid?.() || (mode & OTHERS) === 0) return;
  const found = (mode & 0o777).toString(8).padStart(4, '0');
  throw new ConfigError(
    `${NAME} must be a file that only its owner can read, but the mode of "${file}" is ${found}. Run: chmod 600 '${file}'`,
  );
}

/** Checks that only the own user can read the file, or that it can be created. Leaves nothing behind. */
export function checkSecretsKeyFile(file: string): void {
  if (existsSync(file)) {
    readSecretsKeys(file);
    return refuseOthers(file);
  }
  try {
    folder(NAME, path.dirname(file));
  } catch (cause) {
    throw new ConfigError(`${NAME} must be in a folder that can be written to, but it was "${file}".`, {
      cause,
    });
  }
}

/**
 * Replaces the file, or creates it: after a kill or a power failure it has either its earlier content or the new one. It keeps its
 * owner and mode, because the command that rotates keys may run as root. The caller holds the lock of secrets.
 */
export async function writeSecretsKeys(file: string, keys: readonly Uint8Array[]): Promise<void> {
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
    await handle.writeFile(keys.map((key) => `${Buffer.from(key).toString('base64')}\n`).join(''));
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
