import { randomBytes } from 'node:crypto';
import { KEY_BYTES } from '../platform/auth/sealed-secrets.ts';
import { ConfigError, fileOf } from './config-error.ts';
import { checkPrivateFile, writePrivateFile } from './private-file.ts';

const NAME = 'SECRETS_KEY_FILE';
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

export const checkSecretsKeyFile = (file: string): void => checkPrivateFile(NAME, file, readSecretsKeys);

/** The caller holds the lock of secrets. */
export const writeSecretsKeys = (file: string, keys: readonly Uint8Array[]): Promise<void> =>
  writePrivateFile(file, keys.map((key) => `${Buffer.from(key).toString('base64')}\n`).join(''));
