import { AsyncLocalStorage } from 'node:async_hooks';
import { codeOf, DatabaseUnavailable } from './connection.ts';
import type { ConnectionUsage } from './database-server.ts';
import { type Lsn, laterOf, parseLsn } from './lsn.ts';
import { type AvailabilityListener, Primary } from './primary.ts';
import { type Db, type PrimaryDb, queriesOn, type Run, type Tx } from './queries.ts';
import { type ChosenReplica, type ReplicaSettings, type ReplicaState, Replicas } from './replicas.ts';
import { hotStatement } from './statement.ts';
import { urlPerHost } from './urls.ts';

export type { Db, PrimaryDb, Tx } from './queries.ts';

export type Database = Db & {
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

export type PrimaryDatabase = Database & PrimaryDb;

/** For the modules that start the platform. No other one knows about replicas. */
export type ReplicatedDatabase = Database & {
  /** The same database, for reads that no replica may answer. */
  readonly current: PrimaryDatabase;
  /** Null without read replicas. */
  readonly replication: Replication | null;
};

export type OpenDatabase = ReplicatedDatabase & {
  /** Of the primary. */
  connections(): ConnectionUsage;
  /** Whether writes fail because the disk of the primary is full. */
  isFull(): boolean;
};

export type Replication = {
  /** Runs the work of a request, whose reads may go to a replica. Reads outside of a request go to the primary. */
  within<T>(request: RequestScope, work: () => Promise<T>): Promise<T>;
  /** Resolves when all replicas have the changes that the primary has now. */
  untilReplicated(): Promise<void>;
  states(): ReplicaState[];
};

/** The reads and writes of one request. */
export type RequestScope = {
  /** Identifies the key or session, whose reads go to one replica as long as possible. */
  readonly caller: string;
  /** Whether the request only reads. All reads of other requests go to the primary. */
  readonly isRead: boolean;
  /** Reads include all changes up to this position. */
  readonly after: Lsn;
  /** Set after a write or a read of the primary: the caller's next reads must include it. */
  reached: Lsn | null;
};

type Scope = {
  readonly request: RequestScope;
  /** Chosen by the first read. All later ones use the same server, so that no read goes back in time. */
  replica: Promise<ChosenReplica | null> | null;
  hasReadPrimary: boolean;
};

export type DatabaseOptions = {
  readonly listener?: AvailabilityListener;
  /** The server behind the pooler that the URL names, for locks of a session. Null: the URL names no pooler. */
  readonly directUrl?: string | null;
  readonly replicas?: ReplicaSettings | null;
};

const READ_POSITION = hotStatement('read_position', 'select pg_current_wal_insert_lsn()::text as position');

/** A standby cancels reads that would delay the replay of changes (40001, 40P01). */
const CONFLICTS = /^(40001|40P01)$/;
const STATEMENT_TIMED_OUT = '57014';

/** Whether the primary may answer a read that failed on a replica. A slow read would be slow there, too. */
const isFaultOfReplica = (error: unknown): error is Error =>
  error instanceof Error &&
  (CONFLICTS.test(codeOf(error)) ||
    (error instanceof DatabaseUnavailable && codeOf(error.cause) !== STATEMENT_TIMED_OUT));

/** Reads over the pool, or pipelined. */
type Read = <R>(how: 'read' | 'readHot', ...call: Parameters<Run>) => Promise<R[]>;

/** Sends the reads of requests to replicas, and all others to the primary. */
class ReadRouter {
  private readonly onPrimary: Read;
  private readonly replicas: Replicas;
  private readonly scopes = new AsyncLocalStorage<Scope>();

  constructor(replicas: Replicas, onPrimary: Read) {
    this.replicas = replicas;
    this.onPrimary = onPrimary;
  }

  states(): ReplicaState[] {
    return this.replicas.states();
  }

  untilReplicated(): Promise<void> {
    return this.replicas.untilReplicated();
  }

  async within<T>(request: RequestScope, work: () => Promise<T>): Promise<T> {
    const scope: Scope = { request, replica: request.isRead ? null : ON_PRIMARY, hasReadPrimary: false };
    const result = await this.scopes.run(scope, work);
    if (scope.hasReadPrimary) {
      const [row] = await this.onPrimary<{ position: string }>('readHot', READ_POSITION, [], 'object');
      if (row !== undefined) reach(request, parseLsn(row.position));
    }
    return result;
  }

  async read<R>(...[how, ...call]: Parameters<Read>): Promise<R[]> {
    const scope = this.scopes.getStore();
    if (!scope?.request.isRead) return this.onPrimary(how, ...call);
    const chosen = await this.replicaOf(scope);
    if (chosen !== null) {
      try {
        return await chosen.server[how]<R>(...call);
      } catch (error) {
        if (!isFaultOfReplica(error)) throw error;
        scope.replica = ON_PRIMARY;
        if (error instanceof DatabaseUnavailable) this.replicas.leaveOut(chosen, error);
      }
    }
    return this.readPrimary(how, ...call);
  }

  /** The caller's next reads must not go back to an older state. */
  readPrimary: Read = (...call) => {
    const scope = this.scopes.getStore();
    if (scope?.request.isRead) scope.hasReadPrimary = true;
    return this.onPrimary(...call);
  };

  /** The position after a write of the request. Its later reads include it, because they go to the primary. */
  noteWrite = (position: Lsn): void => {
    const scope = this.scopes.getStore();
    if (scope === undefined) return;
    scope.replica = ON_PRIMARY;
    reach(scope.request, position);
  };

  close(): Promise<void> {
    return this.replicas.close();
  }

  private async replicaOf(scope: Scope): Promise<ChosenReplica | null> {
    const { caller, after } = scope.request;
    scope.replica ??= this.replicas.choose(caller, after);
    const chosen = await scope.replica;
    if (chosen === null || isUsable(chosen)) return chosen;
    scope.replica = ON_PRIMARY;
    return null;
  }
}

const isUsable = ({ replica, server }: ChosenReplica) => replica.isInUse && replica.server === server;

const ON_PRIMARY: Promise<null> = Promise.resolve(null);

function reach(request: RequestScope, position: Lsn): void {
  request.reached = laterOf(request.reached ?? position, position);
}

/**
 * Opens pipelined connections for hot statements (a third of a pool's cost per look-up), a pool of read-only
 * connections for all other reads, and a pool for transactions.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): OpenDatabase {
  const { listener, directUrl = null, replicas = null } = options;
  const primary = new Primary(urlPerHost(url) ?? [url], directUrl !== null, listener);
  const direct = directUrl === null ? null : new Primary(urlPerHost(directUrl) ?? [directUrl], false);
  const onPrimary: Read = (how, statement, values, shape) =>
    primary.use((server) => server[how](statement, values, shape));
  const router = replicas && new ReadRouter(new Replicas(primary, replicas), onPrimary);
  // Detects calls that need a second connection inside a transaction: enough of them at once would deadlock the pool.
  const transactionScope = new AsyncLocalStorage<true>();
  const refuseInTransaction = (what: string) => {
    if (transactionScope.getStore()) throw new Error(`${what} inside a transaction: use its tx`);
  };

  const begin = <T>(work: (tx: Tx) => Promise<T>, end: 'commit' | 'rollback') => {
    refuseInTransaction('a transaction');
    return transactionScope.run(true, () =>
      primary.use((server) => server.transaction(work, end, router?.noteWrite ?? null)),
    );
  };
  const databaseWith = (read: Read): Database => ({
    ...queriesOn((statement, values, shape) => {
      refuseInTransaction('a read');
      return read('read', statement, values, shape);
    }),
    hot: queriesOn((statement, values, shape) => read('readHot', statement, values, shape)),
    transaction: (work) => begin(work, 'commit'),
    rolledBack: (work) => begin(work, 'rollback'),
    exclusively(name, work) {
      refuseInTransaction('exclusive work');
      return (direct ?? primary).use((server) => server.exclusively(name, work));
    },
    async close() {
      await router?.close();
      await Promise.all([primary.close(), direct?.close()]);
    },
  });
  const state = { connections: () => primary.connections(), isFull: () => primary.isFull };
  const current = { ...databaseWith(router?.readPrimary ?? onPrimary), isPrimary: true } as const;
  const read: Read = router === null ? onPrimary : (...call) => router.read(...call);
  return { ...databaseWith(read), ...state, current, replication: router };
}
