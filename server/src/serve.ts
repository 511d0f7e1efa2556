import cluster from 'node:cluster';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { type DestinationStream, pino } from 'pino';
import type { Config } from './config.ts';
import type { DemoAccess } from './demo/load.ts';
import { type FirstAccess, prepareFirstStart, readDemoAccess } from './first-start.ts';
import { monotonicNow, systemClock } from './platform/clock.ts';
import { ensurePortal } from './portal-build.ts';
import { type Platform, startPlatform, startService } from './start-platform.ts';
import { invitationLink } from './users/actions.ts';
import { openInWorker, serveAsWorker, startWorkers } from './workers.ts';

/** Standard output is for messages to people. Standard error is the log. */
const say = (message: string) => process.stdout.write(`${message}\n`);

const LOG_FLUSH_MS = 500;
const LOG_BATCH_LENGTH = 32 * 1024;

/** Batches log lines, because one system call per line would cost more than many requests do. */
function logDestination(): DestinationStream {
  const log = pino.destination({ dest: process.stderr.fd, sync: false });
  let lines = '';
  const writeBatch = () => {
    if (lines !== '') log.write(lines);
    lines = '';
  };
  setInterval(writeBatch, LOG_FLUSH_MS).unref();
  process.on('exit', () => {
    writeBatch();
    log.flushSync();
  });
  return {
    write(line) {
      lines += line;
      if (lines.length >= LOG_BATCH_LENGTH) writeBatch();
    },
  };
}

function createLogger(level: Config['logLevel']) {
  // Full paths, because a wildcard would make pino inspect every member of every line.
  return pino(
    { level, base: null, redact: ['headers["x-api-key"]', 'req.headers["x-api-key"]'] },
    logDestination(),
  );
}

/** Starts the server, or one of its workers, and prints its addresses. It stops with a signal. */
export async function serve(config: Config): Promise<void> {
  const logger = createLogger(config.logLevel);
  const service = { clock: systemClock, logger, runsJobs: true };
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
  const demo = config.isProduction ? null : await readDemoAccess(config);
  // Before the greeting, because a script may send a signal as soon as it has read it.
  stopOnSignal(platform);
  // One write, so that a script that waits for the first line gets the complete greeting.
  process.stdout.cork();
  greet(platform, first, demo);
  if (config.workers > 1 && config.redisUrl === null) {
    say(
      `Each of the ${config.workers} workers counts rate limits separately. Set REDIS_URL to count together.`,
    );
    say('');
  }
  process.stdout.uncork();
}

function greet(
  platform: Platform,
  { newOperatorKey, invitation }: FirstAccess,
  demo: DemoAccess | null,
): void {
  const { baseUrl, customerUrl, adminUrl } = platform;
  say('');
  say('Saldo is ready.');
  say('');
  say(`  BRP API       ${baseUrl}/v1`);
  say(`  Docs          ${baseUrl}/docs`);
  say(`  Portal        ${baseUrl}/`);
  say(`  Customer API  ${customerUrl}/v1`);
  say(`  Its docs      ${customerUrl}/docs`);
  say(`  Health        ${adminUrl}/readyz`);
  say('');
  if (newOperatorKey !== null) {
    say(`  Operator key (shown only once): ${newOperatorKey}`);
    say('');
  }
  if (invitation !== null) {
    say(`  Portal link for ${invitation.email} (valid once, for 72 hours):`);
    say(`  ${invitationLink(baseUrl, invitation.token)}`);
    say('');
  }
  const [brp] = demo?.brps ?? [];
  const [account] = demo?.accounts ?? [];
  if (!brp || !account) return;
  const header = `-H 'X-Api-Key: ${brp.api_key}'`;
  const [user] = demo?.users ?? [];
  if (user) {
    say(
      `Sign in to the portal as ${user.email}; all users and their passwords are in demo.json in the data folder.`,
    );
    say('');
  }
  say(`Try it as ${brp.name} (all demo keys are in demo.json in the data folder):`);
  say('');
  say(`  curl ${header} '${baseUrl}/v1/contracts?limit=3'`);
  say(`  curl ${header} '${baseUrl}/v1/transactions?delivery_date=${dayOf(systemClock.now())}&limit=100'`);
  say(`  curl ${header} '${baseUrl}/v1/nominations?status=match&include_slots=true&limit=1'`);
  say(`  curl ${header} '${baseUrl}/v1/customers?status=pending'`);
  say('');
  const accountHeader = `-H 'X-Api-Key: ${account.api_key}'`;
  say(`Or browse the market as ${account.name}:`);
  say('');
  say(`  curl ${accountHeader} '${customerUrl}/v1/assets?limit=3'`);
  say(`  curl ${accountHeader} '${customerUrl}/v1/demands?limit=3'`);
  say('');
}

/** Debounce: a signal to the process group arrives twice, once directly and once forwarded by npm. */
const SAME_SIGNAL_MS = 1_000;

/** The first signal stops gracefully, a second one immediately. */
function stopOnSignal(platform: Platform): void {
  let stoppingSince: number | null = null;
  const stop = () => {
    const at = monotonicNow();
    if (stoppingSince === null) {
      stoppingSince = at;
      say('Stopping…');
      exitWhen(platform.stop());
    } else if (at - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function exitWhen(stopped: Promise<void>): void {
  stopped.then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
}
