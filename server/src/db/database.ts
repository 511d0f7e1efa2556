import { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type KnownColumns, Read, type RowShape } from './read.ts';
import { typeParsers } from './wire-types.ts';

/** A statement that is prepared once per connection under its name; equal names must have equal texts. */
export type Statement = { readonly name: string; readonly text: string };

type Row = Record<string, unknown>;

/** What a query function takes as its first argument: the database itself, or a transaction on it. */
export type Db = {
  /** Rows as objects. */
  query<R extends Row>(statement: Statement, values?: readonly unknown[]): Promise<R[]>;
  /** Rows as arrays of columns, for the hot paths. */
  arrays<R extends readonly unknown[]>(statement: Statement, values?: readonly unknown[]): Promise<R[]>;
};

/** A handle on which everything happens at once or not at all. Only `transaction` makes one. */
export type Tx = Db & {
  readonly inTransaction: true;
  /** Runs a `copy … from stdin` with rows in its text form: the fastest way in for many rows. */
  copy(text: string, rows: Buffer): Promise<void>;
};

export type Database = Db & {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** The database could not be reached, or gave up: the caller may try again later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** A statement of a migration's table or of a query function: its name is derived from where it is used. */
export const statement = (name: string, text: string): Statement => ({ name, text });

const LIMITS = {
  /** Short reads share two connections; each holds many requests in flight. */
  readers: 2,
  writers: 16,
  connectTimeoutMs: 5_000,
  /** No read of the API comes near this; one that does must not hold up those behind it. */
  readTimeoutMs: 10_000,
  writeTimeoutMs: 60_000,
};

/**
 * SQLSTATE classes after which the same request may succeed later: connection, resources, operator intervention, and a
 * database that is not there or not ready, as while it is being restored.
 */
const UNAVAILABLE = /^(08|53|57|3D|55000)/;
const SOCKET_ERRORS = /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EAI_AGAIN)$/;

function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  const lost =
    /Connection terminated|Client has encountered a connection error|timeout exceeded|not queryable/;
  if (UNAVAILABLE.test(code) || SOCKET_ERRORS.test(code) || lost.test(error.message)) {
    return new DatabaseUnavailable(error.message, { cause: error });
  }
  return error;
}

/** Runs a statement, and gives its rows in the shape asked for. */
type Run = <R>(statement: Statement, values: readonly unknown[], shape: RowShape) => Promise<R[]>;

const queriesOn = (run: Run): Db => ({
  query: (statement, values = []) => run(statement, values, 'object'),
  arrays: (statement, values = []) => run(statement, values, 'array'),
});

/**
 * A connection for short reads. Requests are pipelined on it, and those that come in one turn of the event loop are
 * sent together: for a look-up, the system call and waking Postgres cost more than the look-up. When it breaks, the
 * next request opens a new one.
 */
export class Reader {
  inFlight = 0;
  private gathering = false;
  private socket: Socket | null = null;
  private connected: pg.Client | null = null;
  private connecting: Promise<pg.Client> | null = null;
  private known: KnownColumns = new Map();
  private readonly config: pg.ClientConfig;

  constructor(config: pg.ClientConfig) {
    this.config = config;
  }

  async run<R>(statement: Statement, values: readonly unknown[], shape: RowShape): Promise<R[]> {
    this.inFlight++;
    try {
      const client = this.connected ?? (await this.connect());
      this.gather();
      return await client.query(new Read<R>(statement, values, shape, this.known)).answer;
    } catch (error) {
      throw translate(error);
    } finally {
      this.inFlight--;
    }
  }

  private gather(): void {
    const { socket } = this;
    if (this.gathering || socket === null) return;
    this.gathering = true;
    socket.cork();
    setImmediate(() => {
      this.gathering = false;
      socket.uncork();
    });
  }

  private connect(): Promise<pg.Client> {
    this.connecting ??= this.open().finally(() => {
      this.connecting = null;
    });
    return this.connecting;
  }

  private async open(): Promise<pg.Client> {
    const socket = new Socket();
    const client = new pg.Client({ ...this.config, pipeline: true, stream: () => socket });
    const forget = () => {
      if (this.connected === client) this.connected = null;
    };
    // A broken connection fails the requests on it by themselves; the event only tells us to open a new one.
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    this.connected = client;
    this.socket = socket;
    this.known = new Map();
    return client;
  }

  async close(): Promise<void> {
    const client = this.connected ?? (await this.connecting?.catch(() => null));
    this.connected = null;
    await client?.end();
  }
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw translate(error);
  });
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work({
      ...queriesOn(async <R>({ name, text }: Statement, values: readonly unknown[], shape: RowShape) => {
        const config = { name, text, values: [...values] };
        const result = await (shape === 'array'
          ? client.query({ ...config, rowMode: 'array' })
          : client.query(config));
        return result.rows as R[];
      }),
      inTransaction: true,
      async copy(text, rows) {
        await finished(client.query(copyFrom(text)).end(rows));
      },
    });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw translate(error);
  } finally {
    client.release(broken);
  }
}

const sharedConfig = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'saldo',
  connectionTimeoutMillis: LIMITS.connectTimeoutMs,
  types: typeParsers,
});

/** A connection for short reads. Page statements use their generic plan: their texts have one good plan each. */
export const readerConfig = (url: string): pg.ClientConfig => ({
  ...sharedConfig(url),
  // A page wants the first rows in order and no others: no bitmap, which has to be complete before its first row comes,
  // and no whole table to be sorted, which looks cheap as long as the table is small. Where there is no other way,
  // Postgres takes the read for a very dear one, and must not compile it for that.
  options:
    '-c timezone=UTC -c plan_cache_mode=force_generic_plan -c enable_bitmapscan=off -c enable_seqscan=off -c jit=off ' +
    `-c statement_timeout=${LIMITS.readTimeoutMs}`,
});

/**
 * Opens the database. Reads outside of a transaction are pipelined over a few connections, which costs a third of a
 * pool's time per look-up; transactions have a pool of their own.
 */
export function openDatabase(url: string): Database {
  const readers = Array.from({ length: LIMITS.readers }, () => new Reader(readerConfig(url)));
  const pool = new pg.Pool({
    ...sharedConfig(url),
    max: LIMITS.writers,
    options: `-c timezone=UTC -c statement_timeout=${LIMITS.writeTimeoutMs}`,
  });
  // An idle connection that breaks is replaced by the pool; whoever uses a broken one gets the error there.
  pool.on('error', () => {});

  const leastBusy = () => readers.reduce((best, reader) => (reader.inFlight < best.inFlight ? reader : best));
  return {
    ...queriesOn((statement, values, shape) => leastBusy().run(statement, values, shape)),
    transaction: (work) => inTransaction(pool, work),
    async close() {
      await Promise.all([...readers.map((reader) => reader.close()), pool.end()]);
    },
  };
}
