import { existsSync } from 'node:fs';
import path from 'node:path';
import { FolderInUse } from '@saldo/postgres/cluster.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import { SALDO } from '../platform/db/embedded.ts';
import { readDatabaseUrl, readDataDir, readDirectUrl } from '../start/config.ts';
import { BackupError } from './backup.ts';

/** The database that DATABASE_URL or DATA_DIR names, ready for connections. */
export type Place = { readonly name: string; readonly url: string; close(): Promise<void> };

type Environment = Readonly<Record<string, string | undefined>>;
type Say = (message: string) => void;

/** The database to back up. A running embedded database is used as it is. A stopped one is started temporarily. */
export async function openSource(env: Environment, say: Say): Promise<Place> {
  const external = externalPlace(env);
  if (external !== null) return external;
  const dataDir = path.resolve(readDataDir(env));
  const name = `the database in ${dataDir}`;
  if (!existsSync(path.join(dataDir, 'postgres'))) {
    throw new BackupError(
      `There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL as for the server.`,
    );
  }
  try {
    const { url, stop } = await startEmbeddedPostgres({ application: SALDO, dataDir, say });
    return { name, url, close: stop };
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
  }
  const url = await findRunningPostgres(SALDO, dataDir).catch((error: Error) => {
    throw new BackupError(
      `The server in ${dataDir} cannot be reached: ${error.message}. ` +
        'Run this as the user of the server or as root, and not while the server starts or stops.',
      { cause: error },
    );
  });
  return { name, url, close: async () => {} };
}

/** The database to restore into. A missing embedded database is created. Its server must not be running. */
export async function openTarget(env: Environment, say: Say): Promise<Place> {
  const external = externalPlace(env);
  if (external !== null) return external;
  const dataDir = path.resolve(readDataDir(env));
  const { url, stop } = await startEmbeddedPostgres({
    application: SALDO,
    dataDir,
    say,
    settings: RESTORE_SETTINGS,
  });
  return { name: `the database in ${dataDir}`, url, close: stop };
}

/** With minimal WAL, tables that are created and loaded in one transaction are not logged but synced at commit. */
const RESTORE_SETTINGS = { wal_level: 'minimal', max_wal_senders: '0' };

function externalPlace(env: Environment): Place | null {
  // A backup needs a session of its own, so it cannot use a pooler.
  const url = readDirectUrl(env) ?? readDatabaseUrl(env);
  return url === null ? null : { name: 'the database of DATABASE_URL', url, close: async () => {} };
}
