import { DatabaseUnusable } from '@saldo/postgres/unusable.ts';
import pg from 'pg';
import { CheckedClient } from './checked-client.ts';
import {
  type ConnectionCheck,
  DATABASE_LIMITS,
  DatabaseFull,
  DatabaseStalled,
  DatabaseUnavailable,
  isTimeout,
  NotConnected,
  StaleStatement,
} from './connection.ts';
import { type ConnectionUsage, Pool } from './pool.ts';
import { nameOf, urlPerHost } from './urls.ts';

const IS_STANDBY = 'select pg_is_in_recovery() as is_standby';

/** Only the primary has all changes and accepts new ones. */
const refuseStandby: ConnectionCheck = async (client) => {
  const query = { text: IS_STANDBY, query_timeout: DATABASE_LIMITS.connectMs };
  const { rows } = await client.query<{ is_standby: boolean }>(query);
  if (rows[0]?.is_standby !== false) throw new NotConnected('the server is a standby');
};

/** Each promotion of a standby begins a timeline with a greater number, of eight hexadecimal digits. */
const TIMELINE = `select case when pg_is_in_recovery() then null
  else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

/** A host that has not answered by then is not the primary. */
const PROBE_MS = 3_000;

type Found = { readonly url: string; readonly timeline: string };

async function probe(url: string): Promise<Found | null> {
  const client = new CheckedClient({
    connectionString: url,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  });
  // The failure of a call is its result. Without a listener, the event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string | null }>(TIMELINE);
    const timeline = rows[0]?.timeline ?? null;
    return timeline === null ? null : { url, timeline };
  } catch {
    return null;
  } finally {
    void client.end().catch(() => {});
  }
}

/** Null if none of the hosts is a primary. Of two primaries, the one that was promoted later is in charge. */
async function findPrimary(urls: readonly string[]): Promise<Found | null> {
  const found = (await Promise.all(urls.map(probe))).filter((one) => one !== null);
  return found.reduce<Found | null>(
    (best, one) => (best === null || one.timeline > best.timeline ? one : best),
    null,
  );
}

/** The URL of the primary among the hosts of a URL. Throws `DatabaseUnusable`. */
export async function primaryUrl(url: string): Promise<string> {
  const urls = urlPerHost(url) ?? [url];
  const found = urls.length === 1 ? url : (await findPrimary(urls))?.url;
  if (found !== undefined) return found;
  throw new DatabaseUnusable(
    `None of the hosts of DATABASE_URL is a primary that can be reached: ${urls.map(nameOf).join(', ')}.`,
  );
}

/** One connection to the primary, for work before the platform starts. Throws `DatabaseUnusable`. */
export async function connectToPrimary(url: string, config: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new CheckedClient({ connectionString: await primaryUrl(url), ...config });
  // A lost connection also rejects the running query. Without a listener, the event would end the process.
  client.on('error', () => {});
  await client.connect().catch((error: Error) => {
    throw new DatabaseUnusable(
      `The database cannot be reached (${error.message}). Check DATABASE_URL and that PostgreSQL runs there.`,
      { cause: error },
    );
  });
  return client;
}

/** How often a database whose disk is full is asked to store something, to notice that it has space again. */
const PROBE_SPACE_MS = 5_000;

/** Needs new space on the disk, unlike a small change of a stored row, and is rolled back. */
const USE_SPACE =
  "create temporary table saldo_space as select repeat('x', 1000) as filler from generate_series(1, 100)";

export type AvailabilityListener = {
  /** Called once when the database becomes unavailable. */
  lost(reason: Error): void;
  /** Called once when the database is available again. */
  back(awayMs: number): void;
  /** Called once when a write fails because the disk of the database is full. */
  full(reason: Error): void;
  /** Called once when the database can store something again. */
  spaceAgain(fullMs: number): void;
};

/**
 * The pool of the primary among several hosts. After a fail-over, the first call that cannot connect looks for the new
 * primary and continues there. `pg` has no `target_session_attrs`.
 */
export class PrimaryPool {
  private readonly urls: readonly string[];
  private readonly isPooled: boolean;
  private readonly listener: AvailabilityListener | undefined;
  private lostAt: number | null = null;
  private fullAt: number | null = null;
  private probing: NodeJS.Timeout | undefined;
  private isClosed = false;
  private pool: Pool | null;
  private timeline = '';
  private finding: Promise<Pool> | null = null;
  /** The number of calls that the primary has answered, errors of their statements included. */
  answered = 0;

  constructor(urls: readonly string[], isPooled: boolean, listener?: AvailabilityListener) {
    this.urls = urls;
    this.isPooled = isPooled;
    this.listener = listener;
    const [url, ...others] = urls;
    this.pool = url !== undefined && others.length === 0 ? this.open(url) : null;
  }

  readonly use = async <T>(call: (pool: Pool) => Promise<T>): Promise<T> => {
    let pool: Pool | null = null;
    try {
      pool = this.pool ?? (await this.find());
      const result = await call(pool);
      this.answered++;
      if (this.lostAt !== null) this.noteBack(this.lostAt);
      return result;
    } catch (error) {
      if (pool !== null && (await this.hasSuccessor(pool, error))) return this.use(call);
      if (error instanceof DatabaseFull) this.noteFull(error);
      else if (!(error instanceof DatabaseUnavailable)) this.answered++;
      else if (!(error instanceof StaleStatement)) this.noteLost(error);
      throw error;
    }
  };

  /** Whether another server is the primary now, and the failed call can be repeated there, because nothing was sent. */
  private async hasSuccessor(pool: Pool, error: unknown): Promise<boolean> {
    // When one call times out, the server is stalled, and so are all other calls.
    if (isTimeout(error)) pool.failTransactions();
    if (this.urls.length === 1) return false;
    if (error instanceof DatabaseStalled) void this.find().catch(() => {});
    return error instanceof NotConnected && (await this.find()) !== pool;
  }

  private noteLost(reason: Error): void {
    if (this.lostAt !== null) return;
    this.lostAt = performance.now();
    this.listener?.lost(reason);
  }

  /** Whether a write has failed because the disk is full, until the probe has stored something. */
  get isFull(): boolean {
    return this.fullAt !== null;
  }

  /** Not a loss: the next read succeeds, so that loss and return would be reported for every write. */
  private noteFull(reason: Error): void {
    if (this.fullAt !== null) return;
    this.fullAt = performance.now();
    this.listener?.full(reason);
    this.probeSpaceLater(this.fullAt);
  }

  /** Other writes do not show the end: some need no new space, and succeed while most fail. */
  private probeSpaceLater(fullAt: number): void {
    if (this.isClosed) return;
    this.probing = setTimeout(async () => {
      if (!(await this.hasSpace())) return this.probeSpaceLater(fullAt);
      this.fullAt = null;
      this.listener?.spaceAgain(performance.now() - fullAt);
    }, PROBE_SPACE_MS).unref();
  }

  private hasSpace(): Promise<boolean> {
    return this.use((pool) => pool.transaction((client) => client.query(USE_SPACE), 'rollback')).then(
      () => true,
      // Another error, such as a missing permission, says nothing about space. The next write does.
      (error: unknown) => !(error instanceof DatabaseUnavailable),
    );
  }

  private noteBack(lostAt: number): void {
    this.lostAt = null;
    this.listener?.back(performance.now() - lostAt);
  }

  usage(): ConnectionUsage {
    const none = { inUse: 0, waiting: 0 };
    return this.pool?.usage() ?? { read: none, write: none };
  }

  /** Coalesces concurrent searches. Keeps the known one if no host is a primary. */
  private find(): Promise<Pool> {
    this.finding ??= this.findNow().finally(() => {
      this.finding = null;
    });
    return this.finding;
  }

  private async findNow(): Promise<Pool> {
    const found = await findPrimary(this.urls);
    const { pool } = this;
    // A former primary that is back, but does not know of its successor yet, has an older timeline.
    if (found !== null && found.timeline >= this.timeline) {
      this.timeline = found.timeline;
      if (pool?.url === found.url) return pool;
      pool?.abandon();
      this.pool = this.open(found.url);
      return this.pool;
    }
    if (pool !== null) return pool;
    throw new NotConnected(`none of the hosts is a primary: ${this.urls.map(nameOf).join(', ')}`);
  }

  private open(url: string): Pool {
    return new Pool({ url, isPooled: this.isPooled, check: refuseStandby });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.probing);
    await this.finding?.catch(() => null);
    await this.pool?.close();
  }
}
