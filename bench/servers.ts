import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../server/test/ports.ts';
import type { Target } from './connection.ts';
import { peakMegabytes } from './cpu.ts';
import type { FloodJob, FloodResult } from './flood.ts';
import type { Job, LoadJob, LoadResult } from './load.ts';

export type BenchServer = {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
};

/** As in the script `start` of package.json. */
const START = {
  environment: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '1048576' },
  options: ['--max-semi-space-size=16'],
};

/** Everything that a run has started. It is stopped in reverse order, however the run ends. */
export class Processes {
  private readonly children: ChildProcess[] = [];
  private readonly products = new Set<number>();
  /** Of the product that had the most memory so far. */
  peak = { name: '', megabytes: 0 };
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    // An interrupted run does not wait for an orderly stop.
    process.on('exit', () => this.children.forEach((child) => child.kill('SIGKILL')));
  }

  /** Starts the product as in production, with its log in a file and a rate limit that is never reached. */
  async product(
    name: string,
    databaseUrl: string | null,
    environment: Record<string, string> = {},
  ): Promise<BenchServer> {
    const [customerPort, adminPort] = [await freePort(), await freePort()];
    const settings = {
      ...START.environment,
      // Without one the product starts a database of its own in its folder.
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      DATA_DIR: this.dataDir(name),
      // One for all servers, because they share databases.
      SECRETS_KEY_FILE: path.join(this.folder, 'secrets.key'),
      CUSTOMER_PORT: String(customerPort),
      ADMIN_PORT: String(adminPort),
      DEMO: 'off',
      LOG_LEVEL: 'info',
      RATE_LIMIT: '1000000000',
      ...environment,
    };
    // The first worker listens before the second one has started. The admin port opens when all are ready.
    const server = await this.server(name, '../server/src/main.ts', settings, {
      answersLast: adminPort,
      options: START.options,
    });
    this.products.add(server.pid);
    return server;
  }

  dataDir(product: string): string {
    return path.join(this.folder, product);
  }

  async bare(databaseUrl: string): Promise<BenchServer> {
    return this.server('bare server', './bare-server.ts', { DATABASE_URL: databaseUrl });
  }

  async rival(name: string, script: string, databaseUrl: string): Promise<BenchServer> {
    return this.server(name, `./rivals/${script}`, {
      DATABASE_URL: databaseUrl,
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
    });
  }

  private async server(
    name: string,
    script: string,
    environment: Record<string, string>,
    { answersLast, options = [] }: { answersLast?: number; options?: readonly string[] } = {},
  ): Promise<BenchServer> {
    const port = await freePort();
    const logFile = path.join(this.folder, `${name.replaceAll(' ', '-')}.txt`);
    const log = openSync(logFile, 'w');
    const child = spawn(process.execPath, [...options, fileURLToPath(new URL(script, import.meta.url))], {
      // Only the variables given here: the caller's environment must not affect the benchmark.
      env: { PATH: process.env['PATH'], PORT: String(port), ...environment },
      stdio: ['ignore', log, log],
    });
    this.children.push(child);
    const failure = () => `the ${name} did not start:\n${readFileSync(logFile, 'utf8')}`;
    await answers(answersLast ?? port, child, failure);
    return { name, port, pid: child.pid ?? 0 };
  }

  generator(): Generator {
    const child = fork(new URL('./load.ts', import.meta.url));
    this.children.push(child);
    return new Generator(child);
  }

  /** Stops a server early, because an idle one still uses memory and some CPU time. */
  async end({ pid, name }: BenchServer): Promise<void> {
    const megabytes = this.products.has(pid) ? peakMegabytes(pid) : 0;
    if (megabytes > this.peak.megabytes) this.peak = { name, megabytes };
    for (const child of this.children) if (child.pid === pid) await ended(child);
  }

  async stop(): Promise<void> {
    for (const child of this.children.reverse()) await ended(child);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** The load generator's interface for the benchmark: one job at a time. */
export class Generator {
  private readonly child: ChildProcess;

  constructor(child: ChildProcess) {
    this.child = child;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  load(job: LoadJob): Promise<LoadResult> {
    return this.run<LoadResult>({ load: job });
  }

  flood(job: FloodJob): Promise<FloodResult> {
    return this.run<FloodResult>({ flood: job });
  }

  private async run<Result>(job: Job): Promise<Result> {
    this.child.send(job);
    const [answer] = (await once(this.child, 'message')) as [{ result?: Result; failure?: string }];
    if (answer.result === undefined) throw new Error(`the load generator failed: ${answer.failure}`);
    return answer.result;
  }
}

/** Servers with different responses cannot be compared. Each of them seals cursors with a secret of its own. */
export async function assertSameBodies(ports: readonly number[], targets: readonly Target[]): Promise<void> {
  for (const target of targets) {
    const bodies = await Promise.all(ports.map(async (port) => String(await bodyOf(port, target))));
    const [first, second] = bodies.map((body) => body.replace(/("next_cursor":"[\w-]+\.)[\w-]{16}"/, '$1"'));
    assert.equal(first, second, target.path);
  }
}

export async function bodyOf(port: number, { path: requested, headers, body }: Target): Promise<Buffer> {
  const post = body === undefined ? {} : { method: 'POST', body };
  const answer = await fetch(`http://127.0.0.1:${port}${requested}`, {
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...post,
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${requested} was answered with ${answer.status}: ${bytes}`);
  return bytes;
}

/** Only catches hangs: a first start takes long on a busy machine. */
const START_PATIENCE_MS = 180_000;

async function answers(port: number, child: ChildProcess, failure: () => string): Promise<void> {
  for (const startedAt = Date.now(); Date.now() - startedAt < START_PATIENCE_MS; await delay(50)) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    await answer?.body?.cancel();
    if (answer) return;
  }
  throw new Error(failure());
}
