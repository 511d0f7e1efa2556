/** A program of the cluster in its own process group, which the trial can end and start again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import type { Account } from '@saldo/postgres/programs.ts';
import { signal } from '../processes.ts';

export type Service = {
  readonly name: string;
  /** Null while the program does not run. */
  pid(): number | null;
  start(): void;
  /** Sends a signal and waits for the exit. */
  end(name: 'SIGTERM' | 'SIGKILL'): Promise<void>;
};

export type ServiceOptions = {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly logFile: string;
  readonly account: Account | undefined;
  readonly env?: Readonly<Record<string, string>>;
};

export function createService({ name, command, logFile, account, env = {} }: ServiceOptions): Service {
  let child: ChildProcess | null = null;
  const pid = () => child?.pid ?? null;
  return {
    name,
    pid,
    start() {
      if (child !== null) throw new Error(`${name} runs already.`);
      const log = openSync(logFile, 'a');
      const [program, ...args] = command;
      const started = spawn(program, args, {
        ...account,
        cwd: '/',
        detached: true,
        env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', ...env },
        stdio: ['ignore', log, log],
      });
      child = started;
      started.once('exit', () => {
        child = null;
      });
      started.once('error', (error) => {
        throw error;
      });
    },
    async end(how) {
      const running = child;
      if (running?.pid === undefined) return;
      const ended = once(running, 'exit');
      signal(running.pid, how);
      await ended;
    },
  };
}
