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
import { startInOrder } from './in-order.ts';
import type { Platform, PlatformDependencies } from './start-platform.ts';
import { type startService, startTracer } from './start-service.ts';
import { openConfigured, startStore } from './start-store.ts';
import { WorkerFailed } from './worker-failed.ts';

type ListenerName = 'brp' | 'customer';

/** What a worker reports on request: its metrics, or whether writes fail because of a full disk. */
type Report = { readonly metrics: string; readonly isFull: boolean };
type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'accepted'; readonly connection: number }
  | { readonly kind: 'report'; readonly report: Partial<Report> };
/** The socket is sent with the message `connection`. */
type ToWorker =
  | { readonly kind: 'report'; readonly of: keyof Report }
  | { readonly kind: 'stop' }
  | { readonly kind: 'connection'; readonly connection: number; readonly listener: ListenerName };

/** Delay before a worker is replaced, so that one that fails at once does not use all CPU time. */
const RESTART_AFTER_MS = 1_000;
/** The report of a worker that does not respond in this time is omitted. */
const REPORT_WITHIN_MS = 2_000;
/** A connection that its worker has not accepted in this time is closed. Without a free file descriptor, a worker never receives it. */
const ACCEPT_WITHIN_MS = 10_000;

/**
 * The worker may have been killed a moment ago: without a callback, the error of the write would end this process. The handlers
 * of `disconnect` and `exit` deal with the worker's end.
 */
const say = (worker: Worker, message: ToWorker) => worker.send(message, () => {});

/**
 * Starts several processes that share the ports of the listeners. This process runs the store, accepts connections,
 * passes them to the workers in turn, serves their metrics, and replaces workers that exit. It does not use the port
 * sharing of the cluster module, so that a stop can close the ports before it stops the workers: no connection is
 * then passed to a worker that no longer accepts it.
 */
export const startWorkers = (config: Config, dependencies: PlatformDependencies): Promise<Platform> =>
  startInOrder(async (started) => {
    const store = await startStore(config, dependencies);
    started.push(store.stop);
    const tracer = await startTracer(config, dependencies.logger);
    if (tracer !== null) started.push(() => tracer.stop());
    const db = openConfigured(config, store.url, null);
    started.push(() => db.close());
    const ports: Server[] = [];
    const pool = createWorkerPool(dependencies.logger);
    started.push(async () => {
      pool.hold();
      await untilQuiet(pool.countAccepted);
      for (const port of ports) port.close();
      await pool.stop();
    });
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
    // Keep the admin server up until everything except the store has stopped.
    started.splice(1, 0, admin.stop);
    return { baseUrl, customerUrl, adminUrl: admin.url };
  });

async function originOf(server: Server, { tls }: Config): Promise<string> {
  await once(server, 'listening');
  const { family, address, port } = server.address() as AddressInfo;
  return `http${tls === null ? '' : 's'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function createWorkerPool(logger: Logger) {
  /** All workers, each with the connections that it was given and has not accepted yet. */
  const running = new Map<Worker, Map<number, Socket>>();
  /** The workers that accept connections and answer messages. */
  let ready: Worker[] = [];
  const given: Record<ListenerName, number> = { brp: 0, customer: 0 };
  /** Connections that arrived while no worker was ready or while the ports are being closed. */
  const held: [ListenerName, Socket][] = [];
  let isHolding = false;
  let isStopping = false;

  async function start(environment: Record<string, string>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const worker = cluster.fork(environment);
    running.set(worker, new Map());
    let isReady = false;
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'accepted') return closeCopy(worker, message.connection);
      if (message.kind !== 'ready') return;
      isReady = true;
      resolve();
      // A worker that starts does not hear messages.
      if (isStopping) return void say(worker, { kind: 'stop' });
      ready.push(worker);
      giveHeld();
    });
    // `disconnect` does not follow while a socket is on its way.
    worker.once('exit', (code, signal) => {
      remove(worker);
      if (!isReady) return reject(signal === null ? new WorkerFailed() : endedWhileStarting(signal));
      if (!isStopping) void replace({ pid: worker.process.pid, code, signal }, environment);
    });
    // A process that cannot be started has no `exit`.
    worker.once('error', (error) => {
      remove(worker);
      reject(error);
    });
    return promise;
  }

  /** Closes this process's copy of a socket, which ends the connection unless the worker has one too. */
  function closeCopy(worker: Worker, connection: number): void {
    running.get(worker)?.get(connection)?.destroy();
    running.get(worker)?.delete(connection);
  }

  function remove(worker: Worker): void {
    ready = ready.filter((other) => other !== worker);
    for (const socket of running.get(worker)?.values() ?? []) socket.destroy();
    running.delete(worker);
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
    const connection = countAccepted();
    running.get(worker)?.set(connection, socket);
    socket.setTimeout(ACCEPT_WITHIN_MS, () => closeCopy(worker, connection));
    const message: ToWorker = { kind: 'connection', connection, listener };
    worker.send(message, socket, { keepOpen: true }, (error) => {
      if (error === null || !running.get(worker)?.delete(connection)) return;
      // The worker has ended, and nothing was sent to it.
      ready = ready.filter((other) => other !== worker);
      give(listener, socket);
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
    const reported = await Promise.all(ready.map((worker) => reportOf(worker, 'isFull')));
    return reported.includes(true);
  };

  async function metrics(): Promise<string> {
    const reported = ready.map(async (worker): Promise<[number, string][]> => {
      const text = await reportOf(worker, 'metrics');
      return text === null ? [] : [[worker.process.pid ?? 0, text]];
    });
    return metricsOfWorkers((await Promise.all(reported)).flat());
  }

  async function stop(): Promise<void> {
    isStopping = true;
    isHolding = false;
    giveHeld();
    const workers = [...running.keys()];
    const ended = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of workers) say(worker, { kind: 'stop' });
    await Promise.all(ended);
  }

  return { start, give, hold, countAccepted, isFull, metrics, stop };
}

const endedWhileStarting = (signal: string) =>
  Object.assign(new Error(`A worker was ended by ${signal} while it started.`), { code: signal });

function reportOf<Name extends keyof Report>(worker: Worker, of: Name): Promise<Report[Name] | null> {
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

/** Serves as a worker until the first process sends `stop`. Node ends a worker whose first process has ended, with its requests. */
export function serveAsWorker(
  { app, customerApp, db, metrics, stop }: Awaited<ReturnType<typeof startService>> & { metrics: Metrics },
  leave: (stopped: Promise<void>) => void,
): void {
  const listeners = { brp: app.server, customer: customerApp.server };
  const tell = (message: FromWorker) => process.send?.(message);
  const report = async (of: keyof Report): Promise<Partial<Report>> =>
    of === 'isFull' ? { isFull: db.isFull() } : { metrics: await metrics.text() };
  let isStopping = false;
  process.on('message', (message: ToWorker, socket?: Socket) => {
    if (message.kind === 'stop') {
      // A worker that becomes ready during a stop may hear it twice.
      if (!isStopping) leave(stop());
      isStopping = true;
      return;
    }
    if (message.kind === 'report')
      return void report(message.of).then((reported) => tell({ kind: 'report', report: reported }));
    tell({ kind: 'accepted', connection: message.connection });
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
