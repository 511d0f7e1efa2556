import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { childrenOf, withDescendants } from '../server/faults/processes.ts';

type ProcessTimes = { ownTicks: number; childrenTicks: number };

function timesOf(pid: number): ProcessTimes | null {
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
  return { ownTicks: at(14) + at(15), childrenTicks: at(16) + at(17) };
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU seconds of all processes of the machine so far, with those taken by the hypervisor (steal). */
export function machineCpuSeconds(): number {
  const { used, stolen } = machineTimes();
  return used + stolen;
}
export const stolenCpuSeconds = (): number => machineTimes().stolen;

function machineTimes() {
  const [, user = 0, nice = 0, system = 0, , , , , stolen = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  )
    .split(/ +/)
    .map(Number);
  return { used: (user + nice + system) / ticksPerSecond, stolen: stolen / ticksPerSecond };
}

/** CPU seconds of a process so far, all threads included. */
export const cpuSeconds = (pid: number): number => (timesOf(pid)?.ownTicks ?? 0) / ticksPerSecond;

/** CPU seconds of a process and its children, exited ones included: all of Postgres, or all workers. */
export function familyCpuSeconds(pid: number): number {
  for (;;) {
    const own = timesOf(pid);
    const ticks = childrenOf(pid).reduce((sum, child) => sum + (timesOf(child)?.ownTicks ?? 0), 0);
    // A child that exits meanwhile would count twice, or not at all.
    if (own?.childrenTicks === timesOf(pid)?.childrenTicks)
      return own === null ? 0 : (own.ownTicks + own.childrenTicks + ticks) / ticksPerSecond;
  }
}

/** CPU seconds of a process and everything that it has started: a product with the database that it starts. */
export const treeCpuSeconds = (pid: number): number =>
  withDescendants(pid)
    .map(timesOf)
    .reduce((sum, times) => sum + (times?.ownTicks ?? 0) + (times?.childrenTicks ?? 0), 0) / ticksPerSecond;

const megabytes = (member: 'VmRSS' | 'VmHWM') => (pid: number) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${member}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
};
/** Memory of a process now, and the most that it has had. */
export const currentMegabytes = megabytes('VmRSS');
export const peakMegabytes = megabytes('VmHWM');

/** Open files and sockets of a process. */
export const openHandles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
