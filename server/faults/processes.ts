/** Process information from /proc (Linux only). */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Finds the pid of the postmaster of this data folder; null when none is running. */
export function findPostmaster(data: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(path.join(data, 'postmaster.pid'), 'utf8'), 10);
    return isPostgres(pid) ? pid : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Excludes zombies and other programs that have reused the pid. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    return false;
  }
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

/** Children come after their parents. */
export const withDescendants = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(withDescendants)];

/** Null: the process has ended. */
export function parentOf(pid: number): number | null {
  try {
    // The program name is in parentheses and may contain any character, even parentheses.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(parent);
  } catch {
    return null;
  }
}

/** Ignores a process that has ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
