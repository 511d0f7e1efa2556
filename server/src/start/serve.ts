import cluster from 'node:cluster';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { pino } from 'pino';
import type { DemoAccess } from '../demo/load.ts';
import { monotonicNow, systemClock } from '../platform/clock.ts';
import { LogDestination } from '../platform/telemetry/log-destination.ts';
import { invitationLink } from '../users/actions.ts';
import type { Config } from './config.ts';
import { type FirstAccess, prepareFirstStart, readDemoAccess } from './first-start.ts';
import { ensurePortal } from './portal-build.ts';
import { type Platform, startPlatform } from './start-platform.ts';
import { startService } from './start-service.ts';
import { openInWorker, serveAsWorker, startWorkers } from './workers.ts';

/** Standard output is for messages to people. Standard error is the log. */
const say = (message: string) => process.stdout.write(`${message}\n`);

function createLogger(level: Config['logLevel'], destination: LogDestination) {
  // Full paths, because a wildcard would make pino inspect every member of every line.
  return pino(
    { level, base: null, redact: ['headers["x-api-key"]', 'req.headers["x-api-key"]'] },
    destination,
  );
}

/** Starts the server, or one of its workers, and prints its addresses. It stops with a signal. */
export async function serve(config: Config): Promise<void> {
  const log = new LogDestination(process.stderr);
  // A message that cannot be written, for example because its reader has ended, must not stop the server.
  process.stdout.on('error', () => {});
  const logger = createLogger(config.logLevel, log);
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
  const demo = config.isProduction ? null : await readDemoAccess(config);
  // Before the greeting, because a script may send a signal as soon as it has read it.
  stopOnSignal(() => exitWhen(platform.stop()));
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
    say(`  Operator key: ${newOperatorKey}`);
    say('');
  }
  if (invitation !== null) {
    say(`  Portal link for ${invitation.email} (valid once, for 72 hours):`);
    say(`  ${invitationLink(baseUrl, invitation.token)}`);
    say('');
    say(
      '  Until one has been used, each start makes new ones. Later: saldo operator-key, saldo operator-link.',
    );
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
