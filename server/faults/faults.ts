import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { childrenOf, findPostmaster, signal } from './processes.ts';
import type { Random } from './random.ts';
import type { Target } from './target.ts';

/** Short, longer than a health check may take, and longer than any request may wait for its answer. */
const FREEZE_S = [2, 5, 18];
const DISK_FULL_S = [2, 5];
/** `/readyz` has to say 503 within 2 s; the rest is for a busy machine. */
const READYZ_WITHIN_MS = 3_000;
const EXIT_WITHIN_MS = 40_000;
/** As large as a segment of the write-ahead log: each of them needs a new one. */
const WAL_MESSAGE_BYTES = 16 * 1024 * 1024;
const WAL_MESSAGES = 40;

type Injection = {
  readonly target: Target;
  readonly random: Random;
  /** Something that must not happen, in one line. */
  fail(text: string): void;
};

/** Resolves when the cause has ended: the time until writes are back counts from then on. */
type Inject = (injection: Injection) => Promise<void>;

export type FaultKind =
  | 'kill server'
  | 'kill postmaster'
  | 'kill backend'
  | 'kill backend and server'
  | 'kill everything'
  | 'terminate backends'
  | 'freeze postmaster'
  | 'freeze postgres'
  | 'restart postgres'
  | 'full disk'
  | 'stop server';

type Fault = {
  readonly inject: Inject;
  /** Whether the connections of clients may break: only when the server itself is killed. */
  readonly mayLoseConnections: boolean;
};

export const FAULTS: Readonly<Record<FaultKind, Fault>> = {
  'kill server': { inject: killServer, mayLoseConnections: true },
  'kill postmaster': { inject: killPostmaster, mayLoseConnections: false },
  'kill backend': { inject: killBackend, mayLoseConnections: false },
  'kill backend and server': { inject: killBackendAndServer, mayLoseConnections: true },
  'kill everything': { inject: killEverything, mayLoseConnections: true },
  'terminate backends': { inject: terminateBackends, mayLoseConnections: false },
  'freeze postmaster': { inject: freezePostmaster, mayLoseConnections: false },
  'freeze postgres': { inject: freezePostgres, mayLoseConnections: false },
  'restart postgres': { inject: restartPostgres, mayLoseConnections: false },
  'full disk': { inject: fillDisk, mayLoseConnections: false },
  'stop server': { inject: stopServer, mayLoseConnections: false },
};

export const possibleFaults = (target: Target): FaultKind[] =>
  (Object.keys(FAULTS) as FaultKind[]).filter((kind) => kind !== 'full disk' || target.disk.canBeFilled);

async function killServer({ target }: Injection): Promise<void> {
  target.endServer('SIGKILL');
}

async function killPostmaster({ target }: Injection): Promise<void> {
  signal(await getPostmaster(target), 'SIGKILL');
}

/** One that works, if there is one. Postgres ends all others behind it and recovers. */
async function killBackend({ target }: Injection): Promise<void> {
  const [backend] = await target.sql<{ pid: number }>(
    `select pid from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()
     order by state = 'idle', random() limit 1`,
  );
  if (backend) signal(backend.pid, 'SIGKILL');
}

/** The server ends while Postgres recovers: the next start finds a postmaster in the middle of it. */
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

/** Connections that exist go on; new ones hang. */
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
    // A freeze that ends before the deadline proves nothing.
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

/** The embedded one is stopped in the same way, and started again by the server. */
async function restartPostgres({ target }: Injection): Promise<void> {
  if (target.external === null) return signal(await getPostmaster(target), 'SIGINT');
  target.isPostgresHeld = true;
  await target.external.restart().finally(() => {
    target.isPostgresHeld = false;
  });
}

/** Fills the disk of the database, and makes the write-ahead log want more of it. */
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
    // The database has run out of space, which is what this is for.
  } finally {
    await client.end().catch(() => {});
  }
}

/** SIGTERM under load: everything that is under way is answered, and the exit code is 0. */
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
  const pid = await findPostmaster(target.clusterData);
  if (pid === null) throw new Error('No Postgres is running.');
  return pid;
}
