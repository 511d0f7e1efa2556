import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { LedgerKey } from '../ledger/seal.ts';
import { ConfigError, fileOf } from './config-error.ts';
import { checkPrivateFile, writePrivateFile } from './private-file.ts';

const NAME = 'LEDGER_KEY_FILE';

function parsePem(pem: Buffer): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

/** The private key of seals: Ed25519 in PKCS#8 PEM. */
export function readLedgerKey(file: string): LedgerKey {
  const privateKey = parsePem(fileOf(NAME, file));
  if (privateKey?.asymmetricKeyType !== 'ed25519')
    throw new ConfigError(`${NAME} must be a file with an Ed25519 key in PKCS#8 PEM, but "${file}" is not.`);
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { privateKey, publicKey: Buffer.from(x, 'base64url') };
}

export const checkLedgerKeyFile = (file: string): void => checkPrivateFile(NAME, file, readLedgerKey);

/** Replaces the key of the file by a new one, or creates the file. */
export async function renewLedgerKey(file: string): Promise<LedgerKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await writePrivateFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return readLedgerKey(file);
}

/** The key of the file, which the first start creates. */
export async function ensureLedgerKey(file: string, say: (message: string) => void): Promise<LedgerKey> {
  if (existsSync(file)) return readLedgerKey(file);
  const key = await renewLedgerKey(file);
  say(`Made the key that signs the ledger: ${file}. Keep a copy of it apart from the database.`);
  return key;
}
