import { DEFAULT_GATE_RULES } from '@saldo/core/gates.ts';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAdminServer, listen } from './admin.ts';
import { createApp, createCustomerApp, createRateLimiter } from './app.ts';
import { createLastUsed, type LastUsed } from './auth/last-used.ts';
import { type Clock, type MovableClock, monotonicNow, movableClock } from './clock.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { startEmbeddedPostgres } from './db/embedded.ts';
import { migrate } from './db/migrate.ts';
import { exchangeOf } from './exchange.ts';
import { receiveDue } from './features/exchange/receive.ts';
import { sendDue } from './features/exchange/send.ts';
import { nominateDue } from './features/nominations/actions.ts';
import { followSandboxClock } from './features/sandbox/operator-routes.ts';
import { runProfiles } from './features/transactions/profiles.ts';
import { loadPortal } from './http/portal-files.ts';
import { MAX_WAITING, RequestQueue } from './http/request-queue.ts';
import { originOf } from './http/server.ts';
import { type Job, type RunningJobs, startJobs } from './jobs.ts';
import { createMetrics, type Metrics } from './metrics.ts';
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

export type PlatformDependencies = StoreDependencies & ServiceDependencies;

type StoreDependencies = {
  /** Tells a person what the start is doing while it does it. */
  readonly say: (message: string) => void;
  /** What has to be in the database before the first request is answered. */
  readonly prepare: (db: Database) => Promise<void>;
};

type ServiceDependencies = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether the platform does by itself what has to be done again and again. */
  readonly runsJobs: boolean;
  /** Where the built portal is; null for a platform without one. */
  readonly portalDir: string | null;
};

type Started = (() => Promise<void>)[];

/** Ends what was started, the last one first. */
async function stopAll(started: Started): Promise<void> {
  while (started.length > 0) await started.pop()?.();
}

/** Starts one thing after the other; when one of them fails, those before it are ended again. */
async function startInTurn<T>(
  start: (started: Started) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const started: Started = [];
  try {
    return { ...(await start(started)), stop: () => stopAll(started) };
  } catch (error) {
    await stopAll(started);
    throw error;
  }
}

/** Store, what answers requests, what tells how it does: in this order, so that whoever gets an answer gets a right one. */
export const startPlatform = (config: Config, dependencies: PlatformDependencies) =>
  startInTurn(async (started) => {
    const store = await startStore(config, dependencies);
    started.push(store.stop);
    const service = await startService(config, store.url, dependencies);
    const { db, metrics, baseUrl, customerUrl, flush, stop } = service;
    started.push(stop);
    const admin = await startAdmin(config, db, metrics);
    // It tells how the rest does until the rest is gone.
    started.splice(1, 0, admin.stop);
    return { baseUrl, customerUrl, adminUrl: admin.url, flush };
  });

/** The database, migrated, and with everything in it that must be there. */
export const startStore = (config: Config, { say, prepare }: StoreDependencies) =>
  startInTurn(async (started) => {
    const url = config.databaseUrl ?? (await embeddedDatabase(config.dataDir, say, started));
    if (config.databaseUrl !== null) say('Using the database of DATABASE_URL.');
    await migrate(url, say);
    const db = openDatabase(url);
    await prepare(db).finally(() => db.close());
    return { url };
  });

/** Makes a listener ready for connections. */
type Open = (app: FastifyInstance, address: { host: string; port: number }) => Promise<unknown>;
const listenOn: Open = (app, address) => app.listen(address);

/** What one process does: both listeners, and the jobs. */
export const startService = (
  config: Config,
  databaseUrl: string,
  dependencies: ServiceDependencies,
  open = listenOn,
) =>
  startInTurn(async (started) => {
    const { logger, runsJobs, portalDir } = dependencies;
    const clock = movableClock(dependencies.clock);
    const db = openDatabase(databaseUrl, availabilityLog(logger));
    started.push(() => db.close());
    const lastUsed = createLastUsed(db);
    started.push(() =>
      lastUsed
        .flush()
        .catch((err: unknown) => logger.warn({ err }, 'last use of keys and sessions not written')),
    );
    if (config.sandbox) await followSandboxClock(db, clock);

    const metrics = createMetrics();
    const { limiter, close: closeLimiter } = createRateLimiter(config, logger);
    started.push(closeLimiter);
    const queue = requestQueue(config, metrics);
    const parts = { config, db, clock, logger, metrics, limiter, lastUsed, queue };
    const listeners: FastifyInstance[] = [];
    const jobs: RunningJobs[] = [];
    // Together, because a job may take a while and no new connection is to be accepted meanwhile.
    started.push(async () => {
      const closed = listeners.map((listener) => listener.close());
      await Promise.all([...closed, ...jobs.map((running) => running.stop())]);
    });
    const customerApp = await createCustomerApp(parts);
    listeners.push(customerApp);
    await open(customerApp, { host: config.host, port: config.customerPort });
    // The operator is told where covers are, and pages may show them, so the customer API has to have its address first.
    const customerUrl = config.customerBaseUrl ?? originOf(customerApp);
    const portal = portalDir === null ? null : await loadPortal(portalDir, customerUrl);
    const app = await createApp({ ...parts, customerUrl, portal });
    listeners.push(app);
    await open(app, { host: config.host, port: config.port });
    if (runsJobs) {
      const all = [...platformJobs(config, db, clock, lastUsed), ...exchangeJobs(config, db, clock, logger)];
      jobs.push(startJobs(all, logger));
    }
    const baseUrl = config.baseUrl ?? originOf(app);
    return { db, metrics, app, customerApp, baseUrl, customerUrl, flush: () => lastUsed.flush() };
  });

/** Requests and jobs fail by the thousand while the database is away; the log names the cause once. */
const availabilityLog = (logger: Logger) => ({
  lost: (reason: Error) => logger.error({ err: reason }, 'database lost: requests are answered 503'),
  back: (awayMs: number) => logger.info({ away_ms: Math.round(awayMs) }, 'database is back'),
});

/** One for all listeners of the process, since they share its one thread. */
function requestQueue({ requestsAtOnce, queueWaitMs }: Config, metrics: Metrics): RequestQueue {
  const rule = { atOnce: requestsAtOnce, maxWaiting: MAX_WAITING, maxWaitMs: queueWaitMs };
  const queue = new RequestQueue(rule, monotonicNow);
  metrics.addGauge('saldo_http_requests_in_work', 'Requests in work.', () => queue.inWork);
  metrics.addGauge('saldo_http_requests_waiting', 'Requests that wait to be worked on.', () => queue.inQueue);
  return queue;
}

/** Where those who run the platform look. */
export async function startAdmin(
  config: Config,
  db: Database,
  metrics: Pick<Metrics, 'text' | 'contentType'>,
) {
  const admin = createAdminServer(db, metrics);
  const url = await listen(admin, config.adminHost, config.adminPort);
  return { url, stop: () => closeServer(admin) };
}

/** How soon a change of volumes becomes a nomination without anybody asking. */
const NOMINATE_EVERY_MS = 250;
const MAKE_PROFILES_EVERY_MS = 10 * 60_000;
const FOLLOW_CLOCK_EVERY_MS = 1_000;
const WRITE_LAST_USED_EVERY_MS = 5_000;
/** A change that comes in seconds before its gate is still to meet it. */
const SEND_EVERY_MS = 1_000;
const RECEIVE_EVERY_MS = 1_000;
const SIMULATE_EVERY_MS = 1_000;
const CONFORMING_TSO = { behaviour: EXEMPLARY, format: null, isIntermediateOnly: false };

const platformJobs = (config: Config, db: Database, clock: MovableClock, lastUsed: LastUsed): Job[] => [
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
  { name: 'last-used', everyMs: WRITE_LAST_USED_EVERY_MS, run: () => lastUsed.flush() },
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
            run: () => answerOutbox(config.exchange, CONFORMING_TSO, clock.now()),
          },
        ]
      : []),
  ];
}

async function embeddedDatabase(
  dataDir: string,
  say: (message: string) => void,
  started: Started,
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
