import { Socket } from 'node:net';
import pg from 'pg';
import { CheckedClient } from './checked-client.ts';
import {
  CONNECTION_ABANDONED,
  type ConnectionCheck,
  DATABASE_LIMITS,
  needsAnotherConnection,
  QUERY_TIMED_OUT,
  StaleStatement,
  translate,
  translateConnecting,
} from './connection.ts';
import { type KnownColumns, Read } from './read.ts';
import type { RowShape, Statement } from './statement.ts';

/** Postgres cancels a hot statement long before, so a connection that gives no result for this long has stalled. */
const STALLED_AFTER_MS = DATABASE_LIMITS.hotMs + DATABASE_LIMITS.answerMarginMs;

/**
 * A connection that many short reads share concurrently. Reads of one event loop turn are sent together, because the
 * system call and waking Postgres cost more than a look-up itself. When the connection breaks, the next read opens a
 * new one.
 */
export class Pipeline {
  inFlight = 0;
  private isCorked = false;
  private isAbandoned = false;
  private socket: Socket | null = null;
  private connected: pg.Client | null = null;
  private connecting: Promise<pg.Client> | null = null;
  private known: KnownColumns = new Map();
  /** Time of the last result, or of the first read or connection after a pause. */
  private progressAt = 0;
  private stallTimer: NodeJS.Timeout | null = null;
  private readonly config: pg.ClientConfig;
  private readonly check: ConnectionCheck;

  constructor(config: pg.ClientConfig, check: ConnectionCheck = async () => {}) {
    this.config = config;
    this.check = check;
  }

  async run<R>(statement: Statement, values: readonly unknown[], shape: RowShape): Promise<R[]> {
    if (this.inFlight++ === 0) this.expectProgress();
    try {
      for (let isRepeated = false; ; isRepeated = true) {
        let client: pg.Client | null = null;
        try {
          client = this.connected ?? (await this.connect());
          this.corkForThisTurn();
          return await client.query(new Read<R>(statement, values, shape, this.known)).answer;
        } catch (error) {
          const failure = translate(error);
          if (!needsAnotherConnection(failure)) throw failure;
          // The lost or outdated connection is closed, so the repetition uses a new one.
          if (client !== null) this.retire(client, failure);
          if (isRepeated) throw failure;
        }
      }
    } finally {
      this.inFlight--;
      this.progressAt = performance.now();
    }
  }

  /** One timer for all reads: the timeout of `pg` is a timer per read, which makes a single look-up a third slower. */
  private expectProgress(): void {
    this.progressAt = performance.now();
    this.stallTimer ??= this.checkLater(STALLED_AFTER_MS);
  }

  private checkLater(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.checkProgress(), ms).unref();
  }

  private checkProgress(): void {
    this.stallTimer = null;
    if (this.inFlight === 0) return;
    const leftMs = this.progressAt + STALLED_AFTER_MS - performance.now();
    if (leftMs > 0) {
      this.stallTimer = this.checkLater(leftMs);
      return;
    }
    // If this process itself was paused, results may be waiting in the socket: read them first.
    const { progressAt } = this;
    setImmediate(() => {
      // `pg` passes the error to all reads in flight, and the next read opens another connection.
      if (this.progressAt === progressAt && this.connected !== null)
        this.socket?.destroy(new Error(QUERY_TIMED_OUT));
      this.expectProgress();
    });
  }

  private corkForThisTurn(): void {
    const { socket } = this;
    if (this.isCorked || socket === null) return;
    this.isCorked = true;
    socket.cork();
    setImmediate(() => {
      this.isCorked = false;
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
    const client = new CheckedClient({ ...this.config, pipeline: true, stream: () => socket });
    // `pg` fails the pending reads of a broken connection. This only makes the next read open another one.
    const forget = () => {
      if (this.connected === client) this.connected = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    try {
      await client.connect();
      await this.check(client);
      if (this.isAbandoned) throw new Error(CONNECTION_ABANDONED);
    } catch (error) {
      socket.destroy();
      throw translateConnecting(error);
    }
    this.progressAt = performance.now();
    this.connected = client;
    this.socket = socket;
    this.known = new Map();
    return client;
  }

  /** Later reads use another connection. Reads in flight complete, or fail with the loss of this one. */
  private retire(client: pg.Client, reason: unknown): void {
    if (this.connected !== client) return;
    this.connected = null;
    // `end` would hide from the reads in flight that the connection was lost.
    if (reason instanceof StaleStatement) this.end(client).catch(() => {});
  }

  /** Fails the reads in flight and closes the connection, without waiting for the server. */
  abandon(): void {
    this.isAbandoned = true;
    this.connected = null;
    this.socket?.destroy(new Error(CONNECTION_ABANDONED));
  }

  async close(): Promise<void> {
    const client = this.connected ?? (await this.connecting?.catch(() => null));
    this.connected = null;
    if (client) await this.end(client);
  }

  /** Waits for the reads in flight, but not for a stalled database. */
  private async end(client: pg.Client): Promise<void> {
    const { socket } = this;
    const timer = setTimeout(() => socket?.destroy(new Error(QUERY_TIMED_OUT)), STALLED_AFTER_MS);
    await client.end().finally(() => clearTimeout(timer));
  }
}
