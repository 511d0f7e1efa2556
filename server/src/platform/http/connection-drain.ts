import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** Grace period for requests in progress. After it their connections are destroyed. */
export const STOP_GRACE_MS = 20_000;
const SWEEP_EVERY_MS = 50;
/**
 * Idle connections are closed after this number of sweeps without a request: half a second, or longer on a machine on
 * which clients and server wait for a core. A client that is about to send its next request is not cut off.
 */
const QUIET_SWEEPS = 10;

/** Longer than the operating system keeps a client waiting for a core. */
const QUIET_MS = 100;
const MAX_HOLD_MS = 1_000;

/**
 * Waits until clients open no more connections, because closing a port resets connections that are not accepted yet.
 * The caller must first stop answering, so that clients have no reason to reconnect. The port must be closed right
 * after this function, which ends after a poll of the event loop.
 */
export async function untilQuiet(countAccepted: () => number): Promise<void> {
  const endsAt = performance.now() + MAX_HOLD_MS;
  for (let before = -1; before !== countAccepted() && performance.now() < endsAt; ) {
    before = countAccepted();
    await delay(QUIET_MS);
  }
  await nextTurn();
}

/** Closes a server without resetting connections that carry a request. */
export class ConnectionDrain {
  isClosing = false;
  private accepted = 0;
  private quietSweeps = 0;
  /** Requests that arrive while the ports are being closed. */
  private held: (() => void)[] | null = null;
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly drained = Promise.withResolvers<void>();

  track<S extends Server>(server: S): S {
    this.servers.push(server);
    const add = (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        if (this.isClosing && this.sockets.size === 0) this.drained.resolve();
      });
    };
    server.on('connection', (socket: Socket) => {
      this.accepted++;
      add(socket);
    });
    // A TLS connection has two sockets. Unsent data is in this one.
    server.on('secureConnection', add);
    return server;
  }

  /** Whether the ports are being closed. A request that arrives in this phase must be passed to `hold`. */
  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Calls `start` when the ports are closed. */
  hold(start: () => void): void {
    this.held?.push(start);
  }

  /** Stops listening first. Resolves when all connections are closed. */
  async close(): Promise<void> {
    await this.stopListening();
    if (this.sockets.size === 0) return;
    for (const server of this.servers) {
      server.on('request', () => {
        this.quietSweeps = 0;
      });
    }
    const startedAt = performance.now();
    // Sweep after a poll too: closing a connection with an unread request would reset it.
    const sweep = setInterval(
      () => setImmediate(() => this.sweep(performance.now() - startedAt)),
      SWEEP_EVERY_MS,
    );
    await this.drained.promise;
    clearInterval(sweep);
  }

  private async stopListening(): Promise<void> {
    const listening = this.servers.filter((server) => server.listening);
    const held: (() => void)[] = [];
    this.held = held;
    if (listening.length > 0) await untilQuiet(() => this.accepted);
    // `close` of an HTTP server would also close idle connections at once.
    for (const server of listening) NetServer.prototype.close.call(server);
    this.isClosing = true;
    this.held = null;
    for (const start of held) start();
  }

  private sweep(elapsedMs: number): void {
    if (elapsedMs >= STOP_GRACE_MS) for (const socket of this.sockets) socket.destroy();
    if (++this.quietSweeps < QUIET_SWEEPS) return;
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
    // `closeIdleConnections` would also cut a response that a slow client has not received yet.
    const isSending = [...this.sockets].some(({ writableLength }) => writableLength > 0);
    if (!isSending) for (const server of this.servers) server.closeIdleConnections();
  }
}
