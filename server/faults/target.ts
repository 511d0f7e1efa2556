/**
 * The product under test: the real server in its own process, with its embedded database or with a PostgreSQL at
 * `DATABASE_URL`. The campaign acts as the service manager: it restarts the server and the external PostgreSQL when
 * they end. The server itself restarts the embedded PostgreSQL.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Product, startProduct } from '../test/product.ts';
import { type Disk, openDisk } from './disk.ts';
import { type ExternalPostgres, openExternalPostgres } from './external-postgres.ts';
import type { System } from './fault-run.ts';
import { findPostmaster } from './processes.ts';

export type Mode = 'embedded' | 'external';

const LOOK_EVERY_MS = 100;
/** Delay before a restart, as a service manager has one. */
const RESTART_AFTER_MS = 1_000;
const SERVER_STARTS_WITHIN_MS = 180_000;
const LOG_LINES = 20;
const LOG_DISK_MB = 64;

type ServerEnd = { readonly isPlanned: boolean; readonly how: string };

export class Target implements System {
  readonly mode: Mode;
  readonly loadBeforeMs = [400, 1_500] as const;
  readonly backWithinS = 120;
  readonly disk: Disk;
  /** For the log of the server alone, which may be full while the database has space. */
  readonly logDisk: Disk;
  readonly operatorKey: string;
  readonly external: ExternalPostgres | null;
  readonly outboxDir: string;
  readonly inboxDir: string;
  readonly ends: ServerEnd[] = [];
  private readonly dataDir: string;
  private readonly environment: Record<string, string> & { DATA_DIR: string };
  private readonly log: (message: string) => void;
  /** Base URL of the running server, or of the last one; then connections are refused. */
  baseUrl = '';
  adminUrl = '';
  private product: Product | null = null;
  private isEndPlanned = false;
  private stopping = false;
  private supervision: Promise<void> | null = null;

  static async open(
    mode: Mode,
    folder: string,
    operatorKey: string,
    log: (message: string) => void,
  ): Promise<Target> {
    const disk = await openDisk(path.join(folder, 'disk'));
    const logDisk = await openDisk(path.join(folder, 'log-disk'), LOG_DISK_MB);
    const external =
      mode === 'external' ? await openExternalPostgres(path.join(disk.folder, 'external')) : null;
    // With an external database only the database's disk gets full, not the server's own folder.
    const dataDir = path.join(external === null ? disk.folder : folder, 'data');
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return new Target(mode, { disk, logDisk, external, dataDir, operatorKey, log });
  }

  private constructor(
    mode: Mode,
    options: {
      disk: Disk;
      logDisk: Disk;
      external: ExternalPostgres | null;
      dataDir: string;
      operatorKey: string;
      log: (message: string) => void;
    },
  ) {
    this.mode = mode;
    this.disk = options.disk;
    this.logDisk = options.logDisk;
    this.operatorKey = options.operatorKey;
    this.external = options.external;
    this.dataDir = options.dataDir;
    this.log = options.log;
    this.outboxDir = path.join(options.dataDir, 'outbox');
    this.inboxDir = path.join(options.dataDir, 'inbox');
    this.environment = {
      DATA_DIR: options.dataDir,
      DEMO: 'off',
      SALDO_OPERATOR_KEY: options.operatorKey,
      RATE_LIMIT: '1000000',
      LOG_LEVEL: 'info',
      ...(options.external === null ? {} : { DATABASE_URL: options.external.url }),
    };
  }

  /** Ends a running server as part of a fault, so that its end is not counted as a crash. */
  endServer(name: 'SIGKILL' | 'SIGTERM'): void {
    if (this.product === null) return;
    this.isEndPlanned = true;
    this.product.child.kill(name);
  }

  unplannedEnds(): string[] {
    return this.ends.flatMap(({ isPlanned, how }) => (isPlanned ? [] : [how]));
  }

  get clusterData(): string {
    return this.external?.data ?? path.join(this.dataDir, 'postgres', 'data');
  }

  get databaseUrl(): string {
    if (this.external !== null) return this.external.url;
    const folder = path.join(this.dataDir, 'postgres');
    const password = readFileSync(path.join(folder, 'password'), 'utf8');
    return `postgres://saldo:${password}@localhost:5432/saldo?host=${encodeURIComponent(folder)}&sslmode=disable`;
  }

  /** Runs SQL on a separate connection. */
  async sql<R extends pg.QueryResultRow>(text: string): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl, connectionTimeoutMillis: 10_000 });
    // The query itself fails with the same error.
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<R>(text)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async start(): Promise<void> {
    await this.startServer();
    this.supervision = this.supervise();
    // The server must not outlive the campaign, however the campaign ends.
    process.on('exit', () => this.endServer('SIGKILL'));
  }

  /** Stops the server with SIGTERM and returns its exit code. Stops the external database afterwards. */
  async stop(): Promise<number | null> {
    this.stopping = true;
    await this.supervision;
    this.isEndPlanned = true;
    const code = (await this.product?.end('SIGTERM')) ?? null;
    await this.external?.stop();
    return code;
  }

  /** Kills the server, for a campaign that stops with a violation. */
  async kill(): Promise<void> {
    this.stopping = true;
    this.endServer('SIGKILL');
    await this.external?.stop().catch((error: Error) => this.log(error.message));
  }

  private async startServer(): Promise<void> {
    const tooLate = delay(SERVER_STARTS_WITHIN_MS, null, { ref: false });
    const logFile = path.join(this.logDisk.folder, 'server.log');
    const log = openSync(logFile, 'w');
    const starting = startProduct(this.environment, undefined, log).finally(() => closeSync(log));
    const product = await Promise.race([starting, tooLate]);
    if (product === null)
      throw new Error(`The server does not start within ${SERVER_STARTS_WITHIN_MS / 1000} s.`);
    const { child } = product;
    child.once('exit', (code, name) => {
      const lastLines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
      const how = `${name ?? `exit code ${code}`}\n${lastLines}`;
      this.ends.push({ isPlanned: this.isEndPlanned, how });
      this.isEndPlanned = false;
      this.product = null;
    });
    this.product = product;
    this.baseUrl = product.baseUrl;
    this.adminUrl = product.adminUrl;
  }

  private async supervise(): Promise<void> {
    while (!this.stopping) {
      await delay(LOOK_EVERY_MS);
      if (this.external !== null && !this.isPostgresHeld && findPostmaster(this.clusterData) === null) {
        await delay(RESTART_AFTER_MS);
        // The start fails while child processes of the last postmaster are alive, and while the disk is full.
        if (!this.isPostgresHeld)
          await this.external.start().catch(() => this.log('Postgres did not start yet.'));
      }
      if (this.product !== null || this.stopping) continue;
      await this.startServer().catch(async (error: Error) => {
        this.log(`The server did not start: ${error.message.split('\n', 1)[0]}`);
        await delay(RESTART_AFTER_MS);
      });
    }
  }

  /** True during `pg_ctl restart`, so that the supervision does not start a second postmaster. */
  isPostgresHeld = false;
}
