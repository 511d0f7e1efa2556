import { addDays, dayOf, dayStart } from '@saldo/core/delivery-day.ts';
import { startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import { answerOutbox } from '@saldo/simulator/folders.ts';
import { CONFORMING } from '@saldo/simulator/tso.ts';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAdminServer, listen } from './admin.ts';
import { createApp, createCustomerApp, createRateLimiter } from './app.ts';
import { fingerprintText, readFingerprint } from './changes/store.ts';
import { type Config, createFolders } from './config.ts';
import { createDocumentation } from './documentation.ts';
import { checkpointEvents, continueEventLog, deleteOldEvents } from './events/actions.ts';
import { readEventIds } from './events/ids.ts';
import { EventPoller } from './events/poller.ts';
import { type AlarmRow, countByKind, wireAlarm } from './exchange/alarms.ts';
import { remindOfGates } from './exchange/process/gate-reminders.ts';
import { receiveDue } from './exchange/process/receive.ts';
import { logFaults, logUnreadable, remoteJobs } from './exchange/process/remote-jobs.ts';
import { sendDue } from './exchange/process/send.ts';
import { watchExchange } from './exchange/process/watch.ts';
import { exchangeOf } from './exchange-settings.ts';
import { addJobMetrics, addPlatformMetrics } from './health/metrics.ts';
import { nominateDue } from './nominations/actions.ts';
import { remindOfExpiringKeys } from './parties/key-reminders.ts';
import { createLastUsed, type LastUsed } from './platform/auth/last-used.ts';
import { type Clock, type MovableClock, monotonicNow, movableClock } from './platform/clock.ts';
import {
  type Database,
  type OpenDatabase,
  openDatabase,
  type PrimaryDatabase,
} from './platform/db/database.ts';
import { SALDO } from './platform/db/embedded.ts';
import { migrate } from './platform/db/migrate.ts';
import { checkSettings } from './platform/db/pooler.ts';
import { loadPortal } from './platform/http/portal-files.ts';
import { MAX_WAITING, RequestQueue } from './platform/http/request-queue.ts';
import { originOf } from './platform/http/server.ts';
import { type Job, type RunningJobs, startJobs } from './platform/jobs.ts';
import { createMetrics, type Metrics } from './platform/telemetry/metrics.ts';
import type { Tracer } from './platform/telemetry/tracer.ts';
import { followSandboxClock } from './sandbox/operator-routes.ts';
import type { ImportCounts } from './transactions/import-request.ts';
import { runProfiles } from './transactions/profiles.ts';
import { deleteOldDeliveries } from './webhooks/fan-out.ts';
import { createSender, senderSettings } from './webhooks/send.ts';
import { createWebhookWorker, type WorkerDependencies, webhookJob } from './webhooks/worker.ts';

export type Platform = {
  /** Public URL of the BRP API. */
  readonly baseUrl: string;
  /** Public URL of the customer API. */
  readonly customerUrl: string;
  readonly adminUrl: string;
  /** Drains requests in flight, then stops all components in reverse order of their start. */
  stop(): Promise<void>;
};

export type PlatformDependencies = StoreDependencies & ServiceDependencies;

type StoreDependencies = {
  /** Prints progress messages of the start. */
  readonly say: (message: string) => void;
  /** Creates the data that must exist before the first request. */
  readonly prepare: (db: Database) => Promise<void>;
};

type ServiceDependencies = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Lines of the log that could not be written since the start. */
  readonly droppedLogLines: () => number;
  /** Whether this process runs the periodic jobs. */
  readonly runsJobs: boolean;
  /** Folder of the built portal. Null for a platform without a portal. */
  readonly portalDir: string | null;
};

type Started = (() => Promise<void>)[];

/** Stops components in reverse order of their start. */
async function stopAll(started: Started): Promise<void> {
  while (started.length > 0) await started.pop()?.();
}

/** Starts components in order. If one fails, stops those that were started before it. */
async function startInOrder<T>(
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

/** Starts store, service and admin server in this order, so that readiness is not reported too early. */
export const startPlatform = (config: Config, dependencies: PlatformDependencies) =>
  startInOrder(async (started) => {
    const store = await startStore(config, dependencies);
    started.push(store.stop);
    const service = await startService(config, store.url, dependencies);
    const { db, metrics, baseUrl, customerUrl, flush, stop } = service;
    started.push(stop);
    const admin = await startAdmin(config, db, async () => db.isFull(), metrics);
    // Keep the admin server up until everything except the store has stopped.
    started.splice(1, 0, admin.stop);
    return { baseUrl, customerUrl, adminUrl: admin.url, flush };
  });

/** Starts the embedded database if needed, applies migrations and prepares the data. */
export const startStore = (config: Config, { say, prepare }: StoreDependencies) =>
  startInOrder(async (started) => {
    const url = config.databaseUrl ?? (await embeddedDatabase(config, say, started));
    if (config.databaseUrl !== null) say('Using the database of DATABASE_URL.');
    const directUrl = config.databaseDirectUrl;
    await checkSettings(url, directUrl !== null);
    await migrate(directUrl ?? url, say);
    // With `DATABASE_URL` only now, so that a start with an unusable database leaves nothing behind.
    createFolders(config);
    const db = openDatabase(url, { directUrl });
    try {
      if (await db.transaction(continueEventLog))
        say('The database is a copy: event numbers skip those that it lacks.');
      await prepare(db);
    } finally {
      await db.close();
    }
    return { url };
  });

/** Opens a listener for connections. Workers get theirs from the first process instead of listening. */
type Open = (app: FastifyInstance, address: { host: string; port: number }) => Promise<unknown>;
const listenOn: Open = (app, address) => app.listen(address);

/** Starts both listeners and, if enabled, the jobs. */
export const startService = (
  config: Config,
  databaseUrl: string,
  dependencies: ServiceDependencies,
  open = listenOn,
) =>
  startInOrder(async (started) => {
    const { logger, droppedLogLines, runsJobs, portalDir } = dependencies;
    const clock = movableClock(dependencies.clock);
    const opened = openConfigured(config, databaseUrl, logger);
    started.push(() => opened.close());
    const tracer = await startTracer(config, logger);
    if (tracer !== null) started.push(() => tracer.stop());
    const db = tracer?.traceDatabase(opened) ?? opened;
    const lastUsed = createLastUsed(db);
    started.push(() =>
      lastUsed
        .flush()
        .catch((err: unknown) => logger.warn({ err }, 'last use of keys and sessions not written')),
    );
    if (config.sandbox) await followSandboxClock(db.current, clock);

    const metrics = createMetrics();
    addPlatformMetrics(metrics, db, clock);
    const aboutLog = 'Lines of the log that could not be written.';
    metrics.addCounter('saldo_log_lines_dropped_total', aboutLog, droppedLogLines);
    const { limiter, close: closeLimiter } = await createRateLimiter(config, logger);
    started.push(closeLimiter);
    const queue = requestQueue(config, metrics);
    const sender = createSender(senderSettings(config.allowsPrivateWebhooks, monotonicNow));
    started.push(async () => sender.close());
    const eventIds = await readEventIds(db.current);
    const webhooks = { send: sender.send, allowsPrivate: config.allowsPrivateWebhooks, ids: eventIds };
    const poller = new EventPoller(db.current, logger, async (from) =>
      fingerprintText(await readFingerprint(from)),
    );
    metrics.addGauge(
      'saldo_event_readers_waiting',
      'Long polls that wait for an event.',
      () => poller.waiting,
    );
    const importCounts = countImports(metrics);
    if (tracer !== null)
      metrics.addLabelledCounter(
        'saldo_telemetry_dropped_total',
        'Records of telemetry that were not exported, by signal.',
        'signal',
        () => tracer.dropped,
      );
    const stores = { config, db, clock, logger, metrics, tracer, limiter, lastUsed };
    const site = createDocumentation(config);
    const shared = { ...stores, queue, poller, eventIds, webhooks, importCounts, site };
    const listeners: FastifyInstance[] = [];
    const jobs: RunningJobs[] = [];
    // Stop listeners and jobs together: a job may run for a while, and no connection may be accepted in that time.
    started.push(async () => {
      const closed = listeners.map((listener) => listener.close());
      await Promise.all([poller.stop(), ...closed, ...jobs.map((running) => running.stop())]);
    });
    const customerApp = await createCustomerApp(shared);
    listeners.push(customerApp);
    await open(customerApp, { host: config.host, port: config.customerPort });
    // Start the customer API first: the operator API and the portal's content security policy contain its address.
    const customerUrl = config.customerBaseUrl ?? originOf(customerApp);
    const portal = portalDir === null ? null : await loadPortal(portalDir, customerUrl);
    const app = await createApp({ ...shared, customerUrl, portal });
    listeners.push(app);
    await open(app, { host: config.host, port: config.port });
    if (runsJobs) {
      const { replication } = db;
      const untilReplicated = async () => replication?.untilReplicated();
      const all = [
        ...platformJobs(config, db.current, clock, lastUsed),
        ...exchangeJobs(config, db, clock, logger, metrics),
        ...webhookJobs(
          {
            db: db.current,
            clock,
            logger,
            send: sender.send,
            random: Math.random,
            ids: eventIds,
            untilReplicated,
          },
          poller,
          metrics,
        ),
      ];
      const running = startJobs(all, logger);
      addJobMetrics(metrics, running);
      jobs.push(running);
    }
    const baseUrl = config.baseUrl ?? originOf(app);
    return { db, metrics, app, customerApp, baseUrl, customerUrl, flush: () => lastUsed.flush() };
  });

/** Loaded only if telemetry is configured, so that it costs nothing otherwise. */
export async function startTracer({ telemetry }: Config, logger: Logger): Promise<Tracer | null> {
  if (telemetry === null) return null;
  const { Tracer } = await import('./platform/telemetry/tracer.ts');
  return new Tracer(telemetry, logger);
}

/** The database as configured, with its replicas. Without a logger, outages are not logged. */
export function openConfigured(config: Config, url: string, logger: Logger | null): OpenDatabase {
  const { databaseDirectUrl: directUrl, databaseReadUrls: urls } = config;
  const onChange = (replica: string, reason: string | null) =>
    reason === null
      ? logger?.info({ replica }, 'replica is in use')
      : logger?.warn({ replica, reason }, 'replica is left out: its reads go to other servers');
  return openDatabase(url, {
    ...(logger === null ? {} : { listener: availabilityLog(logger) }),
    directUrl,
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

/** One queue for all listeners of the process, since they share its single thread. */
function requestQueue({ requestsAtOnce, queueWaitMs }: Config, metrics: Metrics): RequestQueue {
  const rule = { atOnce: requestsAtOnce, maxWaiting: MAX_WAITING, maxWaitMs: queueWaitMs };
  const queue = new RequestQueue(rule, monotonicNow);
  metrics.addGauge('saldo_http_requests_in_work', 'Requests in progress.', () => queue.inWork);
  metrics.addGauge('saldo_http_requests_waiting', 'Requests waiting in the queue.', () => queue.inQueue);
  metrics.addGauge(
    'saldo_http_bodies_arriving',
    'Requests whose body is still arriving.',
    () => queue.arrivals.count,
  );
  metrics.addCounter(
    'saldo_http_overload_rejections_total',
    'Requests rejected because of overload.',
    () => queue.rejected,
  );
  return queue;
}

function countImports(metrics: Metrics): ImportCounts {
  const counts: ImportCounts = { rows: 0, rejected: 0 };
  metrics.addCounter('saldo_import_rows_total', 'Imported lines, rejected ones included.', () => counts.rows);
  metrics.addCounter('saldo_import_rejected_rows_total', 'Rejected lines of imports.', () => counts.rejected);
  return counts;
}

export async function startAdmin(
  config: Config,
  db: OpenDatabase,
  isFull: () => Promise<boolean>,
  metrics: Pick<Metrics, 'text' | 'contentType'>,
) {
  const admin = createAdminServer(db, isFull, metrics);
  const url = await listen(admin, config.adminHost, config.adminPort);
  return { url, stop: () => closeServer(admin) };
}

/** Upper bound for the delay between a debounced change of volumes and its nomination. */
const NOMINATE_EVERY_MS = 250;
const MAKE_PROFILES_EVERY_MS = 10 * 60_000;
const FOLLOW_CLOCK_EVERY_MS = 1_000;
const WRITE_LAST_USED_EVERY_MS = 5_000;
const DELETE_EVENTS_EVERY_MS = 60_000;
const COUNT_EVENTS_EVERY_MS = 10_000;
const REMIND_EVERY_MS = 10_000;
/** Short, so that a change seconds before its gate is still sent in time. */
const SEND_EVERY_MS = 1_000;
const RECEIVE_EVERY_MS = 1_000;
const WATCH_EVERY_MS = 1_000;
const SIMULATE_EVERY_MS = 1_000;
const DELETE_EVERY_MS = 60_000;
const CONFORMING_TSO = { behaviour: CONFORMING, format: null, isIntermediateOnly: false, isImmediate: false };

const platformJobs = (
  config: Config,
  db: PrimaryDatabase,
  clock: MovableClock,
  lastUsed: LastUsed,
): Job[] => [
  {
    name: 'nominate',
    everyMs: NOMINATE_EVERY_MS,
    run: () => nominateDue(db, clock.now(), config.marketRules, { debounced: true }),
  },
  {
    name: 'profiles',
    everyMs: MAKE_PROFILES_EVERY_MS,
    run: () => runProfiles(db, clock.now(), config.profileDays),
  },
  {
    name: 'events',
    everyMs: DELETE_EVENTS_EVERY_MS,
    run: () => deleteOldEvents(db, dayStart(addDays(dayOf(clock.now()), -config.eventDays))),
  },
  { name: 'event-checkpoints', everyMs: COUNT_EVENTS_EVERY_MS, run: () => checkpointEvents(db) },
  { name: 'key-reminders', everyMs: REMIND_EVERY_MS, run: () => remindOfExpiringKeys(db, clock.now()) },
  {
    name: 'gate-reminders',
    everyMs: REMIND_EVERY_MS,
    run: () => remindOfGates(db, clock.now(), config.marketRules),
  },
  { name: 'last-used', everyMs: WRITE_LAST_USED_EVERY_MS, run: () => lastUsed.flush() },
  ...(config.sandbox
    ? [{ name: 'clock', everyMs: FOLLOW_CLOCK_EVERY_MS, run: () => followSandboxClock(db, clock) }]
    : []),
];

function webhookJobs(dependencies: WorkerDependencies, poller: EventPoller, metrics: Metrics): Job[] {
  const worker = createWebhookWorker(dependencies);
  const about = 'Tries of webhooks since the start, by outcome.';
  metrics.addLabelledCounter('saldo_webhook_tries_total', about, 'outcome', worker.counts);
  return [
    webhookJob(dependencies, worker, poller),
    { name: 'webhook-retention', everyMs: DELETE_EVERY_MS, run: () => deleteOldDeliveries(dependencies.db) },
  ];
}

function exchangeJobs(config: Config, db: Database, clock: Clock, logger: Logger, metrics: Metrics): Job[] {
  const exchange = exchangeOf(config);
  let openAlarms = countByKind([]);
  const about = 'Open alarms by kind.';
  metrics.addLabelledGauge('saldo_exchange_alarms', about, 'kind', () => openAlarms);
  return [
    {
      name: 'send',
      everyMs: SEND_EVERY_MS,
      async run() {
        logFaults(logger, (await sendDue(db, clock.now(), exchange)).faults);
      },
    },
    {
      name: 'receive',
      everyMs: RECEIVE_EVERY_MS,
      async run() {
        logUnreadable(logger, await receiveDue(db, clock.now(), exchange, exchange.inbox));
      },
    },
    ...remoteJobs(db, clock, logger, exchange),
    {
      name: 'watch',
      everyMs: WATCH_EVERY_MS,
      async run() {
        const { begun, ended, open } = await watchExchange(db, clock.now(), exchange);
        openAlarms = open;
        const inEnglish = (row: AlarmRow) => wireAlarm(row, 'en');
        for (const alarm of begun.map(inEnglish)) logger.warn({ alarm }, `alarm: ${alarm.text}`);
        for (const alarm of ended.map(inEnglish)) logger.warn({ alarm }, `alarm ended: ${alarm.text}`);
      },
    },
    ...(config.exchange.isSimulated && config.exchange.hasFolders
      ? [
          {
            name: 'simulate',
            everyMs: SIMULATE_EVERY_MS,
            run: () =>
              answerOutbox(config.exchange, { ...CONFORMING_TSO, rules: config.marketRules }, clock.now()),
          },
        ]
      : []),
  ];
}

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

const closeServer = (server: ReturnType<typeof createAdminServer>) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
