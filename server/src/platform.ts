import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAdminServer, listen } from './admin.ts';
import { createApp, createCustomerApp, createRateLimiter } from './app.ts';
import { type Clock, type MovableClock, movableClock } from './clock.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { startEmbeddedPostgres } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { DEFAULT_GATE_RULES } from './domain/gates.ts';
import { exchangeOf } from './exchange.ts';
import { receiveDue } from './features/exchange/receive.ts';
import { sendDue } from './features/exchange/send.ts';
import { nominateDue } from './features/nominations/actions.ts';
import { followSandboxClock } from './features/sandbox/operator-routes.ts';
import { runProfiles } from './features/transactions/profiles.ts';
import { loadPortal } from './http/portal-files.ts';
import { originOf } from './http/server.ts';
import { type Job, startJobs } from './jobs.ts';
import { createMetrics } from './metrics.ts';
import { answerOutbox } from './simulator/folders.ts';
import { EXEMPLARY } from './simulator/tso.ts';

export type Platform = {
  /** How the outside names the BRP API. */
  readonly baseUrl: string;
  /** How the outside names the customer API. */
  readonly customerUrl: string;
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

    const { limiter, close: closeLimiter } = createRateLimiter(config, logger);
    started.push(closeLimiter);
    const parts = { config, db, clock, logger, metrics, limiter };
    const listeners: FastifyInstance[] = [];
    started.push(() => Promise.all(listeners.map((listener) => listener.close())).then(() => {}));
    const customerApp = await createCustomerApp(parts);
    listeners.push(customerApp);
    await customerApp.listen({ host: config.host, port: config.customerPort });
    // The operator is told where covers are, and pages may show them, so the customer API has to have its address first.
    const customerUrl = config.customerBaseUrl ?? originOf(customerApp);
    const portal = portalDir === null ? null : await loadPortal(portalDir, customerUrl);
    const app = await createApp({ ...parts, customerUrl, portal });
    listeners.push(app);
    await app.listen({ host: config.host, port: config.port });
    if (runsJobs) {
      const jobs = startJobs(
        [...platformJobs(config, db, clock), ...exchangeJobs(config, db, clock, logger)],
        logger,
      );
      started.push(() => jobs.stop());
    }
    return { baseUrl: config.baseUrl ?? originOf(app), customerUrl, adminUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How soon a change of volumes becomes a nomination without anybody asking. */
const NOMINATE_EVERY_MS = 250;
const MAKE_PROFILES_EVERY_MS = 10 * 60_000;
const FOLLOW_CLOCK_EVERY_MS = 1_000;
/** A change that comes in seconds before its gate is still to meet it. */
const SEND_EVERY_MS = 1_000;
const RECEIVE_EVERY_MS = 1_000;
const SIMULATE_EVERY_MS = 1_000;
const AS_IT_SHOULD_BE = { behaviour: EXEMPLARY, format: null, isIntermediateOnly: false };

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

function exchangeJobs(config: Config, db: Database, clock: Clock, logger: Logger): Job[] {
  const exchange = exchangeOf(config);
  return [
    {
      name: 'send',
      everyMs: SEND_EVERY_MS,
      async run() {
        const { faults } = await sendDue(db, clock.now(), exchange);
        for (const { isNews, ...fault } of faults) if (isNews) logger.error(fault, 'schedule not sent');
      },
    },
    {
      name: 'receive',
      everyMs: RECEIVE_EVERY_MS,
      run: () => receiveDue(db, clock.now(), exchange, exchange.inbox),
    },
    ...(config.exchange.isSimulated
      ? [
          {
            name: 'simulate',
            everyMs: SIMULATE_EVERY_MS,
            run: () => answerOutbox(config.exchange, AS_IT_SHOULD_BE, clock.now()),
          },
        ]
      : []),
  ];
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
