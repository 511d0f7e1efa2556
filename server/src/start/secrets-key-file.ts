import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { KEY_BYTES } from '../platform/auth/sealed-secrets.ts';
import { ConfigError, fileOf } from './config-error.ts';

const NAME = 'SECRETS_KEY_FILE';
const ONLY_OWNER = 0o600;

/** Creates the file with a new key, unless it exists. */
export function ensureSecretsKeyFile(file: string): void {
  if (existsSync(file)) return;
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx', ONLY_OWNER);
  } catch (error) {
    // Another process may have created it meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  writeSync(descriptor, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** The keys of the file, one per line in base64. The first one seals. */
export function readSecretsKeys(file: string): Buffer[] {
  const lines = fileOf(NAME, file)
    .toString('latin1')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const keys = lines.map((line) => Buffer.from(line, 'base64'));
  if (keys.length === 0 || keys.some((key) => key.length !== KEY_BYTES))
    throw new ConfigError(`${NAME} must be a file with a key of ${KEY_BYTES} bytes in base64 on each line.`);
  return keys;
}
