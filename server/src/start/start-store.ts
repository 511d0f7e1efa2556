import { startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import type { Logger } from 'pino';
import { continueEventLog } from '../events/actions.ts';
import { addLedgerKey } from '../ledger/seal.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Database, type OpenDatabase, openDatabase } from '../platform/db/database.ts';
import { SALDO } from '../platform/db/embedded.ts';
import { migrate } from '../platform/db/migrate.ts';
import { checkSettings } from '../platform/db/pooler.ts';
import { type Config, createFolders } from './config.ts';
import { type Started, startInOrder } from './in-order.ts';
import { backfillLedger } from './ledger-backfill.ts';
import { checkLedgerKeyFile, ensureLedgerKey } from './ledger-key-file.ts';
import { checkSecretsKeys, sealStoredSecrets, withSecretsLock } from './start-secrets.ts';

export type StoreDependencies = {
  /** Prints progress messages of the start. */
  readonly say: (message: string) => void;
  /** Creates the data that must exist before the first request. */
  readonly prepare: (db: Database) => Promise<void>;
};

/** Starts the embedded database if needed, applies migrations and prepares the data. */
export const startStore = (config: Config, { say, prepare }: StoreDependencies) =>
  startInOrder(async (started) => {
    const url = config.databaseUrl ?? (await embeddedDatabase(config, say, started));
    if (config.databaseUrl !== null) say('Using the database of DATABASE_URL.');
    const directUrl = config.databaseDirectUrl;
    await checkSettings(url, directUrl !== null);
    await checkSecretsKeys(directUrl ?? url, config.secretsKeyFile);
    checkLedgerKeyFile(config.ledgerKeyFile);
    await migrate(directUrl ?? url, say);
    // With `DATABASE_URL` only now, so that a start with an unusable database leaves nothing behind.
    createFolders(config);
    await sealStoredSecrets(directUrl ?? url, config.secretsKeyFile, say);
    // Processes that start at once may share the file.
    const ledgerKey = await withSecretsLock(directUrl ?? url, () =>
      ensureLedgerKey(config.ledgerKeyFile, say),
    );
    const db = openDatabase(url, { directUrl });
    try {
      await backfillLedger(db, say);
      await db.transaction((tx) => addLedgerKey(tx, ledgerKey, systemClock.now()));
      if (await db.transaction(continueEventLog))
        say('The database is a copy: event numbers skip those that it lacks.');
      await prepare(db);
    } finally {
      await db.close();
    }
    return { url };
  });

async function embeddedDatabase(
  config: Config,
  say: (message: string) => void,
  started: Started,
): Promise<string> {
  createFolders(config);
  const { dataDir } = config;
  const embedded = await startEmbeddedPostgres({ application: SALDO, dataDir, say });
  started.push(() => embedded.stop());
  return embedded.url;
}

/** The database as configured, with its replicas. Without a logger, outages are not logged. */
export function openConfigured(
  config: Config,
  url: string,
  logger: Logger | null,
  clock: Clock = systemClock,
): OpenDatabase {
  const { databaseDirectUrl: directUrl, databaseReadUrls: urls } = config;
  const onChange = (replica: string, reason: string | null) =>
    reason === null
      ? logger?.info({ replica }, 'replica is in use')
      : logger?.warn({ replica, reason }, 'replica is left out: its reads go to other servers');
  return openDatabase(url, {
    ...(logger === null ? {} : { listener: availabilityLog(logger) }),
    directUrl,
    clock,
    replicas: urls.length === 0 ? null : { urls, maxLagMs: config.readLagS * 1000, onChange },
  });
}

/** Logs an outage of the database once. Logging each failed request and job would flood the log. */
const availabilityLog = (logger: Logger) => ({
  lost: (reason: Error) => logger.error({ err: reason }, 'database lost: requests are answered 503'),
  back: (awayMs: number) => logger.info({ away_ms: Math.round(awayMs) }, 'database is back'),
  full: (reason: Error) =>
    logger.error(
      { err: reason },
      'database disk is full: writes are answered 503, and jobs wait, until there is space',
    ),
  spaceAgain: (fullMs: number) =>
    logger.info({ full_ms: Math.round(fullMs) }, 'database disk has space again: writes succeed'),
});
