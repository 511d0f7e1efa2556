import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { chooseAccount } from '@saldo/postgres/cluster.ts';
import { failure, findPrograms, type Host, type Run, runOn } from '@saldo/postgres/programs.ts';
import pg from 'pg';
import { SALDO } from '../src/platform/db/embedded.ts';
import { atEnd } from './clean-up.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

/**
 * A primary and its standbys with streaming replication, of the embedded programs. They have no pg_basebackup, but a
 * standby may be a copy of the files of a primary that has never run.
 */

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '32MB',
  wal_keep_size: '512MB',
  wal_retrieve_retry_interval: '100ms',
  hot_standby_feedback: 'on',
  // These data are temporary.
  fsync: 'off',
};

export type TestServer = {
  readonly address: string;
  readonly url: string;
  /** Runs statements outside of a transaction, and returns the rows of the last one. */
  run<Row extends pg.QueryResultRow>(...statements: string[]): Promise<Row[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends the server and all its processes at once, as a failure of its machine does. */
  kill(): Promise<void>;
  /** Suspends all processes, as when the machine below them stands still. Returns how to resume them. */
  freeze(): Promise<() => void>;
  promote(): Promise<void>;
};

type Servers = readonly [primary: TestServer, ...standbys: TestServer[]];

/** Starts a primary and standbys that are removed when the test file ends. Call it before the first test. */
export async function startReplication(standbys: number): Promise<Servers> {
  const { servers, remove } = await startServers(standbys);
  atEnd(remove);
  return servers;
}

export async function startServers(
  standbys: number,
): Promise<{ servers: Servers; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-replication-'));
  const account = await chooseAccount(SALDO, folder);
  const programs = await findPrograms(SALDO, account, folder);
  const host: Host = { application: SALDO, account, programs, log: () => {} };
  const dataOf = (number: number) => path.join(folder, `server-${number}`);
  const give = async (file: string) => account && chown(file, account.uid, account.gid);
  if (account !== undefined) await chown(folder, account.uid, account.gid);

  await mkdir(dataOf(0), { mode: 0o700 });
  await give(dataOf(0));
  const options = ['--username=saldo', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  const initdb = runOn(dataOf(0), host, 'initdb', options);
  await initdb.ended;
  if (initdb.child.exitCode !== 0) throw failure('initdb failed', initdb);
  const primary = testServer(dataOf(0), host, await freePort());
  const servers: [TestServer, ...TestServer[]] = [primary];
  for (let number = 1; number <= standbys; number++) {
    const data = dataOf(number);
    await promisify(execFile)('cp', ['-a', dataOf(0), data]);
    await writeFile(path.join(data, 'standby.signal'), '');
    await give(path.join(data, 'standby.signal'));
    const [hostName, port] = primary.address.split(':');
    const connection = `host=${hostName} port=${port} user=saldo application_name=standby_${number}`;
    await appendFile(path.join(data, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
    servers.push(testServer(data, host, await freePort()));
  }
  const remove = async () => {
    for (const server of servers) await server.kill();
    await rm(folder, { recursive: true, force: true });
  };
  for (const server of servers) await server.start();
  return { servers, remove };
}

function testServer(data: string, host: Host, port: number): TestServer {
  const address = `127.0.0.1:${port}`;
  const url = `postgres://saldo@${address}/postgres`;
  let running: Run | null = null;

  async function run<Row extends pg.QueryResultRow>(...statements: string[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      let rows: Row[] = [];
      for (const text of statements) ({ rows } = await client.query<Row>(text));
      return rows;
    } finally {
      await client.end();
    }
  }
  const canConnect = () =>
    run('select 1').then(
      () => true,
      () => false,
    );
  const pidsOf = async (postmaster: number): Promise<number[]> => {
    const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').catch(
      () => '',
    );
    return children.trim().split(' ').filter(Boolean).map(Number);
  };
  /** A process may have ended in the meantime. */
  const signal = (pid: number, name: NodeJS.Signals) => {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const isStopped = async (pid: number) =>
    /^State:\s+T/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State: T'));

  async function freeze(): Promise<() => void> {
    const postmaster = running?.child.pid;
    if (postmaster === undefined) throw new Error('the server does not run');
    // The postmaster stops first and resumes last, because it would start and reap children in between.
    signal(postmaster, 'SIGSTOP');
    await until(() => isStopped(postmaster));
    const children = await pidsOf(postmaster);
    for (const pid of children) signal(pid, 'SIGSTOP');
    return () => {
      for (const pid of [...children, postmaster]) signal(pid, 'SIGCONT');
    };
  }

  async function end(name: NodeJS.Signals): Promise<void> {
    if (running === null) return;
    const { child, ended } = running;
    running = null;
    if (child.pid !== undefined) signal(child.pid, name);
    await ended;
  }

  return {
    address,
    url,
    run,
    freeze,
    async start() {
      const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]);
      running = runOn(data, host, 'postgres', settings);
      const started = running;
      await until(async () => {
        if (started.outcome() !== undefined) throw failure('Postgres ended', started);
        return canConnect();
      });
    },
    // Fast mode.
    stop: () => end('SIGINT'),
    async kill() {
      const postmaster = running?.child.pid;
      if (postmaster === undefined) return;
      // Frozen first, so that the postmaster does not notice the end of its children.
      await freeze();
      const children = await pidsOf(postmaster);
      for (const pid of children) signal(pid, 'SIGKILL');
      await end('SIGKILL');
    },
    async promote() {
      await run('select pg_promote(wait => true, wait_seconds => 600)');
    },
  };
}
