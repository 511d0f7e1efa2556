import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../timeout.ts';
import { type ConnectionCheck, DATABASE_LIMITS, DatabaseUnavailable, NotConnected } from './connection.ts';
import { type Lsn, laterOf, parseLsn } from './lsn.ts';
import { Pool } from './pool.ts';
import type { PrimaryPool } from './primary.ts';
import { statement } from './statement.ts';
import { nameOf } from './urls.ts';

export type ReplicaSettings = {
  readonly urls: readonly string[];
  /** A replica that lacks changes of the primary from so long ago is left out. */
  readonly maxLagMs: number;
  /** Called when a replica is left out, with the reason, and when it is in use (null). */
  readonly onChange?: (name: string, reason: string | null) => void;
};

export type ReplicaState = {
  readonly name: string;
  readonly isInUse: boolean;
  /** Null while the replica cannot be reached. */
  readonly lagS: number | null;
};

const POLL_EVERY_MS = 500;
/** A server that takes longer is not used until it answers again. */
const POLL_WITHIN_MS = 1_500;
/** How long a read waits for the position of a replica, before it goes to the primary. */
const REFRESH_WITHIN_MS = 250;
const REFRESH_EVERY_MS = 20;

/**
 * The copy of the database that wrote last (`event_log.origin`) contains the timeline. A replica that follows a former
 * primary has another one, so its positions in the log cannot be compared with those of the primary.
 */
const PRIMARY_STATE = statement(
  'read_primary_state',
  `select pg_current_wal_flush_lsn()::text as position, origin, event_log_origin() as "ownOrigin" from event_log`,
);
const SKIP_LOST_EVENTS = 'select skip_lost_events()';
const REPLICA_STATE = statement(
  'read_replica_state',
  `select coalesce(pg_last_wal_replay_lsn(), '0/0')::text as position, origin, pg_is_in_recovery() as "isStandby"
   from event_log`,
);
const REPLICA_IDENTITY = `select coalesce(pg_last_wal_replay_lsn(), '0/0')::text as position,
  pg_postmaster_start_time()::text as started, pg_is_in_recovery() as "isStandby"`;

type PrimaryState = { position: string; origin: string; ownOrigin: string };
type ReplicaRow = { position: string; origin: string; isStandby: boolean };
type Identity = { position: string; started: string; isStandby: boolean };

/** What the primary had written at a time of the monotonic clock. */
type Sample = { readonly at: number; readonly position: Lsn };

const answerWithin = <T>(ms: number, call: Promise<T>): Promise<T> =>
  within(ms, call, () => {
    throw new DatabaseUnavailable(`no answer within ${ms} ms`);
  });

class Replica {
  readonly name: string;
  /** The replica has all changes up to this position, and never goes back while its connections exist. */
  position: Lsn = 0n;
  isInUse = false;
  reason: string | null = null;
  lagMs: number | null = null;
  pool: Pool;
  private readonly url: string;
  /** The last time at which the replica had everything that the primary had. */
  private equalAt: number | null = null;
  private refreshing: Promise<ReplicaRow> | null = null;

  constructor(url: string) {
    this.url = url;
    this.name = nameOf(url);
    this.pool = this.open();
  }

  private open(): Pool {
    let started: string | null = null;
    const check: ConnectionCheck = async (client) => {
      const query = { text: REPLICA_IDENTITY, query_timeout: DATABASE_LIMITS.connectMs };
      const [found] = (await client.query<Identity>(query)).rows;
      if (found?.isStandby !== true) throw new NotConnected('the server is not a standby');
      started ??= found.started;
      // A restarted standby may replay changes again that this process has counted on.
      if (started !== found.started || parseLsn(found.position) < this.position)
        throw new NotConnected('the server was restarted, or the address leads to several servers');
    };
    return new Pool({ url: this.url, isPooled: false, check });
  }

  /** Closes all connections. Their reads are repeated on the primary. */
  reset(): void {
    this.pool.abandon();
    this.pool = this.open();
    this.position = 0n;
    this.lagMs = null;
    this.refreshing = null;
  }

  /** Reads the position now. Coalesces concurrent calls. */
  refresh(): Promise<ReplicaRow> {
    const { pool } = this;
    const read = async () => {
      const [row] = await pool.read<ReplicaRow>(REPLICA_STATE, [], 'object');
      if (row === undefined) throw new Error('the migrations make the event log');
      if (pool === this.pool) this.position = laterOf(this.position, parseLsn(row.position));
      return row;
    };
    this.refreshing ??= read().finally(() => {
      if (pool === this.pool) this.refreshing = null;
    });
    return this.refreshing;
  }

  measureLag(samples: readonly Sample[], now: number): number {
    const covered = samples.findLast(({ position }) => position <= this.position);
    if (covered !== undefined) this.equalAt = covered.at;
    const isEqual = covered !== undefined && covered === samples.at(-1);
    this.lagMs = isEqual ? 0 : this.equalAt === null ? Infinity : now - this.equalAt;
    return this.lagMs;
  }
}

/** The replica of a request. It has another pool when its connections were closed in the meantime. */
export type ChosenReplica = { readonly replica: Replica; readonly pool: Pool };

export const isUsable = ({ replica, pool }: ChosenReplica): boolean =>
  replica.isInUse && replica.pool === pool;

/** Polls the replicas and the primary, and chooses the replica of a request. */
export class Replicas {
  private readonly primary: PrimaryPool;
  private readonly settings: ReplicaSettings;
  private readonly replicas: readonly Replica[];
  private samples: Sample[] = [];
  private origin: string | null = null;
  /** The migrations of this process precede it, so a replica without it may lack tables. */
  private floor: Lsn | null = null;
  private timer: NodeJS.Timeout | null = null;
  private polling: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(primary: PrimaryPool, settings: ReplicaSettings) {
    this.primary = primary;
    this.settings = settings;
    this.replicas = settings.urls.map((url) => new Replica(url));
    this.pollAfter(0);
  }

  states(): ReplicaState[] {
    return this.replicas.map(({ name, isInUse, lagMs }) => ({
      name,
      isInUse,
      lagS: lagMs === null || lagMs === Infinity ? null : lagMs / 1000,
    }));
  }

  /** Null: the primary. A caller stays on one replica, so that its reads do not go back in time, while it is in use. */
  async choose(caller: string, after: Lsn): Promise<ChosenReplica | null> {
    const inUse = this.replicas.filter(({ isInUse }) => isInUse);
    const ranked = inUse.length < 2 ? inUse : rank(caller, inUse);
    const [preferred] = ranked;
    if (preferred !== undefined && preferred.position < after)
      await answerWithin(REFRESH_WITHIN_MS, preferred.refresh()).catch(() => null);
    const replica = ranked.find(({ isInUse, position }) => isInUse && position >= after);
    return replica === undefined ? null : { replica, pool: replica.pool };
  }

  /**
   * Resolves when every replica in use has the changes that the primary has now. A replica that takes longer than
   * `maxLagMs` is left out.
   */
  async untilReplicated(): Promise<void> {
    const { position } = await this.readPrimary();
    const endsAt = performance.now() + this.settings.maxLagMs;
    const lacks = (replica: Replica) => replica.isInUse && replica.position < parseLsn(position);
    while (this.replicas.some(lacks) && performance.now() < endsAt && !this.isClosed) {
      const late = this.replicas.filter(lacks);
      await Promise.all(
        late.map((replica) => answerWithin(REFRESH_WITHIN_MS, replica.refresh()).catch(() => null)),
      );
      if (this.replicas.some(lacks)) await delay(REFRESH_EVERY_MS);
    }
  }

  /** A replica whose read failed is not used until the next poll finds it in order. */
  leaveOut({ replica, pool }: ChosenReplica, reason: Error): void {
    if (replica.pool === pool) this.judge(replica, reason.message);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.polling;
    for (const { pool } of this.replicas) pool.abandon();
  }

  private pollAfter(ms: number): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => {
      this.polling = this.poll().then(() => this.pollAfter(POLL_EVERY_MS));
    }, ms).unref();
  }

  private async poll(): Promise<void> {
    // The primary first: a replica can only be ahead of a sample that is older than its own position.
    await answerWithin(POLL_WITHIN_MS, this.samplePrimary()).catch(() => null);
    await Promise.all(this.replicas.map((replica) => this.pollReplica(replica)));
  }

  private async samplePrimary(): Promise<void> {
    const at = performance.now();
    const { position, origin, ownOrigin } = await this.readPrimary();
    if (origin !== this.origin) this.samples = [];
    this.origin = origin === ownOrigin ? origin : null;
    if (this.origin === null) {
      // The primary was promoted and has not appended an event yet. Its origin then reaches its replicas.
      await this.primary.use((pool) =>
        pool.transaction((client) => client.query(SKIP_LOST_EVENTS), 'commit'),
      );
      return;
    }
    // An answer that came too late for its poll may follow that of a later one.
    if (at <= (this.samples.at(-1)?.at ?? 0)) return;
    const sample = { at, position: parseLsn(position) };
    this.floor ??= sample.position;
    this.samples = [...this.samples.filter((old) => at - old.at <= this.settings.maxLagMs), sample];
  }

  private async readPrimary(): Promise<PrimaryState> {
    const [state] = await this.primary.use((pool) => pool.read<PrimaryState>(PRIMARY_STATE, [], 'object'));
    if (state === undefined) throw new Error('the migrations make the event log');
    return state;
  }

  private async pollReplica(replica: Replica): Promise<void> {
    try {
      const row = await answerWithin(POLL_WITHIN_MS, replica.refresh());
      this.judge(replica, this.whyNot(replica, row));
    } catch (error) {
      replica.reset();
      this.judge(replica, error instanceof Error ? error.message : String(error));
    }
  }

  private whyNot(replica: Replica, { origin, isStandby }: ReplicaRow): string | null {
    const now = performance.now();
    const newest = this.samples.at(-1);
    const lagMs = replica.measureLag(this.samples, now);
    if (!isStandby) return 'the server is not a standby';
    if (newest === undefined || now - newest.at > this.settings.maxLagMs)
      return 'the position of the primary is unknown';
    if (origin !== this.origin) return 'the server does not follow the primary';
    if (lagMs > this.settings.maxLagMs || replica.position < (this.floor ?? 0n))
      return `the server is more than ${this.settings.maxLagMs / 1000} s behind the primary`;
    return null;
  }

  private judge(replica: Replica, reason: string | null): void {
    const isChanged = replica.isInUse ? reason !== null : replica.reason !== reason || reason === null;
    replica.isInUse = reason === null;
    replica.reason = reason;
    if (isChanged && !this.isClosed) this.settings.onChange?.(replica.name, reason);
  }
}

/** Rendezvous hashing: all processes choose alike, and only callers of a replica that is left out change. */
function rank(caller: string, replicas: readonly Replica[]): readonly Replica[] {
  const weightOf = ({ name }: Replica) => hash('sha1', `${caller} ${name}`);
  return replicas
    .map((replica) => ({ replica, weight: weightOf(replica) }))
    .sort((one, other) => (one.weight < other.weight ? -1 : 1))
    .map(({ replica }) => replica);
}
