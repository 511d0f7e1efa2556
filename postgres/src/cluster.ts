/**
 * The database on disk: its lock, its owner, its creation, and the clean-up of processes that an earlier server left.
 *
 *     dataDir/<name>.lock             held by the one server that uses the folder
 *     dataDir/postgres.log            output of Postgres; postgres.log.1 is the previous file
 *     dataDir/postgres/password       of the superuser, 0600
 *     dataDir/postgres/data/          the cluster, which is Postgres's term for the data of one postmaster
 *     dataDir/postgres/.s.PGSQL.5432  the socket, while Postgres runs
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chown,
  lchown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Application } from './application.ts';
import { type Account, failure, type Host, runOn, signalPostgres } from './programs.ts';
import { DatabaseUnusable } from './unusable.ts';

export type Cluster = { folder: string; data: string; password: string; name: string };
export type Say = (message: string) => void;

const isWindows = process.platform === 'win32';

/** Another process uses the data folder. */
export class FolderInUse extends DatabaseUnusable {
  override name = 'FolderInUse';
}

/**
 * Ensures one server per data folder. The lock must be released however its holder ends, and two servers that
 * find it abandoned at the same moment must not both get it. A pid file guarantees neither, a kernel file lock
 * guarantees both. Node has no API for file locks, but its SQLite module takes one for an exclusive transaction.
 */
export function lockFolder(
  { name, title, folderVariable }: Application,
  dataDir: string,
): { release: () => void } {
  const lock = new DatabaseSync(join(dataDir, `${name}.lock`), { open: false, timeout: 0 });
  const release = () => {
    heldLocks.delete(lock);
    if (lock.isOpen) lock.close();
  };
  try {
    lock.open();
    lock.exec('PRAGMA journal_mode = MEMORY'); // Nothing is ever written, so there need be no journal file.
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    release();
    const sqliteBusy = 5;
    if ((error as { errcode?: number }).errcode !== sqliteBusy) {
      throw new DatabaseUnusable(
        `${folderVariable} ${dataDir} cannot be used: ${(error as Error).message}. Check its permissions and its disk.`,
        { cause: error },
      );
    }
    throw new FolderInUse(
      `Another ${title} server is using ${folderVariable} ${dataDir}. Stop it, or set ${folderVariable} to another folder.`,
      { cause: error },
    );
  }
  heldLocks.add(lock);
  return { release };
}

/** Keeps the lock objects reachable: garbage collection of the object would release the lock. */
const heldLocks = new Set<DatabaseSync>();

/**
 * Postgres refuses to run as root, so under root it runs with an unprivileged account. An existing cluster keeps its
 * owner, even if the preferred account has changed. Files that root has restored from a backup get that owner again.
 */
export async function chooseAccount(
  { title, urlVariable }: Application,
  dataDir: string,
): Promise<Account | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const folder = join(dataDir, 'postgres');
  const owner = existsSync(folder) ? await stat(folder) : undefined;
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const candidates = ['postgres', '_postgres', 'nobody'].map((user) => lines.find(([name]) => name === user));
  const entry = candidates.find((line) => line !== undefined);
  if (entry === undefined) {
    throw new DatabaseUnusable(
      'Postgres does not run as root, and this system has neither a user postgres nor nobody. ' +
        `Add one of them, run ${title} as another user, or set ${urlVariable}.`,
    );
  }
  const account = { uid: Number(entry[2]), gid: Number(entry[3]) };
  if (owner !== undefined) await giveTo(account, folder);
  return account;
}

async function giveTo({ uid, gid }: Account, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) await lchown(join(entry.parentPath, entry.name), uid, gid);
  // Change the folder itself last: its owner shows the next start whether the change was completed.
  await chown(folder, uid, gid);
}

export async function openCluster(dataDir: string, host: Host, say: Say): Promise<Cluster> {
  const folder = join(dataDir, 'postgres');
  if (!existsSync(folder)) {
    say('Preparing the embedded database (first start)…');
    await createCluster(dataDir, folder, host);
  }
  const data = join(folder, 'data');
  let version: string;
  let password: string;
  try {
    version = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
    password = await readFile(join(folder, 'password'), 'utf8');
  } catch (error) {
    throw new DatabaseUnusable(
      `The embedded database in ${folder} cannot be opened: ${(error as Error).message}. ` +
        `Restore the folder from a backup, or set ${host.application.folderVariable} to another folder.`,
      { cause: error },
    );
  }
  const { major } = host.programs;
  if (version !== String(major)) {
    throw new DatabaseUnusable(
      `The database in ${folder} was made by Postgres ${version}, but this is Postgres ${major}: ` +
        host.application.howToMoveData,
    );
  }
  // Device and inode identify the folder while a process uses it, even if the folder is moved.
  const { dev, ino } = await stat(data, { bigint: true });
  return { folder, data, password, name: `${host.application.name}-${dev}-${ino}` };
}

/**
 * Creates the cluster in a temporary folder and renames it, so that it appears complete or not at all. Remains of
 * interrupted attempts are deleted. The temporary name is unique, because the initdb of a killed server may still be
 * writing to the earlier folder.
 */
async function createCluster(dataDir: string, folder: string, host: Host): Promise<void> {
  const prefix = 'postgres.new-';
  const removal = { recursive: true, force: true, maxRetries: 5 };
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(prefix)) await rm(join(dataDir, name), removal);
  }
  const staging = await mkdtemp(join(dataDir, prefix));
  try {
    const data = join(staging, 'data');
    await mkdir(data, { mode: 0o700 });
    const password = randomBytes(24).toString('base64url');
    await writeFile(join(staging, 'password'), password, { mode: 0o600, flush: true });
    if (host.account !== undefined) await giveTo(host.account, staging);

    const initdb = runOn(data, host, 'initdb', [
      `--username=${host.application.name}`,
      '--pwfile=../password',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Sort text by code point, the same on every machine and in every version. Letter case follows Unicode.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      '--no-instructions',
    ]);
    await initdb.ended;
    if (initdb.child.exitCode !== 0) throw failure('The embedded database could not be created', initdb);
    await rename(staging, folder);
    await syncFolder(dataDir);
  } catch (error) {
    await rm(staging, removal);
    throw error;
  }
}

/** A rename survives a power failure only after its parent folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  if (isWindows) return; // Windows cannot open folders, and NTFS journals renames.
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Ends the processes that a killed server or a killed postmaster left running on the cluster. A running postmaster is
 * stopped and not reused: it has the settings and the socket of another run, and as a non-child process its end would
 * go unnoticed. Even if this misses a process, two postmasters cannot run: Postgres refuses to start while the shared
 * memory that belongs to the inode of its data folder is in use.
 *
 * Processes are identified by their owner and by the cluster name, which is part of a postmaster's command line and of
 * its children's titles. The pid in postmaster.pid alone is not enough, since the system may have reused it. (The
 * working folder in /proc would be more precise, but in most containers not even root can read it.)
 */
export async function clearLeftovers(cluster: Cluster, host: Host, say: Say): Promise<void> {
  const pidFile = join(cluster.data, 'postmaster.pid');
  const content = await readFile(pidFile, 'utf8').catch(() => undefined);
  if (content === undefined) return;
  const postmaster = Number.parseInt(content, 10);
  let left = await processesOf(cluster, host);
  if (left.includes(postmaster)) {
    say('Stopping the Postgres that an earlier server left behind…');
    signalPostgres(host.programs, postmaster, 'SIGINT');
    left = await waitUntilGone(cluster, host, 60_000);
  }
  // Backends notice the loss of their postmaster only at their next wait, which a long query may never reach.
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    if (left.length === 0) break;
    for (const pid of left) signalPostgres(host.programs, pid, signal);
    left = await waitUntilGone(cluster, host, 10_000);
  }
  if (left.length > 0) throw new Error(`Old processes of Postgres cannot be ended: ${left.join(', ')}.`);

  // Postgres would mistake any living process with that pid for its predecessor, and fails on an empty file. A pid
  // of a dead process is no problem for it.
  if (Number.isNaN(postmaster) || isAlive(postmaster)) await rm(pidFile, { force: true });
}

async function waitUntilGone(cluster: Cluster, host: Host, timeoutMs: number): Promise<number[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const left = await processesOf(cluster, host);
    if (left.length === 0 || Date.now() > deadline) return left;
    await delay(25);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function processesOf({ name }: Cluster, { account }: Host): Promise<number[]> {
  const owner = account?.uid ?? process.geteuid?.() ?? 0;
  const isOurs = ({ uid, command }: Process) => {
    const isPostmaster = ` ${command} `.includes(` cluster_name=${name} `);
    return uid === owner && (isPostmaster || command.startsWith(`postgres: ${name}: `));
  };
  return (await listProcesses()).filter(isOurs).map(({ pid }) => pid);
}

type Process = { pid: number; uid: number; command: string };

async function listProcesses(): Promise<Process[]> {
  if (process.platform === 'linux') {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(pids.map((pid) => readProcess(pid).catch(() => undefined)));
    return found.filter((one) => one !== undefined);
  }
  const query =
    `Get-CimInstance Win32_Process -Filter "Name='postgres.exe'" | ` +
    'ForEach-Object { "$($_.ProcessId) 0 $($_.CommandLine)" }';
  const [tool, options] = isWindows
    ? ['powershell', ['-NoProfile', '-Command', query]]
    : ['ps', ['-axww', '-o', 'pid=,uid=,command=']];
  const { stdout } = await promisify(execFile)(tool, options, { maxBuffer: 64 * 1024 * 1024 });
  return [...stdout.matchAll(/^ *(\d+) +(\d+) +(.*?)\r?$/gm)].map(([, pid, uid, command]) => ({
    pid: Number(pid),
    uid: Number(uid),
    command: command ?? '',
  }));
}

async function readProcess(pid: string): Promise<Process> {
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
  return { pid: Number(pid), uid: (await stat(`/proc/${pid}`)).uid, command };
}
