/**
 * A Postgres of its own for a server that was given none: a child process whose data lives in the server's
 * data folder. It is as durable as any Postgres (fsync stays on), it is started again when it dies, and it
 * ends with `stop` or, if the server dies first, soon after the server.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  type Cluster,
  chooseAccount,
  clearLeftovers,
  lockFolder,
  openCluster,
  type Say,
} from './embedded-cluster.ts';
import {
  failure,
  findPrograms,
  type Host,
  openLog,
  type Programs,
  type Run,
  runOn,
  signalPostgres,
} from './embedded-programs.ts';
import { DatabaseUnusable } from './unusable.ts';

/** The url names a database `saldo` that exists, and its only role, a superuser of that name. */
export type EmbeddedPostgres = { url: string; stop: () => Promise<void> };

type Settings = Record<string, string>;
/** Where Postgres listens: a folder with its socket, or an address. */
type Endpoint = {
  host: string;
  port: number;
  settings: Settings;
  prepare: () => Promise<void>;
  remove: () => Promise<void>;
};
type Server = { cluster: Cluster; host: Host; endpoint: Endpoint; settings: Settings; say: Say };

const isWindows = process.platform === 'win32';
const LOOPBACK = '127.0.0.1';
/** It is a part of the name of the socket. */
const SOCKET_PORT = 5432;

const defaultSettings: Settings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  maintenance_work_mem: '128MB',
  work_mem: '8MB',
  wal_compression: 'on',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_checkpoints: 'off',
  // The supervisor starts Postgres again after a crash. While Postgres 18 recovers by itself it may ignore a fast
  // shutdown for ever, which would cost the next start of a killed server a minute.
  restart_after_crash: 'off',
  // Compiling a query costs more than it saves where queries take milliseconds.
  jit: 'off',
  // The disks of today find a random page about as fast as the next one.
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export async function startEmbeddedPostgres(options: {
  dataDir: string;
  say: (message: string) => void;
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const { say, settings = {} } = options;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const lock = lockFolder(dataDir);
  try {
    const account = await chooseAccount(dataDir);
    const host = { account, programs: await findPrograms(account, dataDir), log: openLog(dataDir) };
    const cluster = await openCluster(dataDir, host, say);
    await clearLeftovers(cluster, host, say);
    const endpoint = isWindows ? await freePort() : socketOf(cluster, host);
    return await superviseServer({ cluster, host, endpoint, settings, say }, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The address of the embedded database that another process has started; only its user and root can connect. */
export async function findRunningPostgres(dataDir: string): Promise<string> {
  const folder = join(await realpath(dataDir), 'postgres');
  const data = join(folder, 'data');
  const password = await readFile(join(folder, 'password'), 'utf8');
  const [, , , port = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split(/\r?\n/);
  const host = isWindows ? LOOPBACK : socketFolder({ folder, data });
  return urlOf({ cluster: { password }, endpoint: { host, port: Number(port) } }, 'saldo');
}

/** Starts Postgres, and starts it again whenever it ends without having been told to. */
async function superviseServer(server: Server, release: () => void): Promise<EmbeddedPostgres> {
  const { endpoint, say } = server;
  const { programs } = server.host;
  say(`Starting Postgres ${programs.major}…`);
  await endpoint.prepare();
  let current = launch(server);
  const tidyUp = async () => {
    await endpoint.remove();
    release();
  };

  try {
    const client = await connectWhenReady(current, server);
    await createDatabase(client).finally(() => client.end());
  } catch (error) {
    await endPostgres(current, programs);
    await tidyUp();
    throw error;
  }

  const stopping = new AbortController();
  const keepRunning = async () => {
    for (let failures = 0; ; ) {
      const how = await current.ended;
      if (stopping.signal.aborted) return;
      // Only starts that fail in a row are given ever more time, for instance while the disk is full.
      const pauseMs = failures === 0 ? 0 : Math.min(250 * 2 ** failures, 30_000);
      const when = pauseMs === 0 ? 'at once' : `in ${pauseMs / 1000} s`;
      say(`Postgres has stopped by itself (${how}); starting it again ${when}…`);
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      try {
        await clearLeftovers(server.cluster, server.host, say);
        await endpoint.prepare();
        // Nothing is awaited between this check and the launch: `stop` meets no process or the new one.
        if (stopping.signal.aborted) return;
        current = launch(server);
        await (await connectWhenReady(current, server)).end();
        failures = 0;
        say('Postgres is running again.');
      } catch (error) {
        failures += 1;
        if (!stopping.signal.aborted) say((error as Error).message);
      }
    }
  };
  const supervision = keepRunning();

  const stop = async () => {
    stopping.abort();
    await endPostgres(current, programs);
    await supervision;
    await tidyUp();
  };
  let stopped: Promise<void> | undefined;
  return { url: urlOf(server, 'saldo'), stop: () => (stopped ??= stop()) };
}

/**
 * Postgres gets a process group of its own: Ctrl-C is for the server, which needs its database to the last.
 */
function launch({ cluster, host, endpoint, settings }: Server): Run {
  const all = { ...defaultSettings, ...settings, ...endpoint.settings, cluster_name: cluster.name };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const run = runOn(cluster.data, host, 'postgres', options, true);
  tieToServer(run, host);
  return run;
}

/**
 * A server that is killed cannot stop its Postgres any more, and another start in the same folder, which
 * would, may never come: tests use a folder once. So a shell waits for the end of its input, which is the end
 * of the server in whatever way, and then does what `stop` would have done. Where there is no shell, the next
 * start has to do.
 */
function tieToServer({ child }: Run, { account }: Host): void {
  if (isWindows || child.pid === undefined) return;
  const watcher = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'sh', String(child.pid)], {
    ...account,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => {});
  watcher.unref();
  // Once Postgres has ended, its pid may be given to somebody else.
  child.once('exit', () => watcher.kill('SIGKILL'));
}

/**
 * First the fast shutdown, which rolls back open transactions; the harder ways cost a recovery, but no data.
 */
async function endPostgres(run: Run, programs: Programs): Promise<void> {
  const steps = [
    ['SIGINT', 60_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 5_000],
  ] as const;
  for (const [signal, patienceMs] of steps) {
    if (run.child.pid !== undefined && run.child.exitCode === null && run.child.signalCode === null) {
      signalPostgres(programs, run.child.pid, signal);
    }
    const patience = new AbortController();
    await Promise.race([
      run.ended,
      delay(patienceMs, undefined, { signal: patience.signal }).catch(() => {}),
    ]);
    patience.abort();
    if (run.outcome() !== undefined) return;
  }
  throw new Error(`Postgres (process ${run.child.pid}) cannot be ended.`);
}

/**
 * Waits as long as Postgres lives: after a crash it may have to replay gigabytes of its log first, and
 * nothing is gained by interrupting that.
 */
async function connectWhenReady(run: Run, server: Server): Promise<pg.Client> {
  const startedAt = Date.now();
  for (let intervalMs = 10; ; ) {
    if (run.outcome() !== undefined) throw failure('Postgres did not start', run);
    if (await isReady(run, server.cluster)) {
      const connectionString = urlOf(server, 'postgres');
      const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
      client.on('error', () => {}); // A connection may break at any time; whoever uses it next is told.
      try {
        await client.connect();
        return client;
      } catch (error) {
        if (!isTemporary(error)) throw error;
      }
    }
    if (intervalMs < 250 && Date.now() - startedAt > 5_000) {
      server.say('Postgres is recovering from an unclean end, which can take a while…');
      intervalMs = 250;
    }
    await Promise.race([run.ended, delay(intervalMs)]);
  }
}

/**
 * A postmaster notes its state in the eighth line of its pid file; attempts to connect would fill its log.
 */
async function isReady({ child }: Run, { data }: Cluster): Promise<boolean> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split(/\r?\n/);
  return lines[0] === String(child.pid) && lines[7]?.trim() === 'ready';
}

/** Postgres is going down again, or the server's own pool has taken all connections after a restart. */
function isTemporary(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string };
  if (code === undefined) return /timeout|terminated/i.test(message);
  return ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03', '53300'].includes(code);
}

async function createDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'saldo'");
  if (rowCount === 0) await client.query('CREATE DATABASE saldo');
}

/** The port is always there, or PGPORT would decide; a host in the query is how a path fits into a URL. */
function urlOf(
  {
    cluster,
    endpoint: { host, port },
  }: { cluster: Pick<Cluster, 'password'>; endpoint: Pick<Endpoint, 'host' | 'port'> },
  database: string,
): string {
  const [address, query] = isWindows ? [host, ''] : ['localhost', `host=${encodeURIComponent(host)}&`];
  return `postgres://saldo:${cluster.password}@${address}:${port}/${database}?${query}sslmode=disable`;
}

/**
 * A Unix socket is cheaper than TCP for every query, and nobody else can reach it. It lies beside the data,
 * where Postgres finds it as '..' however long the path is. Only for the client the whole path must fit into
 * 104 bytes (on macOS; Linux has 108), so deeper data folders get a private one in /tmp. Postgres touches its
 * socket every hour, so that a cleaner of temporary files leaves it alone.
 */
function socketOf(cluster: Cluster, { account }: Host): Endpoint {
  const port = SOCKET_PORT;
  const host = socketFolder(cluster);
  const fits = host === cluster.folder;
  return {
    host,
    port,
    settings: {
      listen_addresses: '',
      port: String(port),
      unix_socket_directories: fits ? '..' : host,
      unix_socket_permissions: '0700',
    },
    prepare: async () => {
      if (!fits) await makePrivateFolder(host, account);
      // No Postgres runs at this point, so the lock is stale, even if its pid is somebody else's by now.
      await rm(join(host, `.s.PGSQL.${port}.lock`), { force: true });
    },
    remove: async () => {
      if (!fits) await rm(host, { recursive: true, force: true });
    },
  };
}

function socketFolder({ folder, data }: Pick<Cluster, 'folder' | 'data'>): string {
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) < 104) return folder;
  return `/tmp/saldo-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`;
}

async function makePrivateFolder(folder: string, account: Host['account']): Promise<void> {
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  if (isNew && account !== undefined) await chown(folder, account.uid, account.gid);
  // It may be left from a killed server, or somebody else may have made it to get between us and Postgres.
  const found = await lstat(folder);
  const owner = account?.uid ?? process.geteuid?.();
  if (!found.isDirectory() || found.uid !== owner || (found.mode & 0o077) !== 0) {
    throw new DatabaseUnusable(
      `${folder}, where the socket of Postgres should be, belongs to somebody else: remove it.`,
    );
  }
}

/** Windows has no sockets that Postgres and Node both know. */
async function freePort(): Promise<Endpoint> {
  const host = LOOPBACK;
  const port = await new Promise<number>((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
  const settings = { listen_addresses: host, port: String(port), unix_socket_directories: '' };
  return { host, port, settings, prepare: async () => {}, remove: async () => {} };
}
