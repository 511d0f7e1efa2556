import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  BEGIN_POOLED,
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
import { type Lsn, parseLsn } from './lsn.ts';
import { Pipeline } from './pipeline.ts';
import { queriesOn, type Run, type Tx } from './queries.ts';
import type { RowShape } from './read.ts';
import type { Statement } from './statement.ts';

type ServerOptions = {
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

/** The connections to one PostgreSQL server. They are opened when needed. */
export class DatabaseServer {
  readonly url: string;
  private readonly isPooled: boolean;
  private readonly pipelines: readonly Pipeline[];
  private readonly readers: pg.Pool;
  private readonly writers: pg.Pool;
  private readonly inUse = new Set<pg.PoolClient>();

  constructor({ url, isPooled, check }: ServerOptions) {
    this.url = url;
    this.isPooled = isPooled;
    const pipeline = () => new Pipeline(hotConfig(url, isPooled), check);
    this.pipelines = Array.from({ length: DATABASE_LIMITS.pipelines }, pipeline);
    this.readers = openPool(readerConfig(url, isPooled), DATABASE_LIMITS.readers, check);
    this.writers = openPool(writerConfig(url, isPooled), DATABASE_LIMITS.writers, check);
    this.writers.on('acquire', (client) => this.inUse.add(client));
    this.writers.on('release', (_error, client) => this.inUse.delete(client));
  }

  readonly read: Run = (statement, values, shape) =>
    readOn(this.readers, (client) => runOn(client)(statement, values, shape));

  readonly readHot: Run = (statement, values, shape) => {
    const leastBusy = (best: Pipeline, pipeline: Pipeline) =>
      pipeline.inFlight < best.inFlight ? pipeline : best;
    return this.pipelines.reduce(leastBusy).run(statement, values, shape);
  };

  /** `notePosition` gets a position after the end of the transaction; without it the position is not read. */
  transaction<T>(
    work: (tx: Tx) => Promise<T>,
    end: 'commit' | 'rollback',
    notePosition: ((position: Lsn) => void) | null,
  ): Promise<T> {
    return onConnection(this.writers, async (client) => {
      await beginOn(client, this.isPooled);
      try {
        const lastSteps: (() => Promise<void>)[] = [];
        const result = await work(transactionOn(client, (step) => lastSteps.push(step)));
        if (end === 'commit') for (const step of lastSteps) await step();
        await endOn(client, end, notePosition);
        return result;
      } catch (error) {
        // Postgres rolls back when a connection is lost.
        if (!(translate(error) instanceof DatabaseUnavailable)) await endOn(client, 'rollback', notePosition);
        throw error;
      }
    });
  }

  exclusively<T>(name: string, work: () => Promise<T>): Promise<T | null> {
    return exclusivelyOn(this.writers, name, work);
  }

  connections(): ConnectionUsage {
    return { read: usageOf(this.readers), write: usageOf(this.writers) };
  }

  /** Fails all open transactions at once instead of each at its own timeout. */
  failTransactions(): void {
    for (const client of this.inUse) client.end().catch(() => {});
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

function transactionOn(client: pg.PoolClient, beforeCommit: Tx['beforeCommit']): Tx {
  const queries = queriesOn(runOn(client));
  return {
    ...queries,
    hot: queries,
    isPrimary: true,
    inTransaction: true,
    async copy(text, rows) {
      await finished(client.query(copyFrom(text)).end(rows));
    },
    beforeCommit,
  };
}

async function beginOn(client: pg.PoolClient, isPooled: boolean): Promise<void> {
  const text = isPooled ? BEGIN_POOLED : 'begin read write';
  try {
    // A variable, because the types of `pg` do not know this option of a query.
    const begin = { text, query_timeout: DATABASE_LIMITS.beginMs };
    await client.query(begin);
  } catch (error) {
    const failure = translate(error);
    if (failure instanceof DatabaseUnavailable) throw failure;
    // A standby, for example behind a proxy, does not begin a transaction that may write.
    throw new DatabaseUnavailable('the server accepts no writes', { cause: error });
  }
}

/** Later than the end of the transaction, even if its record in the log is not written to the disk yet. */
const READ_POSITION = 'select pg_current_wal_insert_lsn() as position';

/**
 * Ends a transaction. The position is read in the same call.
 *
 * Postgres warns when a commit did not wait for the synchronous standby because the wait was cancelled, for example by
 * a timeout: the change may be lost with the primary, so it is not confirmed. With an `Idempotency-Key` or a read the
 * caller learns later whether it exists.
 */
async function endOn(
  client: pg.PoolClient,
  end: 'commit' | 'rollback',
  notePosition: ((position: Lsn) => void) | null,
): Promise<void> {
  let warning: string | null = null;
  const warn = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
    if (code !== NO_WARNING) warning = message ?? String(code);
  };
  client.on('notice', warn);
  try {
    const answer: unknown = await client.query(notePosition === null ? end : `${end}; ${READ_POSITION}`);
    const [ended, read] = Array.isArray(answer) ? (answer as pg.QueryResult[]) : [answer as pg.QueryResult];
    if (warning !== null && end === 'commit') throw new DatabaseUnavailable(`${end}: ${String(warning)}`);
    if (end === 'commit' && ended?.command !== 'COMMIT')
      throw new Error('a statement of the transaction had failed, so Postgres rolled it back');
    const position = (read?.rows[0] as { position?: string } | undefined)?.position;
    if (position !== undefined) notePosition?.(parseLsn(position));
  } finally {
    client.off('notice', warn);
  }
}

const NO_WARNING = '00000';

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
