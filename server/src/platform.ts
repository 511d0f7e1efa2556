import type { Logger } from 'pino';
import { createAdminServer, listen } from './admin.ts';
import { createApp } from './app.ts';
import { type Clock, type MovableClock, movableClock } from './clock.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { startEmbeddedPostgres } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { DEFAULT_GATE_RULES } from './domain/gates.ts';
import { nominateDue } from './features/nominations/actions.ts';
import { followSandboxClock } from './features/sandbox/operator-routes.ts';
import { runProfiles } from './features/transactions/profiles.ts';
import { loadPortal } from './http/portal-files.ts';
import { originOf } from './http/server.ts';
import { type Job, startJobs } from './jobs.ts';
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
  /** Whether the platform does by itself what has to be done again and again. */
  readonly runsJobs: boolean;
  /** Where the built portal is; null for a platform without one. */
  readonly portalDir: string | null;
};

/** Database, migrations, what must be there, listeners: in this order, so that whoever gets an answer gets a right one. */
export async function startPlatform(config: Config, surroundings: Surroundings): Promise<Platform> {
  const { logger, say, prepare, runsJobs, portalDir } = surroundings;
  const clock = movableClock(surroundings.clock);
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
    if (config.sandbox) await followSandboxClock(db, clock);

    const metrics = createMetrics();
    const admin = createAdminServer(db, metrics);
    const adminUrl = await listen(admin, config.adminHost, config.adminPort);
    started.push(() => closeServer(admin));

    const portal = portalDir === null ? null : await loadPortal(portalDir);
    const app = await createApp({ config, db, clock, logger, metrics, portal });
    started.push(() => app.close());
    await app.listen({ host: config.host, port: config.port });
    if (runsJobs) {
      const jobs = startJobs(platformJobs(config, db, clock), logger);
      started.push(() => jobs.stop());
    }
    return { baseUrl: config.baseUrl ?? originOf(app), adminUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How soon a change of volumes becomes a nomination without anybody asking. */
const NOMINATE_EVERY_MS = 250;
const MAKE_PROFILES_EVERY_MS = 10 * 60_000;
const FOLLOW_CLOCK_EVERY_MS = 1_000;

const platformJobs = (config: Config, db: Database, clock: MovableClock): Job[] => [
  {
    name: 'nominate',
    everyMs: NOMINATE_EVERY_MS,
    run: () => nominateDue(db, clock.now(), DEFAULT_GATE_RULES, { rested: true }),
  },
  {
    name: 'profiles',
    everyMs: MAKE_PROFILES_EVERY_MS,
    run: () => runProfiles(db, clock.now(), config.profileDays),
  },
  ...(config.sandbox
    ? [{ name: 'clock', everyMs: FOLLOW_CLOCK_EVERY_MS, run: () => followSandboxClock(db, clock) }]
    : []),
];

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
