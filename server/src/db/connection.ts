import pg from 'pg';
import { typeParsers } from './wire-types.ts';

/** Connections and deadlines of one process. A call that is not answered in time fails, and its connection is closed. */
export const DATABASE_LIMITS = {
  /** Pipelined connections, for statements of well under a millisecond. */
  pipelines: 2,
  readers: 8,
  writers: 16,
  /** Also how long a request may wait for a free connection. */
  connectMs: 10_000,
  /** Postgres cancels a statement after this; `answerMarginMs` later this side stops waiting for it. */
  hotMs: 5_000,
  readMs: 10_000,
  writeMs: 60_000,
  answerMarginMs: 1_000,
  /** `begin` is answered at once by a database that works, so a stalled one is noticed before the first statement. */
  beginMs: 5_000,
  idleMs: 60_000,
};

/** The database could not be reached, or gave up: the caller may try again later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** Postgres did not even cancel a statement in time: it stands still, or cannot be reached. */
export class DatabaseStalled extends DatabaseUnavailable {
  override name = 'DatabaseStalled';
}

/** One error for several pieces of work that failed: callers try again later when the database is the reason. */
export const combineFailures = (failures: readonly unknown[], message: string): Error =>
  failures.find((failure) => failure instanceof DatabaseUnavailable) ?? new AggregateError(failures, message);

/** A prepared statement no longer fits the schema. Its connection is gone, so the next attempt prepares it anew. */
export class StaleStatement extends DatabaseUnavailable {
  override name = 'StaleStatement';
}

/**
 * SQLSTATE classes after which the same request may succeed later: connection, resources, operator intervention, and a
 * database that is not there or not ready, as while it is being restored.
 */
const UNAVAILABLE = /^(08|53|57|58|3D|55000)/;
const SOCKET_ERRORS = /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const LOST =
  /Connection terminated|Client has encountered a connection error|timeout exceeded|timeout expired|not queryable/;
const LATE = 'Query read timeout';

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const code = codeOf(error);
  if (code === '0A000' && error.message.startsWith('cached plan')) {
    return new StaleStatement(error.message, { cause: error });
  }
  if (error.message === LATE) return new DatabaseStalled('no answer in time', { cause: error });
  if (UNAVAILABLE.test(code) || SOCKET_ERRORS.test(code) || LOST.test(error.message)) {
    return new DatabaseUnavailable(error.message, { cause: error });
  }
  return error;
}

const connectionConfig = (url: string, timeoutMs: number, settings: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'saldo',
  connectionTimeoutMillis: DATABASE_LIMITS.connectMs,
  query_timeout: timeoutMs + DATABASE_LIMITS.answerMarginMs,
  options: `-c timezone=UTC -c statement_timeout=${timeoutMs} ${settings}`,
  keepAlive: true,
  types: typeParsers,
});

/**
 * Reads never write, and the connection makes sure of it. A page needs its first rows in order: bitmap scans must be
 * complete before their first row, and sequential scans look cheap only while the table is small. Statements use their
 * generic plan, since each has one good plan. With sequential scans disabled, Postgres overestimates the cost of the
 * reads that have no index, and would compile them.
 */
const READER_SETTINGS =
  '-c default_transaction_read_only=on -c plan_cache_mode=force_generic_plan -c enable_bitmapscan=off ' +
  '-c enable_seqscan=off -c jit=off';

export const hotConfig = (url: string): pg.ClientConfig =>
  connectionConfig(url, DATABASE_LIMITS.hotMs, READER_SETTINGS);

export const readerConfig = (url: string): pg.ClientConfig =>
  connectionConfig(url, DATABASE_LIMITS.readMs, READER_SETTINGS);

export const writerConfig = (url: string): pg.ClientConfig =>
  connectionConfig(url, DATABASE_LIMITS.writeMs, '');

/** Without a listener, Node ends the process when a connection breaks. The calls on it fail by themselves. */
const ignoreLoss = (): void => {};

export function openPool(config: pg.ClientConfig, max: number): pg.Pool {
  const pool = new pg.Pool({ ...config, max, idleTimeoutMillis: DATABASE_LIMITS.idleMs });
  // The pool listens to idle connections only; those in use need a listener of their own.
  pool.on('connect', (client) => client.on('error', ignoreLoss));
  pool.on('error', ignoreLoss);
  return pool;
}
