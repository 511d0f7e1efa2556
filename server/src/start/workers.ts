import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { untilQuiet } from '../platform/http/connection-drain.ts';
import { type Metrics, metricsOfWorkers } from '../platform/telemetry/metrics.ts';
import { startAdmin } from './admin.ts';
import type { Config } from './config.ts';
import type { Platform, PlatformDependencies } from './start-platform.ts';
import { type startService, startTracer } from './start-service.ts';
import { openConfigured, startStore } from './start-store.ts';
import { WorkerFailed } from './worker-failed.ts';

type ListenerName = 'brp' | 'customer';

/** What a worker reports on request: its metrics, or whether writes fail because of a full disk. */
type Report = { readonly metrics: string; readonly isFull: boolean };
type FromWorker = { readonly kind: 'ready' } | { readonly kind: 'report'; readonly report: Partial<Report> };
/** The socket is sent with the message `connection`. */
type ToWorker =
  | { readonly kind: 'report'; readonly of: keyof Report }
  | { readonly kind: 'stop' }
  | { readonly kind: 'connection'; readonly listener: ListenerName };

/** Delay before a worker is replaced, so that one that fails at once does not use all CPU time. */
const RESTART_AFTER_MS = 1_000;
/** The report of a worker that does not respond in this time is omitted. */
const REPORT_WITHIN_MS = 2_000;

/**
 * Sends to a worker that may have been killed a moment ago and still counts as connected: without a callback, the error of the
 * write would end this process. The worker's `disconnect` follows.
 */
const say = (worker: Worker, message: ToWorker) => worker.send(message, () => {});

/**
 * Starts several processes that share the ports of the listeners. This process runs the store, accepts connections,
 * passes them to the workers in turn, serves their metrics, and replaces workers that exit. It does not use the port
 * sharing of the cluster module, so that a stop can close the ports before it stops the workers: no connection is
 * then passed to a worker that no longer accepts it.
 */
export async function startWorkers(config: Config, dependencies: PlatformDependencies): Promise<Platform> {
  const store = await startStore(config, dependencies);
  const db = openConfigured(config, store.url, null);
  const tracer = await startTracer(config, dependencies.logger);
  const ports: Server[] = [];
  const pool = createWorkerPool(dependencies.logger);
  const stop = async () => {
    pool.hold();
    await untilQuiet(pool.countAccepted);
    for (const port of ports) port.close();
    await pool.stop();
    await db.close();
    await store.stop();
    await tracer?.stop();
  };
  try {
    const share = async (listener: ListenerName, port: number) => {
      const server = createServer({ pauseOnConnect: true, noDelay: true });
      server.on('connection', (socket) => pool.give(listener, socket));
      ports.push(server);
      return originOf(server.listen(port, config.host), config);
    };
    const customerOrigin = await share('customer', config.customerPort);
    const origin = await share('brp', config.port);
    const customerUrl = config.customerBaseUrl ?? customerOrigin;
    const baseUrl = config.baseUrl ?? origin;
    const environment = { DATABASE_URL: store.url, BASE_URL: baseUrl, CUSTOMER_BASE_URL: customerUrl };
    // Start one worker first: an error that affects all workers is then reported once.
    await pool.start(environment);
    await Promise.all(Array.from({ length: config.workers - 1 }, () => pool.start(environment)));
    const admin = await startAdmin(config, db, pool.isFull, {
      contentType: 'text/plain; version=0.0.4',
      text: pool.metrics,
    });
    return { baseUrl, customerUrl, adminUrl: admin.url, stop: () => stop().finally(() => admin.stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function originOf(server: Server, { tls }: Config): Promise<string> {
  await once(server, 'listening');
  const { family, address, port } = server.address() as AddressInfo;
  return `http${tls === null ? '' : 's'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function createWorkerPool(logger: Logger) {
  const running = new Set<Worker>();
  let ready: Worker[] = [];
  const given: Record<ListenerName, number> = { brp: 0, customer: 0 };
  /** Connections that arrived while no worker was ready or while the ports are being closed. */
  const held: [ListenerName, Socket][] = [];
  let isHolding = false;
  let isStopping = false;

  function start(environment: Record<string, string>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const worker = cluster.fork(environment);
    running.add(worker);
    let isReady = false;
    worker.on('message', (message: FromWorker) => {
      if (message.kind !== 'ready') return;
      isReady = true;
      ready.push(worker);
      giveHeld();
      resolve();
    });
    worker.once('disconnect', () => {
      ready = ready.filter((other) => other !== worker);
    });
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (!isReady) return reject(new WorkerFailed());
      if (!isStopping) void replace({ pid: worker.process.pid, code, signal }, environment);
    });
    return promise;
  }

  async function replace(ended: object, environment: Record<string, string>): Promise<void> {
    logger.error(ended, 'worker exited; starting another one');
    await delay(RESTART_AFTER_MS);
    if (!isStopping) await start(environment).catch((err: unknown) => replace({ err }, environment));
  }

  /** Round robin. */
  function give(listener: ListenerName, socket: Socket): void {
    const worker = ready[given[listener]++ % ready.length];
    if (worker === undefined || isHolding) return void held.push([listener, socket]);
    worker.send({ kind: 'connection', listener } satisfies ToWorker, socket, (error) => {
      if (error !== null) socket.destroy();
    });
  }

  function giveHeld(): void {
    if (!isHolding) for (const [listener, socket] of held.splice(0)) give(listener, socket);
  }

  function hold(): void {
    isHolding = true;
  }

  const countAccepted = () => given.brp + given.customer;

  /** The first process itself writes nothing, so only the workers know whether writes fail. */
  const isFull = async () => {
    const reported = await Promise.all([...running].map((worker) => reportOf(worker, 'isFull')));
    return reported.includes(true);
  };

  async function metrics(): Promise<string> {
    const reported = [...running].map(async (worker): Promise<[number, string][]> => {
      const text = await reportOf(worker, 'metrics');
      return text === null ? [] : [[worker.process.pid ?? 0, text]];
    });
    return metricsOfWorkers((await Promise.all(reported)).flat());
  }

  async function stop(): Promise<void> {
    isStopping = true;
    isHolding = false;
    giveHeld();
    const ended = [...running].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of running) if (worker.isConnected()) say(worker, { kind: 'stop' });
    await Promise.all(ended);
  }

  return { start, give, hold, countAccepted, isFull, metrics, stop };
}

function reportOf<Name extends keyof Report>(worker: Worker, of: Name): Promise<Report[Name] | null> {
  if (!worker.isConnected()) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<Report[Name] | null>();
  const hear = (message: FromWorker) => {
    const reported = message.kind === 'report' ? message.report[of] : undefined;
    if (reported !== undefined) resolve(reported);
  };
  const omit = () => resolve(null);
  const timer = setTimeout(omit, REPORT_WITHIN_MS);
  worker.on('message', hear);
  worker.once('disconnect', omit);
  say(worker, { kind: 'report', of });
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', hear);
    worker.off('disconnect', omit);
  });
}

/**
 * Opens a listener in a worker, where connections come from the first process. Node sets up connection timeouts on
 * the event 'listening', so the event is emitted without listening.
 */
export async function openInWorker(app: FastifyInstance): Promise<void> {
  await app.ready();
  app.server.emit('listening');
}

/** Serves as a worker until the first process sends `stop` or disconnects. */
export function serveAsWorker(
  { app, customerApp, db, metrics, stop }: Awaited<ReturnType<typeof startService>> & { metrics: Metrics },
  leave: (stopped: Promise<void>) => void,
): void {
  const listeners = { brp: app.server, customer: customerApp.server };
  const tell = (message: FromWorker) => process.send?.(message);
  const report = async (of: keyof Report): Promise<Partial<Report>> =>
    of === 'isFull' ? { isFull: db.isFull() } : { metrics: await metrics.text() };
  let isStopping = false;
  const end = () => {
    if (isStopping) return;
    isStopping = true;
    leave(stop());
  };
  process.on('disconnect', end);
  process.on('message', (message: ToWorker, socket?: Socket) => {
    if (message.kind === 'stop') return end();
    if (message.kind === 'report')
      return void report(message.of).then((reported) => tell({ kind: 'report', report: reported }));
    // The socket is undefined if the client has disconnected meanwhile.
    if (socket === undefined) return;
    // As in an HTTP server: a client may close its side after sending its request.
    socket.allowHalfOpen = true;
    listeners[message.listener].emit('connection', socket);
  });
  // A terminal signals all processes of the group. Only the first process handles the signal and stops the workers.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  tell({ kind: 'ready' });
}
