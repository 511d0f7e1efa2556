import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { openDatabase } from './db/database.ts';
import { type Metrics, metricsOfWorkers } from './metrics.ts';
import { type Platform, type Surroundings, startAdmin, type startService, startStore } from './platform.ts';

/** A worker tells where it listens, and on demand how it does. */
type FromWorker =
  | { readonly kind: 'ready'; readonly baseUrl: string; readonly customerUrl: string }
  | { readonly kind: 'metrics'; readonly text: string };
type ToWorker = { readonly kind: 'metrics' | 'stop' };

type Ready = Extract<FromWorker, { kind: 'ready' }>;

/** A worker that ends again and again shall not take the machine with it. */
const RESTART_AFTER_MS = 1_000;
/** A worker that is too busy to tell how it does is left out. */
const METRICS_WITHIN_MS = 2_000;

const say = (worker: Worker, message: ToWorker) => worker.send(message);

/**
 * Several processes that share the listeners' ports. This one has the store, tells how the others do, and replaces one
 * that ends.
 */
export async function startWorkers(config: Config, surroundings: Surroundings): Promise<Platform> {
  const store = await startStore(config, surroundings);
  const crew = workersOn(store.url, surroundings.logger);
  const db = openDatabase(store.url);
  const stop = async () => {
    await crew.stop();
    await db.close();
    await store.stop();
  };
  try {
    // What keeps the first from starting keeps all of them from it, and is told once.
    const { baseUrl, customerUrl } = await crew.start();
    await Promise.all(Array.from({ length: config.workers - 1 }, () => crew.start()));
    const admin = await startAdmin(config, db, {
      contentType: 'text/plain; version=0.0.4',
      text: crew.metrics,
    });
    return {
      baseUrl,
      customerUrl,
      adminUrl: admin.url,
      stop: () => stop().finally(() => admin.stop()),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function workersOn(databaseUrl: string, logger: Logger) {
  const running = new Set<Worker>();
  let isStopping = false;

  function start(): Promise<Ready> {
    const { promise, resolve, reject } = Promise.withResolvers<Ready>();
    const worker = cluster.fork({ DATABASE_URL: databaseUrl });
    running.add(worker);
    let isReady = false;
    worker.on('message', (message: FromWorker) => {
      if (message.kind !== 'ready') return;
      isReady = true;
      resolve(message);
    });
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (!isReady) return reject(new WorkerFailed());
      if (!isStopping) void replace({ pid: worker.process.pid, code, signal });
    });
    return promise;
  }

  async function replace(ended: object): Promise<void> {
    logger.error(ended, 'a worker has ended; another one takes its place');
    await delay(RESTART_AFTER_MS);
    if (!isStopping) await start().catch((err: unknown) => replace({ err }));
  }

  async function metrics(): Promise<string> {
    const texts = await Promise.all(
      [...running].map(async (worker) => [worker.process.pid ?? 0, await metricsOf(worker)] as const),
    );
    return metricsOfWorkers(texts.filter((text): text is readonly [number, string] => text[1] !== null));
  }

  async function stop(): Promise<void> {
    isStopping = true;
    const ended = [...running].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of running) if (worker.isConnected()) say(worker, { kind: 'stop' });
    await Promise.all(ended);
  }

  return { start, metrics, stop };
}

/** Why is told by the worker itself. */
export class WorkerFailed extends Error {
  override name = 'WorkerFailed';
}

function metricsOf(worker: Worker): Promise<string | null> {
  if (!worker.isConnected()) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const hear = (message: FromWorker) => message.kind === 'metrics' && resolve(message.text);
  const timer = setTimeout(() => resolve(null), METRICS_WITHIN_MS);
  worker.on('message', hear);
  say(worker, { kind: 'metrics' });
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', hear);
  });
}

/** In a worker: tells that it is ready and does what it is told, until it is told to stop or nobody is there to tell. */
export function serveAsWorker(
  { baseUrl, customerUrl, metrics, stop }: Awaited<ReturnType<typeof startService>> & { metrics: Metrics },
  leave: (stopped: Promise<void>) => void,
): void {
  const tell = (message: FromWorker) => process.send?.(message);
  let isStopping = false;
  const end = () => {
    if (isStopping) return;
    isStopping = true;
    leave(stop());
  };
  process.on('disconnect', end);
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') end();
    else void metrics.text().then((text) => tell({ kind: 'metrics', text }));
  });
  // Who stops the platform at a terminal signals every process; the first one tells the others.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  tell({ kind: 'ready', baseUrl, customerUrl });
}
