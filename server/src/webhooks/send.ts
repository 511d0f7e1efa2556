import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Message } from '@saldo/core/messages/message.ts';
import { isPublicAddress } from './addresses.ts';

export const SEND_LIMITS = {
  /** From the look-up of the host to the end of the answer. */
  totalMs: 15_000,
  answerBytes: 16 * 1024,
  storedAnswerBytes: 1024,
  /** Shorter than the keep-alive timeout of common servers, so that an idle connection is rarely reset. */
  idleMs: 4_000,
  dnsTimeoutMs: 2_500,
  dnsTries: 2,
} as const;

/** What came back. `error` is null for a success: a status from 200 to 299 in time. */
export type SendResult = {
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly response: string | null;
  readonly error: Message | null;
};

export type Send = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  /** Aborts the request. The result then has an error. */
  signal?: AbortSignal,
) => Promise<SendResult>;

export type Sender = { readonly send: Send; close(): void };

export type SenderSettings = {
  /** Checked for the address that is connected to, at every connection. */
  readonly isAllowed: (address: string) => boolean;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly totalMs: number;
  readonly monotonicNow: () => number;
};

/**
 * Without the thread pool of `dns.lookup`: a name server that does not answer would block one of its four threads, and
 * with it the look-ups of all other endpoints.
 */
async function resolvePublicly(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: SEND_LIMITS.dnsTimeoutMs, tries: SEND_LIMITS.dnsTries });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0 && answers[0].status === 'rejected') throw answers[0].reason;
  return found;
}

/** As all programs of this machine resolve names, with the hosts file. */
const resolveLocally = async (host: string): Promise<string[]> =>
  (await systemLookup(host, { all: true })).map(({ address }) => address);

export const senderSettings = (
  allowsPrivate: boolean,
  monotonicNow: () => number,
  totalMs: number = SEND_LIMITS.totalMs,
): SenderSettings => ({
  isAllowed: allowsPrivate ? () => true : isPublicAddress,
  resolve: allowsPrivate ? resolveLocally : resolvePublicly,
  totalMs,
  monotonicNow,
});

class AddressRefused extends Error {}

/** Sends webhooks. Redirects are not followed, and no proxy is used. */
export function createSender(settings: SenderSettings): Sender {
  const { isAllowed, resolve, totalMs, monotonicNow } = settings;
  const keepAlive = { keepAlive: true, timeout: SEND_LIMITS.idleMs };
  const agents = { 'http:': new http.Agent(keepAlive), 'https:': new https.Agent(keepAlive) };

  const lookup: LookupFunction = (host, { all }, done) => {
    const use = (addresses: readonly string[]) => {
      const allowed = addresses.filter(isAllowed).map((address) => ({ address, family: isIP(address) }));
      const [first] = allowed;
      if (first === undefined) done(new AddressRefused(), []);
      else if (all) done(null, allowed);
      else done(null, first.address, first.family);
    };
    resolve(host).then(use, (error: NodeJS.ErrnoException) => done(error, []));
  };

  function post(url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) {
    // A socket to an IP address makes no look-up.
    const literal = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0 && !isAllowed(literal)) throw new AddressRefused();
    const { promise, resolve: answer, reject } = Promise.withResolvers<http.IncomingMessage>();
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      agent: agents[url.protocol as keyof typeof agents],
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      lookup,
      signal,
    });
    request.on('response', answer);
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed the idle connection before it read this request.
      if (request.reusedSocket && error.code === 'ECONNRESET') answer(post(url, headers, body, signal));
      else reject(error);
    });
    request.end(body);
    return promise;
  }

  async function send(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    stopping?: AbortSignal,
  ): Promise<SendResult> {
    const startedAt = monotonicNow();
    const timeout = AbortSignal.timeout(totalMs);
    const signal = stopping === undefined ? timeout : AbortSignal.any([timeout, stopping]);
    const durationMs = () => Math.round(monotonicNow() - startedAt);
    try {
      const message = await post(new URL(address), headers, body, signal);
      const statusCode = message.statusCode ?? 0;
      const response = textOf(await readStart(message));
      return { statusCode, durationMs: durationMs(), response, error: whyRefused(statusCode) };
    } catch (error) {
      const fault: Message = timeout.aborted
        ? { key: 'webhook.timeout', seconds: totalMs / 1000 }
        : connectionFault(error);
      return { statusCode: null, durationMs: durationMs(), response: null, error: fault };
    }
  }

  return {
    send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Reads up to the limit. The status is known already, so a body that breaks off does not make the try a failure. */
async function readStart(message: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop destroys the connection.
      if (size > SEND_LIMITS.answerBytes) break;
    }
  } catch {
    message.destroy();
  }
  return Buffer.concat(chunks);
}

/** The first characters. An incomplete one at the end is dropped, and Postgres stores no NUL. */
const textOf = (bytes: Buffer): string =>
  new TextDecoder()
    .decode(bytes.subarray(0, SEND_LIMITS.storedAnswerBytes), { stream: true })
    .replaceAll('\0', '\ufffd');

function whyRefused(status: number): Message | null {
  if (status >= 200 && status < 300) return null;
  return { key: status >= 300 && status < 400 ? 'webhook.redirect' : 'webhook.status', status };
}

const LOOK_UP = /^(getaddrinfo|query)/;

function connectionFault(error: unknown): Message {
  if (error instanceof AddressRefused) return { key: 'webhook.not_public' };
  // Several addresses failed, each with its own error.
  const [cause] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const { code = 'unknown', syscall = '', message } = cause as NodeJS.ErrnoException;
  if (LOOK_UP.test(syscall)) return { key: 'webhook.unresolved', code };
  if (/CERT|TLS|SSL|ERR_OSSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return { key: 'webhook.tls', reason: message, code };
  return { key: 'webhook.failed', code };
}
