import pg from 'pg';
import { CheckedClient } from './checked-client.ts';
import { typeParsers } from './wire-types.ts';

/** Connections and timeouts of one process. A call that times out fails, and its connection is closed. */
export const DATABASE_LIMITS = {
  /** Pipelined connections, for statements that take well under a millisecond. */
  pipelines: 2,
  readers: 8,
  writers: 16,
  /** Also the maximum wait for a free connection of the pool. */
  connectMs: 10_000,
  /** Statement timeouts in Postgres. The client stops waiting `answerMarginMs` later. */
  hotMs: 5_000,
  readMs: 10_000,
  writeMs: 60_000,
  answerMarginMs: 5_000,
  /** A working database answers `begin` at once, so this timeout detects a stalled one before the first statement. */
  beginMs: 10_000,
  idleMs: 60_000,
};

/** The database is unreachable or has aborted the call. A later retry may succeed. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** Postgres did not even cancel a statement in time, so it is stalled or unreachable. */
export class DatabaseStalled extends DatabaseUnavailable {
  override name = 'DatabaseStalled';
}

/** The disk of the database is full. Most reads succeed, and writes after space was freed. */
export class DatabaseFull extends DatabaseUnavailable {
  override name = 'DatabaseFull';
}

/**
 * Whether a connection is closed after this failure: it may be in the middle of a response or hold an outdated statement. A full
 * disk only fails the statement.
 */
export const breaksConnection = (failure: unknown): failure is DatabaseUnavailable =>
  failure instanceof DatabaseUnavailable && !(failure instanceof DatabaseFull);

/** Combines several failures into one error. A `DatabaseUnavailable` wins, so that callers know to retry later. */
export const combineFailures = (failures: readonly unknown[], message: string): Error =>
  failures.find((failure) => failure instanceof DatabaseUnavailable) ?? new AggregateError(failures, message);

/** No connection was made, so nothing was sent: even a write can be repeated on another server. */
export class NotConnected extends DatabaseUnavailable {
  override name = 'NotConnected';
}

/** The connection broke and is closed. A read can be repeated on another one, because it changes nothing. */
class ConnectionLost extends DatabaseUnavailable {
  override name = 'ConnectionLost';
}

/**
 * Collects failures of independent steps, so that one does not stop the others. A stalled database would fail them all,
 * each at its own timeout, so it ends the run at once.
 */
export const collectInto =
  (failures: unknown[]) =>
  (error: unknown): void => {
    if (error instanceof DatabaseStalled) throw error;
    failures.push(error);
  };

/** A prepared statement no longer fits the schema. Its connection is closed, so a retry prepares it again. */
export class StaleStatement extends DatabaseUnavailable {
  override name = 'StaleStatement';
}

/**
 * SQLSTATE classes after which a retry may succeed: connection, resources, operator intervention, and a database that
 * is missing or not ready, for example during a restore.
 */
const UNAVAILABLE = /^(08|53|57|58|3D|55000)/;
const DISK_FULL = '53100';
const UNREACHABLE = /^(ECONNREFUSED|ENOENT|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const NOT_CONNECTED = /timeout exceeded|timeout expired|Connection terminated due to/;
/** Broken sockets, and backends that were terminated (57P01, 57P05) or died with a crashed one (57P02). */
const LOST_CODES = /^(ECONNRESET|EPIPE|57P01|57P02|57P05)$/;
const LOST_MESSAGES =
  /Connection terminated unexpectedly|Client has encountered a connection error|not queryable/;
/** The message of the `query_timeout` of `pg`. */
export const QUERY_TIMED_OUT = 'Query read timeout';
/** The message for the pending calls of a connection that this process closed, which it does when Postgres has stalled. */
const CLOSED_HERE = /^(Connection terminated$|Client was closed)/;
export const CONNECTION_ABANDONED = 'Connection terminated';

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** Whether another connection may give the result that this one could not. Only reads may be repeated. */
export const needsAnotherConnection = (error: unknown): boolean =>
  error instanceof ConnectionLost || error instanceof StaleStatement;

export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const code = codeOf(error);
  // 26000: the statement is unknown, because its preparation by an earlier read of the same pipeline failed.
  if (code === '26000' || (code === '0A000' && error.message.startsWith('cached plan'))) {
    return new StaleStatement(error.message, { cause: error });
  }
  if (error.message === QUERY_TIMED_OUT || CLOSED_HERE.test(error.message)) {
    return new DatabaseStalled('no answer in time', { cause: error });
  }
  if (LOST_CODES.test(code) || LOST_MESSAGES.test(error.message)) {
    return new ConnectionLost(error.message, { cause: error });
  }
  if (code === DISK_FULL) return new DatabaseFull(error.message, { cause: error });
  if (UNAVAILABLE.test(code) || UNREACHABLE.test(code) || NOT_CONNECTED.test(error.message)) {
    return new DatabaseUnavailable(error.message, { cause: error });
  }
  return error;
}

/** A failed attempt to connect. Repeating it at once would only add load to a database that is away. */
export function translateConnecting(error: unknown): unknown {
  const failure = translate(error);
  return breaksConnection(failure) && !(failure instanceof NotConnected)
    ? new NotConnected(failure.message, { cause: error })
    : failure;
}

/** Whether the database itself gave no result in time, unlike a call that failed because of another one's timeout. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DatabaseStalled && error.cause instanceof Error && error.cause.message === QUERY_TIMED_OUT;

type Settings = Readonly<Record<string, string | number>>;

/**
 * Read-only, so that a read can never write. Bitmap scans are off because they must complete before their first row,
 * while a page needs only the first rows in order. Sequential scans are off because they look cheap only while a table
 * is small. Generic plans, since each statement has one good plan. JIT is off: without sequential scans Postgres
 * overestimates the cost of reads that have no index, and would compile them.
 */
const READER_SETTINGS: Settings = {
  default_transaction_read_only: 'on',
  plan_cache_mode: 'force_generic_plan',
  enable_bitmapscan: 'off',
  enable_seqscan: 'off',
  jit: 'off',
};

/** The opposite of `READER_SETTINGS`, for connections of a role that has these. */
export const WRITER_SETTINGS: Settings = {
  default_transaction_read_only: 'off',
  plan_cache_mode: 'auto',
  enable_bitmapscan: 'on',
  enable_seqscan: 'on',
  jit: 'on',
};

/** The settings that the role needs when a pooler shares its connections between readers and writers. */
export const ROLE_SETTINGS: Settings = {
  timezone: 'UTC',
  statement_timeout: DATABASE_LIMITS.readMs,
  ...READER_SETTINGS,
};

/** Begins a transaction that may write, in one call whatever the settings of the role are. */
export const BEGIN_POOLED = [
  'begin read write',
  ...Object.entries({ ...WRITER_SETTINGS, statement_timeout: DATABASE_LIMITS.writeMs }).map(
    ([name, value]) => `set local ${name} = ${value}`,
  ),
].join('; ');

/** Settings are null for a pooler, which accepts none: those of the role apply. */
const connectionConfig = (url: string, timeoutMs: number, settings: Settings | null): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'saldo',
  connectionTimeoutMillis: DATABASE_LIMITS.connectMs,
  ...(settings === null ? {} : { options: optionsOf({ ...settings, statement_timeout: timeoutMs }) }),
  keepAlive: true,
  types: typeParsers,
});

/** The startup parameter of a connection with these settings. */
export const optionsOf = (settings: Settings): string =>
  Object.entries({ timezone: 'UTC', ...settings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** Without `query_timeout`: the pipeline detects by itself that its connection has stalled. */
export const hotConfig = (url: string, isPooled = false): pg.ClientConfig =>
  connectionConfig(url, DATABASE_LIMITS.hotMs, isPooled ? null : READER_SETTINGS);

const pooledConfig = (url: string, timeoutMs: number, settings: Settings | null): pg.ClientConfig => ({
  ...connectionConfig(url, timeoutMs, settings),
  query_timeout: timeoutMs + DATABASE_LIMITS.answerMarginMs,
});

export const readerConfig = (url: string, isPooled = false): pg.ClientConfig =>
  pooledConfig(url, DATABASE_LIMITS.readMs, isPooled ? null : READER_SETTINGS);

export const writerConfig = (url: string, isPooled = false): pg.ClientConfig =>
  pooledConfig(url, DATABASE_LIMITS.writeMs, isPooled ? null : {});

/** Without a listener, an 'error' event would end the process. The pending calls of the connection fail anyway. */
const ignoreLoss = (): void => {};

/** Rejects a new connection that leads to a server which must not be used. */
export type ConnectionCheck = (client: pg.ClientBase) => Promise<void>;

export function openPool(config: pg.ClientConfig, max: number, onConnect: ConnectionCheck): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    Client: CheckedClient,
    max,
    idleTimeoutMillis: DATABASE_LIMITS.idleMs,
    onConnect,
  });
  // The pool listens only to idle connections, so connections in use need their own listener.
  pool.on('connect', (client) => client.on('error', ignoreLoss));
  pool.on('error', ignoreLoss);
  return pool;
}
