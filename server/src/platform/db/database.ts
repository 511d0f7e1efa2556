import { AsyncLocalStorage } from 'node:async_hooks';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Clock, systemClock } from '../clock.ts';
import { announceChange } from './announce-change.ts';
import { codeOf, DatabaseUnavailable } from './connection.ts';
import { type Lsn, parseLsn } from './lsn.ts';
import { type ConnectionUsage, type Pool, queryOf } from './pool.ts';
import { type AvailabilityListener, PrimaryPool } from './primary.ts';
import {
  type ChosenReplica,
  isUsable,
  type ReplicaSettings,
  type ReplicaState,
  Replicas,
} from './replicas.ts';
import { type HotStatement, hotStatement, type Statement } from './statement.ts';
import { urlPerHost } from './urls.ts';

type Row = Record<string, unknown>;

export type Queries<S extends Statement> = {
  /** Rows as objects. */
  query<R extends Row>(statement: S, values?: readonly unknown[]): Promise<R[]>;
  /** Rows as arrays of columns, for large answers. */
  arrays<R extends readonly unknown[]>(statement: S, values?: readonly unknown[]): Promise<R[]>;
};

/** The first argument of query functions: the database, a transaction, or a replica. */
export type Db = Queries<Statement> & {
  /** Pipelined: many reads share a connection, so a slow statement would delay the others. */
  readonly hot: Queries<HotStatement>;
};

/**
 * Reads that no replica answers. A reader of the order of commits needs it: a replica knows neither the locks nor
 * the sequences of the primary.
 */
export type Primary = Db & { readonly isPrimary: true };

/** An open transaction. Only `transaction` and `rolledBack` create one. */
export type Tx = Primary & {
  readonly inTransaction: true;
  /** Runs a `copy … from stdin` with rows in text format, the fastest way to insert many rows. */
  copy(text: string, rows: Buffer): Promise<void>;
  /** Runs `work` directly before the commit, when everything else of the transaction is done. */
  beforeCommit(work: () => Promise<void>): void;
};

/** The database. All reads and writes go to the primary. */
export type Database = Primary & {
  /** The only way to write. `work` must use only `tx`: a second connection could deadlock on the pool. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction and takes back everything that it changed, to learn what it would do. */
  rolledBack<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs `work` unless any process runs work of the same name; then returns null. For work that waits for the network:
   * it holds a connection, but no transaction. Postgres releases the lock when this process ends.
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T | null>;
  close(): Promise<void>;
};

/** For the modules that start and watch the platform. */
export type OpenDatabase = Database & {
  usage(): ConnectionUsage;
  /** Whether writes fail because the disk is full. */
  isFull(): boolean;
  /** Null without read replicas. */
  readonly replication: Replication | null;
};

export type Replication = {
  /** For a request that may read from a replica: a replica with all changes up to `after`, otherwise the primary. */
  readsAfter(after: Lsn, caller: string): Promise<RequestReads>;
  /** For all other requests. */
  primaryReads(): RequestReads;
  /** A position of the primary, after all changes that were committed before the call. */
  position(): Promise<Lsn>;
  /** Resolves when all replicas have the changes that the primary has now. */
  untilReplicated(): Promise<void>;
  states(): ReplicaState[];
};

type RequestReads = {
  readonly db: Db;
  /** Whether the request may have seen a state of the primary that replicas lack. */
  readonly hasUsedPrimary: () => boolean;
};

export type DatabaseOptions = {
  readonly listener?: AvailabilityListener;
  /** The server behind the pooler that the URL names, for locks of a session. Null: the URL names no pooler. */
  readonly directUrl?: string | null;
  readonly replicas?: ReplicaSettings | null;
  /** The platform's clock, by which the instants of changes are read. */
  readonly clock?: Clock;
};

/** Later than the end of a transaction, even if its record in the log is not written to the disk yet. */
const READ_POSITION = hotStatement('read_position', 'select pg_current_wal_insert_lsn()::text as position');

export function openDatabase(url: string, options: DatabaseOptions = {}): OpenDatabase {
  const { listener, directUrl = null, replicas = null, clock = systemClock } = options;
  const primary = new PrimaryPool(urlPerHost(url) ?? [url], directUrl !== null, listener);
  const direct = directUrl === null ? null : new PrimaryPool(urlPerHost(directUrl) ?? [directUrl], false);
  // Detects calls that need a second connection inside a transaction: enough of them at once would deadlock the pool.
  const transactionScope = new AsyncLocalStorage<true>();
  const refuseInTransaction = (what: string) => {
    if (transactionScope.getStore()) throw new Error(`${what} inside a transaction: use its tx`);
  };
  const transaction = <T>(work: (tx: Tx) => Promise<T>, end: 'commit' | 'rollback') => {
    refuseInTransaction('a transaction');
    return transactionScope.run(true, () =>
      primary.use((pool) => {
        const first = end === 'commit' ? announceChange(clock.now()) : null;
        return pool.transaction((client) => workOn(client, work, end), end, first);
      }),
    );
  };
  const refuseRead = () => refuseInTransaction('a read');
  const reads: Primary = { ...readsOf(primary.use, refuseRead), isPrimary: true };
  const replicated = replicas && new Replicas(primary, replicas);
  return {
    ...reads,
    transaction: (work) => transaction(work, 'commit'),
    rolledBack: (work) => transaction(work, 'rollback'),
    exclusively(name, work) {
      refuseInTransaction('exclusive work');
      return (direct ?? primary).use((pool) => pool.exclusively(name, work));
    },
    usage: () => primary.usage(),
    isFull: () => primary.isFull,
    replication: replicated && replicationOf(primary, reads, replicated, refuseRead),
    async close() {
      await replicated?.close();
      await Promise.all([primary.close(), direct?.close()]);
    },
  };
}

type Use = <T>(call: (pool: Pool) => Promise<T>) => Promise<T>;

/** Reads of the pool that `use` chooses. */
const readsOf = (use: Use, refuseInTransaction: () => void): Db => ({
  query(statement, values = []) {
    refuseInTransaction();
    return use((pool) => pool.read(statement, values, 'object'));
  },
  arrays(statement, values = []) {
    refuseInTransaction();
    return use((pool) => pool.read(statement, values, 'array'));
  },
  hot: {
    query: (statement, values = []) => use((pool) => pool.hot.run(statement, values, 'object')),
    arrays: (statement, values = []) => use((pool) => pool.hot.run(statement, values, 'array')),
  },
});

async function workOn<T>(
  client: pg.PoolClient,
  work: (tx: Tx) => Promise<T>,
  end: 'commit' | 'rollback',
): Promise<T> {
  const lastSteps: (() => Promise<void>)[] = [];
  const queries: Queries<Statement> = {
    query: async (statement, values = []) =>
      (await client.query(queryOf(statement, values, 'object'))).rows as never[],
    arrays: async (statement, values = []) =>
      (await client.query(queryOf(statement, values, 'array'))).rows as never[],
  };
  const result = await work({
    ...queries,
    hot: queries,
    isPrimary: true,
    inTransaction: true,
    async copy(text, rows) {
      await finished(client.query(copyFrom(text)).end(rows));
    },
    beforeCommit: (step) => lastSteps.push(step),
  });
  if (end === 'commit') for (const step of lastSteps) await step();
  return result;
}

const replicationOf = (
  primary: PrimaryPool,
  db: Primary,
  replicas: Replicas,
  refuseRead: () => void,
): Replication => ({
  async readsAfter(after, caller) {
    const chosen = await replicas.choose(caller, after);
    if (chosen === null) return { db, hasUsedPrimary: () => true };
    const { use, hasUsedPrimary } = replicaElsePrimary(chosen, replicas, primary);
    return { db: readsOf(use, refuseRead), hasUsedPrimary };
  },
  primaryReads() {
    const { answered } = primary;
    return { db, hasUsedPrimary: () => primary.answered !== answered };
  },
  async position() {
    const [row] = await db.hot.query<{ position: string }>(READ_POSITION);
    return parseLsn(row?.position ?? '');
  },
  untilReplicated: () => replicas.untilReplicated(),
  states: () => replicas.states(),
});

/** A standby cancels reads that would delay the replay of changes (40001, 40P01). */
const CONFLICTS = /^(40001|40P01)$/;
const STATEMENT_TIMED_OUT = '57014';

/** Whether the primary may answer a read that failed on a replica. A slow read would be slow there, too. */
const isFaultOfReplica = (error: unknown): error is Error =>
  error instanceof Error &&
  (CONFLICTS.test(codeOf(error)) ||
    (error instanceof DatabaseUnavailable && codeOf(error.cause) !== STATEMENT_TIMED_OUT));

/** One replica. If it fails, this and all later reads go to the primary, so that none goes back in time. */
function replicaElsePrimary(chosen: ChosenReplica, replicas: Replicas, primary: PrimaryPool) {
  let isLeft = false;
  const use: Use = async (call) => {
    if (!isLeft && isUsable(chosen)) {
      try {
        return await call(chosen.pool);
      } catch (error) {
        if (!isFaultOfReplica(error)) throw error;
        if (error instanceof DatabaseUnavailable) replicas.leaveOut(chosen, error);
      }
    }
    isLeft = true;
    return primary.use(call);
  };
  return { use, hasUsedPrimary: () => isLeft };
}
