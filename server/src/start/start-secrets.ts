import { existsSync } from 'node:fs';
import type pg from 'pg';
import { createSealer, keyIdOf } from '../platform/auth/sealed-secrets.ts';
import { countByKey, sealPlain } from '../platform/auth/stored-secrets.ts';
import { optionsOf, WRITER_SETTINGS } from '../platform/db/connection.ts';
import { connectToPrimary } from '../platform/db/primary.ts';
import { ConfigError } from './config-error.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';
import { checkSecretsKeyFile, newSecretsKey, readSecretsKeys, writeSecretsKeys } from './secrets-key-file.ts';

/** A connection of its own: a session lock needs it, and the sealing of many secrets may take any time. */
async function onConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectToPrimary(url, {
    options: optionsOf({ ...WRITER_SETTINGS, statement_timeout: 0 }),
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Held while the file is changed or stored secrets are sealed. It ends with the connection. */
export const withSecretsLock = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  onConnection(url, async (client) => {
    await client.query("select pg_advisory_lock(hashtext('saldo secrets'))");
    return work(client);
  });

/** Rejects a file that lacks a key with which a secret of the database is sealed. */
export async function refuseMissingKeys(client: pg.Client, file: string): Promise<void> {
  const isThere = existsSync(file);
  const known = new Set(isThere ? readSecretsKeys(file).map(keyIdOf) : []);
  const missing = [...(await countByKey(client, SEALED_COLUMNS)).keys()]
    .filter((id) => !known.has(id))
    .toSorted();
  if (missing.length === 0) return;
  const [keys, them] = missing.length === 1 ? ['the key', 'it'] : ['the keys', 'them'];
  throw new ConfigError(
    `SECRETS_KEY_FILE must have ${keys} ${missing.join(', ')}: the secrets in the database are sealed with ${them}, ` +
      `but "${file}" ${isThere ? `does not have ${them}` : 'does not exist'}. Copy the file that the platform had before, ` +
      'or the one of another machine of the platform. If it is lost: saldo secrets reset.',
  );
}

/** Before the first change of the database. */
export const checkSecretsKeys = (url: string, file: string): Promise<void> =>
  onConnection(url, async (client) => {
    await refuseMissingKeys(client, file);
    checkSecretsKeyFile(file);
  });

/** Creates the file at the first start, and seals the secrets of an earlier version. Of several processes, one does it. */
export const sealStoredSecrets = (url: string, file: string, say: (message: string) => void): Promise<void> =>
  withSecretsLock(url, async (client) => {
    // Again, because another machine may have sealed something with its own new file meanwhile.
    await refuseMissingKeys(client, file);
    if (!existsSync(file)) {
      await writeSecretsKeys(file, [newSecretsKey()]);
      say(`Made the key of the secrets in the database: ${file}. Keep a copy of it apart from the database.`);
    }
    const sealed = await sealPlain(client, SEALED_COLUMNS, createSealer(readSecretsKeys(file)));
    // A new database has only the platform's own secret.
    if (sealed > 1) say(`Sealed ${sealed} secrets that were stored in clear text.`);
  });
