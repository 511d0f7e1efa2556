import { AsyncLocalStorage } from 'node:async_hooks';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  DATABASE_LIMITS,
  DatabaseUnavailable,
  hotConfig,
  isTimeout,
  needsAnotherConnection,
  openPool,
  readerConfig,
  StaleStatement,
  translate,
  translateConnecting,
  writerConfig,
} from './connection.ts';
import { Pipeline } from './pipeline.ts';
import type { RowShape } from './read.ts';
import type { HotStatement, Statement } from './statement.ts';

type Row = Record<string, unknown>;

type Queries<S extends Statement> = {
  /** Rows as objects. */
  query<R extends Row>(statement: S, values?: readonly unknown[]): Promise<R[]>;
  /** Rows as arrays of columns, for large answers. */
  arrays<R extends readonly unknown[]>(statement: S, values?: readonly unknown[]): Promise<R[]>;
};

/** The first argument of query functions: the database itself or a transaction. */
export type Db = Queries<Statement> & {
  /** Pipelined: many reads share a connection, so a slow statement would delay the others. */
  readonly hot: Queries<HotStatement>;
};

/** An open transaction. Only `transaction` and `rolledBack` create one. */
export type Tx = Db & {
  readonly inTransaction: true;
  /** Runs a `copy … from stdin` with rows in text format, the fastest way to insert many rows. */
  copy(text: string, rows: Buffer): Promise<void>;
};

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

export type OpenDatabase = Database & {
  /** Connections in use, and calls that wait for one, by the kind of connection. */
  connections(): Record<'read' | 'write', { inUse: number; waiting: number }>;
};

const usageOf = ({ totalCount, idleCount, waitingCount }: pg.Pool) => ({
  inUse: totalCount - idleCount,
  waiting: waitingCount,
});

type Run = <R>(statement: Statement, values: readonly unknown[], shape: RowShape) => Promise<R[]>;

const queriesOn = (run: Run): Queries<Statement> => ({
  query: (statement, values = []) => run(statement, values, 'object'),
  arrays: (statement, values = []) => run(statement, values, 'array'),
});

const runOn =
  (client: pg.PoolClient): Run =>
  async <R>({ name, text }: Statement, values: readonly unknown[], shape: RowShape) => {
    const config = { name, text, values: [...values] };
    const { rows } = await (shape === 'array'
      ? client.query({ ...config, rowMode: 'array' })
      : client.query(config));
    return rows as R[];
  };

/** Closes a connection after a failure: it may be in the middle of a response or hold an outdated statement. */
async function onConnection<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translateConnecting(error);
  });
  let failure: unknown;
  try {
    return await use(client);
  } catch (error) {
    failure = translate(error);
    throw failure;
  } finally {
    client.release(failure instanceof DatabaseUnavailable ? failure : undefined);
  }
}

/** Each attempt closes one lost or outdated connection, so one attempt more than the pool's size gets a new one. */
async function readOn<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  for (let left = DATABASE_LIMITS.readers; ; left--) {
    try {
      return await onConnection(pool, use);
    } catch (error) {
      if (!needsAnotherConnection(error) || left === 0) throw error;
    }
  }
}

function transactionOn(client: pg.PoolClient): Tx {
  const queries = queriesOn(runOn(client));
  return {
    ...queries,
    hot: queries,
    inTransaction: true,
    async copy(text, rows) {
      await finished(client.query(copyFrom(text)).end(rows));
    },
  };
}

const inTransaction = <T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  end: 'commit' | 'rollback',
): Promise<T> =>
  onConnection(pool, async (client) => {
    const begin = { text: 'begin', query_timeout: DATABASE_LIMITS.beginMs };
    await client.query(begin);
    try {
      const result = await work(transactionOn(client));
      await client.query(end);
      return result;
    } catch (error) {
      // Postgres rolls back when a connection is lost.
      if (!(translate(error) instanceof DatabaseUnavailable)) await client.query('rollback');
      throw error;
    }
  });

const exclusivelyOn = <T>(pool: pg.Pool, name: string, work: () => Promise<T>): Promise<T | null> =>
  onConnection(pool, async (client) => {
    const lock = {
      text: 'select pg_try_advisory_lock(hashtextextended($1, 0)) as is_locked',
      values: [name],
    };
    const { rows } = await client.query<{ is_locked: boolean }>(lock);
    if (!rows[0]?.is_locked) return null;
    try {
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
    }
  });

/** Called once when the database becomes unavailable and once when it is available again. */
export type AvailabilityListener = {
  lost(reason: Error): void;
  back(awayMs: number): void;
};

function availability(listener: AvailabilityListener | undefined, closeInUse: () => void) {
  let lostAt: number | null = null;
  return async <T>(call: Promise<T>): Promise<T> => {
    try {
      const result = await call;
      if (lostAt !== null) {
        listener?.back(performance.now() - lostAt);
        lostAt = null;
      }
      return result;
    } catch (error) {
      if (isTimeout(error)) closeInUse();
      if (error instanceof DatabaseUnavailable && !(error instanceof StaleStatement) && lostAt === null) {
        lostAt = performance.now();
        listener?.lost(error);
      }
      throw error;
    }
  };
}

/**
 * Opens pipelined connections for hot statements (a third of a pool's cost per look-up), a pool of read-only
 * connections for all other reads, and a pool for transactions.
 */
export function openDatabase(url: string, listener?: AvailabilityListener): OpenDatabase {
  const pipelines = Array.from({ length: DATABASE_LIMITS.pipelines }, () => new Pipeline(hotConfig(url)));
  const readers = openPool(readerConfig(url), DATABASE_LIMITS.readers);
  const writers = openPool(writerConfig(url), DATABASE_LIMITS.writers);
  // When one call times out, the database is stalled: fail all open transactions at once instead of each at its own timeout.
  const inUse = new Set<pg.PoolClient>();
  writers.on('acquire', (client) => inUse.add(client));
  writers.on('release', (_error, client) => inUse.delete(client));
  const watched = availability(listener, () => {
    for (const client of inUse) client.end().catch(() => {});
  });
  // Detects calls that need a second connection inside a transaction: enough of them at once would deadlock the pool.
  const transactionScope = new AsyncLocalStorage<true>();
  const refuseInTransaction = (what: string) => {
    if (transactionScope.getStore()) throw new Error(`${what} inside a transaction: use its tx`);
  };

  const leastBusy = () =>
    pipelines.reduce((best, pipeline) => (pipeline.inFlight < best.inFlight ? pipeline : best));
  const read: Run = (statement, values, shape) => {
    refuseInTransaction('a read');
    return watched(readOn(readers, (client) => runOn(client)(statement, values, shape)));
  };
  const readHot: Run = (statement, values, shape) => watched(leastBusy().run(statement, values, shape));
  const begin = <T>(work: (tx: Tx) => Promise<T>, end: 'commit' | 'rollback') => {
    refuseInTransaction('a transaction');
    return transactionScope.run(true, () => watched(inTransaction(writers, work, end)));
  };
  return {
    ...queriesOn(read),
    hot: queriesOn(readHot),
    transaction: (work) => begin(work, 'commit'),
    rolledBack: (work) => begin(work, 'rollback'),
    exclusively(name, work) {
      refuseInTransaction('exclusive work');
      return watched(exclusivelyOn(writers, name, work));
    },
    connections: () => ({ read: usageOf(readers), write: usageOf(writers) }),
    async close() {
      await Promise.all([...pipelines.map((pipeline) => pipeline.close()), readers.end(), writers.end()]);
    },
  };
}
