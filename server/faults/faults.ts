import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Fault } from './fault-run.ts';
import { childrenOf, findPostmaster, signal } from './processes.ts';
import type { Random } from './random.ts';
import { type Slowness, startSlowClients } from './slow-clients.ts';
import type { Target } from './target.ts';

/** Durations: short, above the timeout of the health check, and above the timeout of every request. */
const FREEZE_S = [2, 5, 18];
const DISK_FULL_S = [2, 5];
/** Longer than the server waits for a request (REQUEST_TIMEOUT_S). */
const SLOW_S = 15;
/** `/readyz` has to answer 503 within 2 s. The third second is a margin for a busy machine. */
const READYZ_WITHIN_MS = 3_000;
const EXIT_WITHIN_MS = 40_000;
/** Size of a segment of the write-ahead log, so that each message needs a new segment. */
const WAL_MESSAGE_BYTES = 16 * 1024 * 1024;
const WAL_MESSAGES = 40;

type Injection = {
  readonly target: Target;
  readonly random: Random;
  /** Reports a failure of the product, in one line. */
  fail(text: string): void;
};

type Inject = (injection: Injection) => Promise<void>;

const FAULTS: Readonly<Record<string, Omit<Fault, 'kind' | 'inject'> & { inject: Inject }>> = {
  'kill server': { inject: killServer, mayLoseConnections: true },
  'kill postmaster': { inject: killPostmaster },
  'kill backend': { inject: killBackend },
  'kill backend and server': { inject: killBackendAndServer, mayLoseConnections: true },
  'kill everything': { inject: killEverything, mayLoseConnections: true },
  'terminate backends': { inject: terminateBackends },
  'freeze postmaster': { inject: freezePostmaster },
  'freeze postgres': { inject: freezePostgres },
  'restart postgres': { inject: restartPostgres },
  'full disk': { inject: fillDisk },
  'full log disk': { inject: fillLogDisk, mayReject: false },
  'slow bodies': { inject: sendSlowly('bodies'), mayReject: false },
  'slow headers': { inject: sendSlowly('headers'), mayReject: false },
  'slow connections': { inject: sendSlowly('connections'), mayReject: false },
  'stop server': { inject: stopServer },
};

/** The faults of this target: a disk can be filled as root only. */
export const possibleFaults = (target: Target, random: Random): Fault[] =>
  Object.entries(FAULTS)
    .filter(([kind]) => !kind.startsWith('full') || target.disk.canBeFilled)
    .map(([kind, fault]) => ({
      ...fault,
      kind,
      inject: async (fail) => {
        await fault.inject({ target, random, fail });
        return {};
      },
    }));

async function killServer({ target }: Injection): Promise<void> {
  target.endServer('SIGKILL');
}

async function killPostmaster({ target }: Injection): Promise<void> {
  signal(await getPostmaster(target), 'SIGKILL');
}

/** Kills an active backend if there is one. Postgres then terminates all other backends and recovers. */
async function killBackend({ target }: Injection): Promise<void> {
  const [backend] = await target.sql<{ pid: number }>(
    `select pid from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()
     order by state = 'idle', random() limit 1`,
  );
  if (backend) signal(backend.pid, 'SIGKILL');
}

/** Kills the server during the recovery of Postgres, so that the next start finds a postmaster that is not ready. */
async function killBackendAndServer(injection: Injection): Promise<void> {
  await killBackend(injection);
  await delay(injection.random.integer(0, 60));
  await killServer(injection);
}

async function killEverything(injection: Injection): Promise<void> {
  const postmaster = await getPostmaster(injection.target);
  const pids = [...childrenOf(postmaster), postmaster];
  await killServer(injection);
  for (const pid of pids) signal(pid, 'SIGKILL');
}

async function terminateBackends({ target }: Injection): Promise<void> {
  await target.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
}

/** Existing connections continue; new ones hang. */
async function freezePostmaster({ target, random }: Injection): Promise<void> {
  await freeze([await getPostmaster(target)], random.pick(FREEZE_S), async () => {});
}

async function freezePostgres({ target, random, fail }: Injection): Promise<void> {
  const postmaster = await getPostmaster(target);
  const pids = [postmaster, ...childrenOf(postmaster)];
  const seconds = random.pick(FREEZE_S);
  await freeze(pids, seconds, async () => {
    const startedAt = Date.now();
    const url = `${target.adminUrl}/readyz`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(seconds * 1000) }).catch(() => null);
    const tookMs = Date.now() - startedAt;
    if (answer?.status === 503 && tookMs <= READYZ_WITHIN_MS) return;
    // A freeze that ended before the deadline does not test the timeout.
    if (answer === null && tookMs <= READYZ_WITHIN_MS) return;
    fail(`/readyz answered ${answer?.status ?? 'nothing'} after ${tookMs} ms while Postgres stood still`);
  });
}

async function freeze(
  pids: readonly number[],
  seconds: number,
  meanwhile: () => Promise<void>,
): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  try {
    await Promise.all([delay(seconds * 1000), meanwhile()]);
  } finally {
    for (const pid of pids) signal(pid, 'SIGCONT');
  }
}

/**
 * Fast shutdown and restart. An embedded Postgres gets SIGINT, as `pg_ctl` would send it, and is restarted by the
 * server.
 */
async function restartPostgres({ target }: Injection): Promise<void> {
  if (target.external === null) return signal(await getPostmaster(target), 'SIGINT');
  target.isPostgresHeld = true;
  await target.external.restart().finally(() => {
    target.isPostgresHeld = false;
  });
}

/** Fills the disk of the database, then forces the write-ahead log to grow. */
async function fillDisk({ target, random }: Injection): Promise<void> {
  target.disk.fill();
  try {
    await growWal(target);
    await delay(random.pick(DISK_FULL_S) * 1000);
  } finally {
    target.disk.free();
  }
}

async function growWal(target: Target): Promise<void> {
  const client = new pg.Client({ connectionString: target.databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    for (let count = 0; count < WAL_MESSAGES; count++) {
      await client.query("select pg_logical_emit_message(false, 'faults', repeat('x', $1))", [
        WAL_MESSAGE_BYTES,
      ]);
    }
  } catch {
    // Expected: the database has run out of space.
  } finally {
    await client.end().catch(() => {});
  }
}

/** The server goes on without its log, and can be stopped. */
async function fillLogDisk(injection: Injection): Promise<void> {
  const { target, random } = injection;
  target.logDisk.fill();
  try {
    await delay(random.pick(DISK_FULL_S) * 1000);
    await stopServer(injection);
  } finally {
    target.logDisk.free();
  }
}

/** More slow requests than the server processes at once, with and without a key. All other requests go on. */
function sendSlowly(slowness: Slowness): Inject {
  return async ({ target }) => {
    const slow = startSlowClients(slowness, target.baseUrl, target.operatorKey);
    await delay(SLOW_S * 1000);
    slow.stop();
  };
}

/** SIGTERM under load: requests in flight must be answered, and the exit code must be 0. */
async function stopServer({ target, fail }: Injection): Promise<void> {
  const { length } = target.ends;
  target.endServer('SIGTERM');
  const deadline = Date.now() + EXIT_WITHIN_MS;
  while (target.ends.length === length && Date.now() < deadline) await delay(20);
  const how = target.ends[length]?.how ?? null;
  if (how === null) {
    fail(`The server did not stop within ${EXIT_WITHIN_MS / 1000} s of SIGTERM.`);
    target.endServer('SIGKILL');
  } else if (!how.startsWith('exit code 0')) fail(`After SIGTERM the server ended with ${how}`);
}

async function getPostmaster(target: Target): Promise<number> {
  const pid = findPostmaster(target.clusterData);
  if (pid === null) throw new Error('No Postgres is running.');
  return pid;
}
