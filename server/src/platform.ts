import type { Logger } from 'pino';
import { createAdminServer, listen } from './admin.ts';
import { createApp } from './app.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { startEmbeddedPostgres } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { createMetrics } from './metrics.ts';

export type Platform = {
  /** How the outside names the BRP API. */
  readonly baseUrl: string;
  readonly adminUrl: string;
  /** Finishes what is being answered, then closes everything in the reverse order of its start. */
  stop(): Promise<void>;
};

export type Surroundings = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tells a person what the start is doing while it does it. */
  readonly say: (message: string) => void;
  /** What has to be in the database before the first request is answered. */
  readonly prepare: (db: Database) => Promise<void>;
};

/** Database, migrations, what must be there, listeners: in this order, so that whoever gets an answer gets a right one. */
export async function startPlatform(config: Config, surroundings: Surroundings): Promise<Platform> {
  const { clock, logger, say, prepare } = surroundings;
  const started: (() => Promise<void>)[] = [];
  const stop = async () => {
    while (started.length > 0) await started.pop()?.();
  };
  try {
    const url = config.databaseUrl ?? (await embeddedDatabase(config.dataDir, say, started));
    if (config.databaseUrl !== null) say('Using the database of DATABASE_URL.');
    await migrate(url, say);
    const db = openDatabase(url);
    started.push(() => db.close());
    await prepare(db);

    const metrics = createMetrics();
    const admin = createAdminServer(db, metrics);
    const adminUrl = await listen(admin, config.adminHost, config.adminPort);
    started.push(() => closeServer(admin));

    const app = await createApp({ config, db, clock, logger, metrics });
    started.push(() => app.close());
    await app.listen({ host: config.host, port: config.port });
    return { baseUrl: config.baseUrl ?? app.listeningOrigin, adminUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function embeddedDatabase(
  dataDir: string,
  say: (message: string) => void,
  started: (() => Promise<void>)[],
): Promise<string> {
  const embedded = await startEmbeddedPostgres({ dataDir, say });
  started.push(() => embedded.stop());
  return embedded.url;
}

const closeServer = (server: ReturnType<typeof createAdminServer>) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
