import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { fingerprintText, readFingerprint } from '../changes/store.ts';
import { createEventIds } from '../events/ids.ts';
import { EventPoller } from '../events/poller.ts';
import { addJobMetrics, addPlatformMetrics } from '../health/metrics.ts';
import { createLastUsed } from '../platform/auth/last-used.ts';
import { createFollowingSealer } from '../platform/auth/sealed-secrets.ts';
import { type Clock, type MovableClock, monotonicNow, movableClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { formatAddress } from '../platform/http/client-address.ts';
import { readCursorSecret } from '../platform/http/cursor.ts';
import { loadPortal } from '../platform/http/portal-files.ts';
import { refusalCounter } from '../platform/http/refusals.ts';
import { MAX_WAITING, RequestQueue } from '../platform/http/request-queue.ts';
import { originOf } from '../platform/http/server.ts';
import { type RunningJobs, startJobs } from '../platform/jobs.ts';
import { createMetrics, type Metrics } from '../platform/telemetry/metrics.ts';
import type { Tracer } from '../platform/telemetry/tracer.ts';
import { OwnerRequestLog } from '../requests/log.ts';
import { followSandboxClock } from '../sandbox/operator-routes.ts';
import type { ImportCounts } from '../transactions/import-request.ts';
import { createSender, senderSettings } from '../webhooks/send.ts';
import { type AppDependencies, createApp, createCustomerApp } from './app.ts';
import type { Config } from './config.ts';
import { createDocumentation } from './documentation.ts';
import { type Started, startInOrder } from './in-order.ts';
import { jobsOf } from './jobs.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { readSecretsKeys } from './secrets-key-file.ts';
import { openConfigured } from './start-store.ts';

export type ServiceDependencies = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Lines of the log that could not be written since the start. */
  readonly droppedLogLines: () => number;
  /** Whether this process runs the periodic jobs. */
  readonly runsJobs: boolean;
  /** Folder of the built portal. Null for a platform without a portal. */
  readonly portalDir: string | null;
};

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
    const { logger, runsJobs, portalDir } = dependencies;
    const shared = await startShared(config, databaseUrl, dependencies, started);
    const { db, metrics, lastUsed, requests, poller } = shared;
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
      const running = startJobs(jobsOf(shared), logger);
      addJobMetrics(metrics, running);
      jobs.push(running);
    }
    const baseUrl = config.baseUrl ?? originOf(app);
    const flush = async () => void (await Promise.all([lastUsed.flush(), requests?.flush()]));
    return { db, metrics, app, customerApp, baseUrl, customerUrl, flush };
  });

/** Starts what the listeners and the jobs of a process share. */
async function startShared(
  config: Config,
  databaseUrl: string,
  { clock: machineClock, logger, droppedLogLines }: ServiceDependencies,
  started: Started,
): Promise<AppDependencies> {
  const clock = movableClock(machineClock);
  const opened = openConfigured(config, databaseUrl, logger, clock);
  started.push(() => opened.close());
  const tracer = await startTracer(config, logger);
  if (tracer !== null) started.push(() => tracer.stop());
  const db = tracer?.traceDatabase(opened) ?? opened;
  const lastUsed = createLastUsed(db, (address) => formatAddress(address, config.addressForm));
  started.push(() =>
    lastUsed
      .flush()
      .catch((err: unknown) => logger.warn({ err }, 'last use of keys and sessions not written')),
  );
  const requests = startRequestLog(config, db, clock, logger, started);
  if (config.sandbox) await followSandboxClock(db, clock);
  const { limiter, close: closeLimiter } = await createRateLimiter(config, logger);
  started.push(closeLimiter);
  const sender = createSender(senderSettings(config.allowsPrivateWebhooks, monotonicNow));
  started.push(async () => sender.close());
  const sealer = createFollowingSealer(() => readSecretsKeys(config.secretsKeyFile));
  const secret = await readCursorSecret(db, sealer);
  const eventIds = createEventIds(secret);
  const poller = new EventPoller(db, logger, async (from) => fingerprintText(await readFingerprint(from)));
  const rule = { atOnce: config.requestsAtOnce, maxWaiting: MAX_WAITING, maxWaitMs: config.queueWaitMs };
  // One queue for all listeners of the process, since they share its single thread.
  const queue = new RequestQueue(rule, monotonicNow);
  const importCounts: ImportCounts = { rows: 0, rejected: 0 };
  const metrics = createMetrics();
  const countRefusal = refusalCounter(metrics);
  addPlatformMetrics(metrics, db, clock);
  addServiceMetrics(metrics, { queue, poller, importCounts, tracer, requests, droppedLogLines });
  const { allowsPrivateWebhooks: allowsPrivate } = config;
  const webhooks = { send: sender.send, allowsPrivate, ids: eventIds, sealer };
  const site = createDocumentation(config, (message) => logger.info(message));
  return {
    ...{
      config,
      db,
      clock,
      logger,
      metrics,
      countRefusal,
      tracer,
      limiter,
      lastUsed,
      requests,
      secret,
      sealer,
    },
    ...{ queue, poller, eventIds, webhooks, importCounts, site },
  };
}

function startRequestLog(
  { requestLog: { days, waiting: maxWaiting } }: Config,
  db: Database,
  clock: MovableClock,
  logger: Logger,
  started: Started,
): OwnerRequestLog | null {
  if (days === 0) return null;
  const requests = new OwnerRequestLog(db, { now: () => clock.machineNow(), logger, maxWaiting });
  started.push(() => requests.stop());
  return requests;
}

type Measured = Pick<AppDependencies, 'queue' | 'poller' | 'importCounts' | 'tracer' | 'requests'> &
  Pick<ServiceDependencies, 'droppedLogLines'>;

function addServiceMetrics(
  metrics: Metrics,
  { queue, poller, importCounts: counts, tracer, requests, droppedLogLines }: Measured,
): void {
  const aboutLog = 'Lines of the log that could not be written.';
  metrics.addCounter('saldo_log_lines_dropped_total', aboutLog, droppedLogLines);
  const aboutRequests = 'Requests that are missing in the log of their owner.';
  metrics.addCounter('saldo_request_log_dropped_total', aboutRequests, () => requests?.dropped ?? 0);
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
  metrics.addGauge('saldo_event_readers_waiting', 'Long polls that wait for an event.', () => poller.waiting);
  metrics.addCounter('saldo_import_rows_total', 'Imported lines, rejected ones included.', () => counts.rows);
  metrics.addCounter('saldo_import_rejected_rows_total', 'Rejected lines of imports.', () => counts.rejected);
  if (tracer !== null)
    metrics.addLabelledCounter(
      'saldo_telemetry_dropped_total',
      'Records of telemetry that were not exported, by signal.',
      'signal',
      () => tracer.dropped,
    );
}

/** Loaded only if telemetry is configured, so that it costs nothing otherwise. */
export async function startTracer({ telemetry }: Config, logger: Logger): Promise<Tracer | null> {
  if (telemetry === null) return null;
  const { Tracer } = await import('../platform/telemetry/tracer.ts');
  return new Tracer(telemetry, logger);
}
