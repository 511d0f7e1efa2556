import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Without Linux's process accounting, requests are counted per second of wall time instead. */
export const hasCpuTimes = existsSync('/proc/self/stat');

type ProcessTimes = { parent: number; ownTicks: number; childrenTicks: number };

function timesOf(pid: number | string): ProcessTimes | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // The process has exited since it was listed.
    return null;
  }
  // The name in parentheses may contain any character. The numbers after it start with the third field.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const at = (field: number) => fields[field - 3] ?? 0;
  return { parent: at(4), ownTicks: at(14) + at(15), childrenTicks: at(16) + at(17) };
}

const ticksPerSecond = hasCpuTimes ? Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : 100;

/** CPU seconds of all processes of the machine so far, and those taken by the hypervisor (steal). */
export function machineCpuSeconds(): number {
  if (!hasCpuTimes) return 0;
  const [, user = 0, nice = 0, system = 0, , , , , stolen = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  )
    .split(/ +/)
    .map(Number);
  return (user + nice + system + stolen) / ticksPerSecond;
}

/** CPU seconds of a process so far, all threads included. */
export const cpuSeconds = (pid: number): number => (timesOf(pid)?.ownTicks ?? 0) / ticksPerSecond;

/** The postmaster is the parent of every backend. */
export const parentOf = (pid: number): number => timesOf(pid)?.parent ?? 0;

function childrenOf(pid: number): { pid: number; times: ProcessTimes }[] {
  if (!hasCpuTimes) return [];
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.flatMap((name) => {
    const times = timesOf(name);
    return times?.parent === pid ? [{ pid: Number(name), times }] : [];
  });
}

/** CPU seconds of each current child of a process, such as its workers. */
export const childCpuSeconds = (pid: number): ReadonlyMap<number, number> =>
  new Map(childrenOf(pid).map(({ pid: child, times }) => [child, times.ownTicks / ticksPerSecond]));

/** CPU seconds of a process and its children, exited ones included: all of Postgres, or all workers. */
export function familyCpuSeconds(pid: number): number {
  const own = timesOf(pid);
  if (own === null) return 0;
  const ticks = childrenOf(pid).reduce((sum, { times }) => sum + times.ownTicks, 0);
  return (own.ownTicks + own.childrenTicks + ticks) / ticksPerSecond;
}

/** Memory of a process now. Null on systems that do not report it. */
export const currentMegabytes = (pid: number): number | null => statusMegabytes(pid, 'VmRSS');

/** Peak memory of a process so far. Null on systems that do not report it. */
export const peakMegabytes = (pid: number): number | null => statusMegabytes(pid, 'VmHWM');

function statusMegabytes(pid: number, name: 'VmRSS' | 'VmHWM'): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const found = new RegExp(`${name}:\\s+(\\d+) kB`).exec(status);
    return found ? Number(found[1]) / 1024 : null;
  } catch {
    return null;
  }
}
