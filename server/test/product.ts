import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DemoAccess } from '../src/demo/load.ts';
import { PROGRAM_ENVIRONMENT } from './command-line.ts';
import { programFile } from './programs.ts';
import { until } from './until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

type Command = readonly [program: string, ...args: string[]];
/** Started as by a person or a service manager: npm, its child processes, and the server. */
export const NPM_START: Command = ['npm', 'start'];

/** The product in its own process, with addresses parsed from its output. */
export type Product = {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly customerUrl: string;
  readonly adminUrl: string;
  readonly output: () => string;
  readonly log: () => string;
  demo(): Promise<DemoAccess>;
  /** Waits until `/readyz` answers 200. On a busy machine the database may miss the time limit of one request. */
  untilReady(): Promise<void>;
  /** Sends a signal, unless it has ended, and waits for the exit. Returns the exit code. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
};

/** `stderr` is an open file for the log. Without one, `log` has it. */
export async function startProduct(
  environment: Record<string, string> & { DATA_DIR: string },
  command?: Command,
  stderr?: number,
): Promise<Product> {
  const run = runProduct(environment, command, stderr);
  const ready = new Promise<void>((resolve, reject) => {
    run.child.stdout?.on('data', () => /Saldo is ready[\s\S]*Health\s+\S+\n/.test(run.output()) && resolve());
    run.child.once('exit', (code) => reject(new Error(`ended with ${code}: ${run.output()}${run.log()}`)));
  });
  await ready;
  const address = (label: string) => new RegExp(`${label}\\s+(http\\S+?)/`).exec(run.output());
  const found = (label: string, ending: string) =>
    new RegExp(`${label}\\s+(\\S+)${ending}\\n`).exec(run.output())?.[1] ?? '';
  if (!address('BRP API')) throw new Error(`no address in: ${run.output()}`);
  const adminUrl = found('Health', '/readyz');
  return {
    ...run,
    baseUrl: found('BRP API', '/v1'),
    customerUrl: found('Customer API', '/v1'),
    adminUrl,
    demo: async () =>
      JSON.parse(await readFile(path.join(environment.DATA_DIR, 'demo.json'), 'utf8')) as DemoAccess,
    async untilReady() {
      await until(async () => (await fetch(`${adminUrl}/readyz`)).status === 200);
    },
    async end(signal) {
      if (run.child.exitCode === null && run.child.signalCode === null) {
        const exited = once(run.child, 'exit');
        run.child.kill(signal);
        await exited;
      }
      return run.child.exitCode;
    },
  };
}

/** Starts it without waiting, for starts that are expected to fail. */
export function runProduct(
  environment: Record<string, string>,
  [program, ...args]: Command = [process.execPath, programFile('server/src/main.ts')],
  stderr: number | 'pipe' = 'pipe',
) {
  const child = spawn(program, args, {
    cwd: ROOT,
    // A separate process group, which a test can signal as a whole.
    detached: true,
    env: {
      ...PROGRAM_ENVIRONMENT,
      PORT: '0',
      CUSTOMER_PORT: '0',
      ADMIN_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', stderr],
  });
  let [output, log] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  return { child, output: () => output, log: () => log };
}
