/**
 * Postgres as a child process of a server, with its data in the server's data folder.
 * It is fully durable (fsync stays on) and restarted after a crash. It ends with `stop` or, if the server is killed,
 * soon after the server.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Application } from './application.ts';
import { type Cluster, chooseAccount, clearLeftovers, lockFolder, openCluster, type Say } from './cluster.ts';
import {
  failure,
  findPrograms,
  type Host,
  openLog,
  type Programs,
  type Run,
  runOn,
  signalPostgres,
} from './programs.ts';
import { DatabaseUnusable } from './unusable.ts';

/** The URL names the application's database and its only role, a superuser of the same name. */
export type EmbeddedPostgres = { url: string; stop: () => Promise<void> };

type Settings = Record<string, string>;
/** Where Postgres listens: a folder with its Unix socket, or a TCP address. */
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
/** Part of the socket's file name. */
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
  // This build has only pglz: after a checkpoint it took a sixth of Postgres's CPU time for a large correction, and saved
  // a tenth of its log.
  wal_compression: 'off',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  log_checkpoints: 'off',
  // The supervisor restarts Postgres after a crash. During its own crash recovery Postgres 18 may ignore a fast
  // shutdown forever, which would delay the next start of a killed server by a minute.
  restart_after_crash: 'off',
  // Compiling a query costs more than it saves where queries take milliseconds.
  jit: 'off',
  // SSDs read a random page about as fast as a sequential one.
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

export async function startEmbeddedPostgres(options: {
  application: Application;
  dataDir: string;
  say: (message: string) => void;
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const { application, say, settings = {} } = options;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const lock = lockFolder(application, dataDir);
  try {
    const account = await chooseAccount(application, dataDir);
    const programs = await findPrograms(application, account, dataDir);
    const host = { application, account, programs, log: openLog(dataDir) };
    const cluster = await openCluster(dataDir, host, say);
    await clearLeftovers(cluster, host, say);
    const endpoint = isWindows ? await freePort() : socketOf(cluster, host);
    return await superviseServer({ cluster, host, endpoint, settings, say }, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The URL of an embedded database that another process has started. Only its user and root can connect. */
export async function findRunningPostgres({ name }: Application, dataDir: string): Promise<string> {
  const folder = join(await realpath(dataDir), 'postgres');
  const data = join(folder, 'data');
  const password = await readFile(join(folder, 'password'), 'utf8');
  const [, , , port = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split(/\r?\n/);
  const host = isWindows ? LOOPBACK : socketFolder(name, { folder, data });
  return urlOf({ cluster: { password }, endpoint: { host, port: Number(port) } }, name, name);
}

/** Starts Postgres and restarts it after every unexpected end. */
async function superviseServer(server: Server, release: () => void): Promise<EmbeddedPostgres> {
  const { endpoint, say } = server;
  const { programs, application } = server.host;
  const { name } = application;
  say(`Starting Postgres ${programs.major}…`);
  await endpoint.prepare();
  let current = launch(server);
  const tidyUp = async () => {
    await endpoint.remove();
    release();
  };

  try {
    const client = await connectWhenReady(current, server);
    await createDatabase(client, name).finally(() => client.end());
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
      // Exponential backoff for consecutive failures only, for instance while the disk is full.
      const pauseMs = failures === 0 ? 0 : Math.min(250 * 2 ** failures, 30_000);
      const when = pauseMs === 0 ? 'at once' : `in ${pauseMs / 1000} s`;
      say(`Postgres exited unexpectedly (${how}); restarting it ${when}…`);
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      try {
        await clearLeftovers(server.cluster, server.host, say);
        await endpoint.prepare();
        // No await between this check and the launch, so that `stop` finds either no process or the new one.
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
  return { url: urlOf(server, name, name), stop: () => (stopped ??= stop()) };
}

/** Postgres gets its own process group, so that Ctrl-C reaches only the server, which needs the database to the end. */
function launch({ cluster, host, endpoint, settings }: Server): Run {
  const all = { ...defaultSettings, ...settings, ...endpoint.settings, cluster_name: cluster.name };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const run = runOn(cluster.data, host, 'postgres', options, true);
  stopWithServer(run, host);
  return run;
}

/**
 * Stops Postgres when the server is killed. The next start in the same folder would do so too, but may never happen:
 * tests use a folder once. A shell waits for the end of its input, which the operating system closes when the server
 * ends for any reason, and then does what `stop` would have done. Without a shell, the next start cleans up.
 */
function stopWithServer({ child }: Run, { account }: Host): void {
  if (isWindows || child.pid === undefined) return;
  const watcher = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'sh', String(child.pid)], {
    ...account,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => {});
  watcher.unref();
  // After Postgres has ended, the system may reuse its pid.
  child.once('exit', () => watcher.kill('SIGKILL'));
}

/**
 * Tries a fast shutdown first, which rolls back open transactions. The harder signals require recovery but lose no
 * data.
 */
async function endPostgres(run: Run, programs: Programs): Promise<void> {
  const steps = [
    ['SIGINT', 60_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 5_000],
  ] as const;
  for (const [signal, timeoutMs] of steps) {
    if (run.child.pid !== undefined && run.child.exitCode === null && run.child.signalCode === null) {
      signalPostgres(programs, run.child.pid, signal);
    }
    const timeout = new AbortController();
    await Promise.race([run.ended, delay(timeoutMs, undefined, { signal: timeout.signal }).catch(() => {})]);
    timeout.abort();
    if (run.outcome() !== undefined) return;
  }
  throw new Error(`Postgres (process ${run.child.pid}) cannot be ended.`);
}

/**
 * Has no timeout while Postgres runs: after a crash it may have to replay gigabytes of its write-ahead log, and an
 * interruption would only restart the replay.
 */
async function connectWhenReady(run: Run, server: Server): Promise<pg.Client> {
  const startedAt = Date.now();
  for (let intervalMs = 10; ; ) {
    if (run.outcome() !== undefined) throw failure('Postgres did not start', run);
    if (await isReady(run, server.cluster)) {
      const connectionString = urlOf(server, server.host.application.name, 'postgres');
      const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
      client.on('error', () => {}); // A lost connection makes its next query fail, which is handled there.
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

/** Reads the state from the eighth line of the pid file, because connection attempts would fill Postgres's log. */
async function isReady({ child }: Run, { data }: Cluster): Promise<boolean> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split(/\r?\n/);
  return lines[0] === String(child.pid) && lines[7]?.trim() === 'ready';
}

/** Postgres is shutting down, or the server's own pool has taken all connections after a restart. */
function isTemporary(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string };
  if (code === undefined) return /timeout|terminated/i.test(message);
  return ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03', '53300'].includes(code);
}

async function createDatabase(client: pg.Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
}

/** Always contains the port, because otherwise PGPORT would apply. A socket path goes into the query as `host`. */
function urlOf(
  {
    cluster,
    endpoint: { host, port },
  }: { cluster: Pick<Cluster, 'password'>; endpoint: Pick<Endpoint, 'host' | 'port'> },
  role: string,
  database: string,
): string {
  const [address, query] = isWindows ? [host, ''] : ['localhost', `host=${encodeURIComponent(host)}&`];
  return `postgres://${role}:${cluster.password}@${address}:${port}/${database}?${query}sslmode=disable`;
}

/**
 * A Unix socket is cheaper than TCP for every query, and other users cannot reach it. It is beside the data, where
 * Postgres refers to it as '..' for any length of path. For the client the whole path must fit into 104 bytes (macOS;
 * 108 on Linux), so longer paths get a private folder in /tmp. Postgres touches its socket every hour, so that
 * cleaners of temporary files do not delete it.
 */
function socketOf(cluster: Cluster, { account, application }: Host): Endpoint {
  const port = SOCKET_PORT;
  const host = socketFolder(application.name, cluster);
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
      // No Postgres runs at this point, so the lock is stale, even if another process has reused its pid.
      await rm(join(host, `.s.PGSQL.${port}.lock`), { force: true });
    },
    remove: async () => {
      if (!fits) await rm(host, { recursive: true, force: true });
    },
  };
}

function socketFolder(name: string, { folder, data }: Pick<Cluster, 'folder' | 'data'>): string {
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) < 104) return folder;
  return `/tmp/${name}-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`;
}

async function makePrivateFolder(folder: string, account: Host['account']): Promise<void> {
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  if (isNew && account !== undefined) await chown(folder, account.uid, account.gid);
  // The folder may be left from a killed server, or another user may have created it to intercept connections.
  const found = await lstat(folder);
  const owner = account?.uid ?? process.geteuid?.();
  if (!found.isDirectory() || found.uid !== owner || (found.mode & 0o077) !== 0) {
    throw new DatabaseUnusable(
      `${folder}, where the socket of Postgres should be, belongs to another user. Remove it.`,
    );
  }
}

/** On Windows, Postgres and Node support no common kind of local socket. */
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
