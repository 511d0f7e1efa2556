import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { childrenOf } from '../server/faults/processes.ts';

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

/** CPU seconds of all processes of the machine so far, and those taken by the hypervisor (steal). */
export function machineCpuSeconds(): number {
  const [, user = 0, nice = 0, system = 0, , , , , stolen = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  )
    .split(/ +/)
    .map(Number);
  return (user + nice + system + stolen) / ticksPerSecond;
}

/** CPU seconds of a process so far, all threads included. */
export const cpuSeconds = (pid: number): number => (timesOf(pid)?.ownTicks ?? 0) / ticksPerSecond;

/** CPU seconds of a process and its children, exited ones included: all of Postgres, or all workers. */
export function familyCpuSeconds(pid: number): number {
  const own = timesOf(pid);
  if (own === null) return 0;
  const ticks = childrenOf(pid).reduce((sum, child) => sum + (timesOf(child)?.ownTicks ?? 0), 0);
  return (own.ownTicks + own.childrenTicks + ticks) / ticksPerSecond;
}

/** Memory of a process now. */
export function currentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
