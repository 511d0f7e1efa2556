import { hash } from 'node:crypto';
import type { Message } from '@saldo/core/messages/message.ts';
import type { Client, ConnectConfig, SFTPWrapper } from 'ssh2';
import { HOST_KEY_ALGORITHMS, type HostKey } from './known-hosts.ts';
import { HandoverFailed, TransportClosed, Unreachable } from './transport.ts';

export type SftpServer = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly credentials: { readonly privateKey: Buffer } | { readonly password: string };
  /** Only a server with one of these keys is trusted. */
  readonly hostKeys: readonly HostKey[];
  /** Limit for connecting and signing in, and for each request on the connection. */
  readonly timeoutMs: number;
};

/** Detects a connection that was lost without a notice. */
const KEEPALIVE_MS = 15_000;

/** Status codes of the SFTP protocol. */
const NO_SUCH_FILE = 2;
const UNSUPPORTED = 8;
/** The library's own error for a request that the server does not offer. */
const NOT_OFFERED = /does not support this extended request/;

/** The server has refused a request, and the connection is still usable. */
export class SftpRefusal extends HandoverFailed {
  override name = 'SftpRefusal';
  readonly isNoSuchFile: boolean;
  readonly isUnsupported: boolean;

  constructor(cause: Error & { code?: unknown }) {
    super({ key: 'field.text', text: cause.message }, { cause });
    this.isNoSuchFile = cause.code === NO_SUCH_FILE;
    this.isUnsupported = cause.code === UNSUPPORTED || NOT_OFFERED.test(cause.message);
  }
}

type Callback<T> = (error: Error | null | undefined, value?: T) => void;

/** A connection that is opened when it is needed, and again after it was lost. */
export type SftpSession = {
  /** Runs one request. Throws SftpRefusal, or Unreachable when there was no response in time. */
  request<T = void>(start: (sftp: SFTPWrapper, done: Callback<T>) => void): Promise<T>;
  /** Ends the connection. Further requests throw TransportClosed. */
  close(): void;
};

export function sftpSession(server: SftpServer): SftpSession {
  let isClosed = false;
  let current: { connection: Promise<Connection>; abort(): void } | null = null;

  async function connection(): Promise<Connection> {
    if (isClosed) throw new TransportClosed('the transport is closed');
    if (current !== null) return current.connection;
    const stopping = new AbortController();
    const opened = { connection: open(server, stopping.signal), abort: () => stopping.abort() };
    current = opened;
    const forget = () => {
      if (current === opened) current = null;
    };
    opened.connection.then(({ lost }) => lost.catch(forget), forget);
    return opened.connection;
  }

  return {
    async request(start) {
      try {
        return await (await connection()).request(start);
      } catch (error) {
        throw isClosed ? new TransportClosed('the transport is closed') : error;
      }
    },
    close() {
      isClosed = true;
      current?.abort();
    },
  };
}

type Connection = Pick<SftpSession, 'request'> & {
  /** Rejects when the connection ends. */
  readonly lost: Promise<never>;
};

/** Opens a connection. An aborted signal ends it, at any time. */
async function open(server: SftpServer, stopping: AbortSignal): Promise<Connection> {
  // Loading the library takes 70 ms, which only platforms with this transport should pay.
  const { Client } = await import('ssh2');
  stopping.throwIfAborted();
  const { host, port, timeoutMs } = server;
  const unreachable = (fault: Message, cause?: Error) =>
    new Unreachable({ key: 'exchange.sftp', server: `${host}:${port}`, fault }, { cause });
  const client = new Client();
  stopping.addEventListener('abort', () => client.destroy());
  const lost = new Promise<never>((_, reject) => {
    client.on('error', (error) => reject(unreachable(reasonOf(error, server), error)));
    client.on('close', () => reject(unreachable({ key: 'exchange.sftp_closed' })));
  });
  // The requests in progress report the loss.
  lost.catch(() => {});
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const timer = Promise.withResolvers<never>();
    const timeout = setTimeout(() => {
      timer.reject(unreachable({ key: 'exchange.sftp_timeout', seconds: timeoutMs / 1000 }));
      client.destroy();
    }, timeoutMs);
    try {
      return await Promise.race([work, lost, timer.promise]);
    } finally {
      clearTimeout(timeout);
    }
  };
  const sftp = await inTime(signIn(client, server, unreachable)).catch((error: unknown) => {
    client.destroy();
    throw error;
  });
  return {
    lost,
    request<T>(start: (sftp: SFTPWrapper, done: Callback<T>) => void) {
      const response = new Promise<T>((resolve, reject) => {
        start(sftp, (error, value) => (error ? reject(error) : resolve(value as T)));
      }).catch((error: Error) => {
        throw translate(error, unreachable);
      });
      return inTime(response);
    },
  };
}

function signIn(
  client: Client,
  server: SftpServer,
  unreachable: (fault: Message) => Unreachable,
): Promise<SFTPWrapper> {
  return new Promise((resolve, reject) => {
    client.on('ready', () => {
      // Requests are small and wait for each other's responses: 1 ms for a listing instead of 180 ms.
      client.setNoDelay(true);
      client.sftp((error, sftp) => {
        if (error) return reject(unreachable({ key: 'exchange.sftp_not_offered', reason: error.message }));
        // Without its channel the connection is useless. Destroying it fails the requests in progress.
        for (const event of ['error', 'end', 'close']) sftp.on(event, () => client.destroy());
        resolve(sftp);
      });
    });
    client.connect(
      connectConfig(server, (key) => {
        const isKnown = server.hostKeys.some((known) => known.key.equals(key));
        if (!isKnown) {
          const fingerprint = `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}`;
          reject(unreachable({ key: 'exchange.sftp_host_key', fingerprint }));
        }
        return isKnown;
      }),
    );
  });
}

function connectConfig(server: SftpServer, hostVerifier: (key: Buffer) => boolean): ConnectConfig {
  const { host, port, user: username, credentials, hostKeys, timeoutMs } = server;
  const types = new Set(hostKeys.map(({ type }) => type as keyof typeof HOST_KEY_ALGORITHMS));
  return {
    host,
    port,
    username,
    ...credentials,
    authHandler: ['privateKey' in credentials ? 'publickey' : 'password'],
    hostVerifier,
    // Without this list, a server may prove itself with a key of a type that we do not know.
    algorithms: { serverHostKey: [...types].flatMap((type) => HOST_KEY_ALGORITHMS[type]) },
    readyTimeout: timeoutMs,
    keepaliveInterval: KEEPALIVE_MS,
  };
}

/** A reason for the operator, without secrets. */
function reasonOf(
  error: Error & { level?: string; code?: unknown },
  { user, credentials }: SftpServer,
): Message {
  if (error.level === 'client-authentication') {
    const secret = 'privateKey' in credentials ? 'key' : 'password';
    return { key: `exchange.sftp_${secret}_rejected`, user };
  }
  if (/no matching host key format/.test(error.message)) return { key: 'exchange.sftp_host_key_type' };
  const { code, message } = error;
  return { key: 'exchange.sftp_failed', reason: typeof code === 'string' ? code : message };
}

/** Responses with a status are refusals. Everything else means that the connection is unusable. */
function translate(
  error: Error & { code?: unknown },
  unreachable: (fault: Message, cause: Error) => Unreachable,
): HandoverFailed {
  if (typeof error.code === 'number' || NOT_OFFERED.test(error.message)) return new SftpRefusal(error);
  return unreachable({ key: 'exchange.sftp_failed', reason: error.message }, error);
}
