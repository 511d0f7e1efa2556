import type pg from 'pg';
import {
  BEGIN_POOLED,
  breaksConnection,
  type ConnectionCheck,
  DATABASE_LIMITS,
  DatabaseUnavailable,
  hotConfig,
  needsAnotherConnection,
  openPool,
  readerConfig,
  translate,
  translateConnecting,
  writerConfig,
} from './connection.ts';
import { Pipeline } from './pipeline.ts';
import type { RowShape, Statement } from './statement.ts';

type PoolOptions = {
  readonly url: string;
  /** A pooler shares its connections between transactions, so that they have no state of their own. */
  readonly isPooled: boolean;
  readonly check: ConnectionCheck;
};

/** Connections in use, and calls that wait for one, by the kind of connection. */
export type ConnectionUsage = Record<'read' | 'write', { inUse: number; waiting: number }>;

const usageOf = ({ totalCount, idleCount, waitingCount }: pg.Pool) => ({
  inUse: totalCount - idleCount,
  waiting: waitingCount,
});

/**
 * The connections to one PostgreSQL server, opened when needed: pipelined ones for hot statements (a third of the cost
 * of a pooled one per look-up), read-only ones for all other reads, and those of transactions.
 */
export class Pool {
  readonly url: string;
  private readonly isPooled: boolean;
  private readonly pipelines: readonly Pipeline[];
  private readonly readers: pg.Pool;
  private readonly writers: pg.Pool;
  private readonly writing = new Set<pg.PoolClient>();

  constructor({ url, isPooled, check }: PoolOptions) {
    this.url = url;
    this.isPooled = isPooled;
    const pipeline = () => new Pipeline(hotConfig(url, isPooled), check);
    this.pipelines = Array.from({ length: DATABASE_LIMITS.pipelines }, pipeline);
    this.readers = openPool(readerConfig(url, isPooled), DATABASE_LIMITS.readers, check);
    this.writers = openPool(writerConfig(url, isPooled), DATABASE_LIMITS.writers, check);
    this.writers.on('acquire', (client) => this.writing.add(client));
    this.writers.on('release', (_error, client) => this.writing.delete(client));
  }

  /** Each attempt closes one lost or outdated connection, so one attempt more than the pool's size gets a new one. */
  async read<R>(statement: Statement, values: readonly unknown[], shape: RowShape): Promise<R[]> {
    for (let left = DATABASE_LIMITS.readers; ; left--) {
      const client = await connect(this.readers);
      let failure: unknown;
      try {
        return (await client.query(queryOf(statement, values, shape))).rows as R[];
      } catch (error) {
        failure = translate(error);
        if (!needsAnotherConnection(failure) || left === 0) throw failure;
      } finally {
        release(client, failure);
      }
    }
  }

  /** The pipelined connection with the fewest reads in flight. */
  get hot(): Pipeline {
    return this.pipelines.reduce((best, one) => (one.inFlight < best.inFlight ? one : best));
  }

  /** Runs `work` in a transaction that may write. `first` is the SQL of its first statement, sent with its beginning. */
  transaction<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    end: 'commit' | 'rollback',
    first: string | null = null,
  ): Promise<T> {
    return this.onWriter(async (client) => {
      try {
        await begin(client, this.isPooled, first);
        const result = await work(client);
        await (end === 'commit' ? commit(client) : client.query('rollback'));
        return result;
      } catch (error) {
        // Postgres rolls back when a connection is closed.
        if (!breaksConnection(translate(error))) await client.query('rollback');
        throw error;
      }
    });
  }

  /** Holds a lock of the session while `work` runs. Null if another session holds it. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T | null> {
    return this.onWriter(async (client) => {
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
  }

  private async onWriter<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await connect(this.writers);
    let failure: unknown;
    try {
      return await use(client);
    } catch (error) {
      failure = translate(error);
      throw failure;
    } finally {
      release(client, failure);
    }
  }

  usage(): ConnectionUsage {
    return { read: usageOf(this.readers), write: usageOf(this.writers) };
  }

  /** Fails all open transactions at once instead of each at its own timeout. */
  failTransactions(): void {
    for (const client of this.writing) client.end().catch(() => {});
  }

  /** Fails all calls in progress and closes all connections, without waiting for the server. */
  abandon(): void {
    this.failTransactions();
    for (const pipeline of this.pipelines) pipeline.abandon();
    for (const pool of [this.readers, this.writers]) pool.end().catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.all([
      ...this.pipelines.map((pipeline) => pipeline.close()),
      this.readers.end(),
      this.writers.end(),
    ]);
  }
}

const connect = (pool: pg.Pool): Promise<pg.PoolClient> =>
  pool.connect().catch((error: unknown) => {
    throw translateConnecting(error);
  });

const release = (client: pg.PoolClient, failure: unknown) =>
  client.release(breaksConnection(failure) ? failure : undefined);

/** A call of a prepared statement, as `pg` takes it. */
export const queryOf = (
  { name, text }: Statement,
  values: readonly unknown[],
  shape: RowShape,
): pg.QueryConfig => ({ name, text, values: [...values], ...(shape === 'array' ? { rowMode: shape } : {}) });

async function begin(client: pg.PoolClient, isPooled: boolean, first: string | null): Promise<void> {
  const beginning = isPooled ? BEGIN_POOLED : 'begin read write';
  const text = first === null ? beginning : `${beginning}; ${first}`;
  try {
    // A variable, because the types of `pg` do not know this option of a query.
    const query = { text, query_timeout: DATABASE_LIMITS.beginMs };
    await client.query(query);
  } catch (error) {
    const failure = translate(error);
    if (failure instanceof DatabaseUnavailable) throw failure;
    // A standby, for example behind a proxy, does not begin a transaction that may write.
    throw new DatabaseUnavailable('the server accepts no writes', { cause: error });
  }
}

const NO_WARNING = '00000';

/**
 * Postgres warns when a commit did not wait for the synchronous standby because the wait was cancelled, for example by
 * a timeout: the change may be lost with the primary, so it is not confirmed. With an `Idempotency-Key` or a read the
 * caller learns later whether it exists.
 */
async function commit(client: pg.PoolClient): Promise<void> {
  let warning: string | null = null;
  const warn = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
    if (code !== NO_WARNING) warning = message ?? String(code);
  };
  client.on('notice', warn);
  try {
    const { command } = await client.query('commit');
    if (warning !== null) throw new DatabaseUnavailable(`commit: ${String(warning)}`);
    if (command !== 'COMMIT')
      throw new Error('a statement of the transaction had failed, so Postgres rolled it back');
  } finally {
    client.off('notice', warn);
  }
}
