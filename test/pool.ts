import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CHECKOUT } from './files.ts';
import type { WorkerEvent } from './reporter.ts';

/** These limits only catch hangs: on an idle machine a test takes a tenth of its limit. A test is over when a subtest begins. */
const LIMITS = { testMs: 300_000, fileMs: 900_000 };
/** How long a worker that hangs is asked what it is waiting for. */
const STATE_MS = 5_000;

const WORKER_ARGS = [
  // Young objects of a test die with it: fewer collections, a tenth less CPU time.
  ...['--min-semi-space-size=32', '--max-semi-space-size=32'],
  `--test-reporter=${path.join(import.meta.dirname, 'reporter.ts')}`,
];

export type Failure = { readonly test: string; readonly error: string };

export type FileResult = {
  readonly file: string;
  readonly ms: number;
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
  /** What the file and its servers printed. */
  readonly output: string;
};

/** Runs files in several processes, each of which takes the next file when it has finished one. */
export async function runFiles(
  files: readonly string[],
  workers: number,
  onResult: (result: FileResult) => void,
  limits = LIMITS,
): Promise<void> {
  const queue = [...files];
  const work = async () => {
    let worker: Worker | null = null;
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      worker ??= new Worker(limits);
      const result = await worker.run(file);
      if (!worker.isUsable) worker = null;
      onResult(result);
    }
    const error = (await worker?.end()) ?? null;
    if (error !== null) onResult(afterwards(error));
  };
  await Promise.all(Array.from({ length: Math.min(workers, files.length) }, work));
}

/** An error after the end of the test that caused it. Node does not say which file that was. */
const afterwards = (error: string): FileResult => ({
  ...{ file: 'after the tests of a process', ms: 0, passed: 0, skipped: 0, output: '' },
  failures: [{ test: 'an error that no test waited for', error }],
});

/** A process that runs one file at a time. A file that hangs or crashes it ends it. */
class Worker {
  isUsable = true;
  private hasFailed = false;
  private readonly child: ChildProcess;
  private readonly ready: Promise<unknown>;
  private readonly exited: Promise<void>;
  private readonly limits: typeof LIMITS;
  private output = '';

  constructor(limits: typeof LIMITS) {
    this.limits = limits;
    this.child = fork(path.join(import.meta.dirname, 'worker.ts'), {
      cwd: CHECKOUT,
      execArgv: WORKER_ARGS,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.ready = once(this.child, 'message');
    this.exited = new Promise((resolve) => void this.child.once('exit', () => resolve()));
    // A message to a process that has just ended fails. The exit of the process is the failure of its file.
    this.child.on('error', () => {});
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => void (this.output += text));
  }

  async run(file: string): Promise<FileResult> {
    this.output = '';
    const failures: Failure[] = [];
    const counts = { passed: 0, skipped: 0, failed: 0 };
    const running = new Set<string>();
    const ended = Promise.withResolvers<void>();
    const startedAt = performance.now();
    let heardAt = startedAt;
    const onMessage = (event: WorkerEvent) => {
      if (event.type !== 'state') heardAt = performance.now();
      if (event.type === 'started') running.add(event.name);
      if (event.type !== 'ended') return;
      running.delete(event.name);
      if (event.error !== null)
        failures.push({ test: event.nesting === 0 ? file : event.name, error: event.error });
      if (event.nesting === 0) ended.resolve();
      else counts[event.result]++;
    };
    const onExit = (code: number | null, signal: string | null) => {
      this.isUsable = false;
      failures.push({ test: lastOf(running, file), error: `The process ended with ${signal ?? code}.` });
      ended.resolve();
    };
    this.child.on('message', onMessage).once('exit', onExit);
    const watch = setInterval(() => {
      const now = performance.now();
      if (now - heardAt <= this.limits.testMs && now - startedAt <= this.limits.fileMs) return;
      clearInterval(watch);
      void this.describe().then((state) => {
        const error = `It hung: nothing began or ended for ${Math.round((now - heardAt) / 1000)} s, in a file that has run for ${Math.round((now - startedAt) / 1000)} s.\n${state}`;
        failures.push({ test: lastOf(running, file), error });
        return this.kill(onExit, ended.resolve);
      });
    }, 1_000);
    // A worker that cannot be loaded ends without a message.
    await Promise.race([this.ready, ended.promise]);
    if (this.isUsable) this.child.send({ file: path.resolve(CHECKOUT, file) });
    await ended.promise;
    clearInterval(watch);
    this.child.off('message', onMessage).off('exit', onExit);
    this.hasFailed ||= failures.length > 0;
    const { passed, skipped } = counts;
    return { file, ms: performance.now() - startedAt, passed, skipped, failures, output: this.output };
  }

  /** Returns what went wrong after all tests had passed. */
  async end(): Promise<string | null> {
    if (this.child.connected) this.child.disconnect();
    // A file that left a timer or a server behind would keep the process.
    await Promise.race([this.exited, delay(STATE_MS)]);
    const cause = this.child.signalCode ?? this.child.exitCode;
    if (cause === null) this.child.kill('SIGKILL');
    return this.hasFailed || !cause ? null : `The process ended with ${cause}.\n${this.output}`;
  }

  private async describe(): Promise<string> {
    const answer = new Promise<string>((resolve) => {
      this.child.on('message', (event: WorkerEvent) => event.type === 'state' && resolve(event.text));
    });
    this.child.send('state');
    return Promise.race([answer, delay(STATE_MS, 'Its event loop is blocked.')]);
  }

  /** Ends the process and the servers, browsers and commands that it started. */
  private async kill(
    onExit: (code: number | null, signal: string | null) => void,
    done: () => void,
  ): Promise<void> {
    this.isUsable = false;
    this.child.off('exit', onExit);
    for (const pid of [...descendantsOf(this.child.pid ?? 0), this.child.pid ?? 0]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    await this.exited;
    done();
  }
}

const lastOf = (running: ReadonlySet<string>, file: string): string => [...running].at(-1) ?? file;

/** Process ids, by Linux' process file system; none on other systems. */
function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>();
  try {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const found = new Set([pid]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child);
  }
  found.delete(pid);
  return [...found];
}
