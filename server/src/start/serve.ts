import cluster from 'node:cluster';
import { pino } from 'pino';
import { monotonicNow, systemClock } from '../platform/clock.ts';
import { LogDestination } from '../platform/telemetry/log-destination.ts';
import { formatReadable } from '../platform/telemetry/readable-log.ts';
import type { Config } from './config.ts';
import { type FirstAccess, prepareFirstStart } from './first-start.ts';
import { greetingOf } from './greeting.ts';
import { ensurePortal } from './portal-build.ts';
import { startPlatform } from './start-platform.ts';
import { startService } from './start-service.ts';
import { openInWorker, serveAsWorker, startWorkers } from './workers.ts';

/** Standard output is for messages to people. Standard error is the log. */
const say = (message: string) => process.stdout.write(`${message}\n`);

/** A person at a terminal gets warnings and errors as plain lines, unless the settings ask for a log. */
const isForPerson = ({ logLevel, isProduction }: Config): boolean =>
  logLevel === null && !isProduction && process.stderr.isTTY;

function createLogger({ logLevel }: Config, destination: LogDestination) {
  // Full paths, because a wildcard would make pino inspect every member of every line.
  return pino(
    { level: logLevel ?? 'info', base: null, redact: ['headers["x-api-key"]', 'req.headers["x-api-key"]'] },
    destination,
  );
}

/** Starts the server, or one of its workers, and prints its addresses. It stops with a signal. */
export async function serve(config: Config): Promise<void> {
  const log = new LogDestination(process.stderr, isForPerson(config) ? formatReadable : undefined);
  // A message that cannot be written, for example because its reader has ended, must not stop the server.
  process.stdout.on('error', () => {});
  const logger = createLogger(config, log);
  const service = { clock: systemClock, logger, droppedLogLines: () => log.dropped, runsJobs: true };
  const exitWhen = (stopped: Promise<void>) => exitAfter(stopped, log);
  if (cluster.isWorker && config.databaseUrl !== null) {
    const portalDir = await ensurePortal(config.dataDir, () => {});
    const start = startService(config, config.databaseUrl, { ...service, portalDir }, openInWorker);
    serveAsWorker(await start, exitWhen);
    return;
  }
  let first: FirstAccess = { newOperatorKey: null, invitation: null };
  const start = config.workers > 1 ? startWorkers : startPlatform;
  const platform = await start(config, {
    ...service,
    say,
    portalDir: await ensurePortal(config.dataDir, say),
    prepare: async (db) => {
      first = await prepareFirstStart(db, config, systemClock, say);
    },
  });
  // Before the greeting, because a script may send a signal as soon as it has read it.
  stopOnSignal(() => exitWhen(platform.stop()));
  // One write, so that a script that waits for the first line gets the complete greeting.
  say(greetingOf(config, platform, first, process.stdout.isTTY));
}

/** Debounce: a signal to the process group arrives twice, once directly and once forwarded by npm. */
const SAME_SIGNAL_MS = 1_000;

/** The first signal stops gracefully, a second one immediately. */
function stopOnSignal(exit: () => void): void {
  let stoppingSince: number | null = null;
  const stop = () => {
    const at = monotonicNow();
    if (stoppingSince === null) {
      stoppingSince = at;
      say('Stopping…');
      exit();
    } else if (at - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function exitAfter(stopped: Promise<void>, log: LogDestination): void {
  const exit = (code: number) => log.flush().then(() => process.exit(code));
  stopped.then(
    () => exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      return exit(1);
    },
  );
}
