import { Socket } from 'node:net';
import pg from 'pg';
import { needsAnotherConnection, translate } from './connection.ts';
import type { Statement } from './database.ts';
import { type KnownColumns, Read, type RowShape } from './read.ts';

/**
 * A connection that many short reads share concurrently. Reads of one event loop turn are sent together, because the
 * system call and waking Postgres cost more than a look-up itself. When the connection breaks, the next read opens a
 * new one.
 */
export class Pipeline {
  inFlight = 0;
  private isCorked = false;
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
      return await this.ask<R>(statement, values, shape);
    } catch (error) {
      // The lost or outdated connection is closed, so the retry uses a new one.
      if (needsAnotherConnection(error)) return await this.ask<R>(statement, values, shape);
      throw error;
    } finally {
      this.inFlight--;
    }
  }

  private async ask<R>(statement: Statement, values: readonly unknown[], shape: RowShape): Promise<R[]> {
    let client: pg.Client | null = null;
    try {
      client = this.connected ?? (await this.connect());
      this.corkForThisTurn();
      return await client.query(new Read<R>(statement, values, shape, this.known)).answer;
    } catch (error) {
      const failure = translate(error);
      if (needsAnotherConnection(failure) && client !== null) this.retire(client);
      throw failure;
    }
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
    const client = new pg.Client({ ...this.config, pipeline: true, stream: () => socket });
    // `pg` fails the pending reads of a broken connection. This only makes the next read open another one.
    const forget = () => {
      if (this.connected === client) this.connected = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    this.connected = client;
    this.socket = socket;
    this.known = new Map();
    return client;
  }

  /** Lets reads in flight complete. Later reads use another connection. */
  private retire(client: pg.Client): void {
    if (this.connected !== client) return;
    this.connected = null;
    // `end` fails if the connection is already lost, which needs no handling.
    client.end().catch(() => {});
  }

  async close(): Promise<void> {
    const client = this.connected ?? (await this.connecting?.catch(() => null));
    this.connected = null;
    await client?.end();
  }
}
