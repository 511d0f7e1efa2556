import type { SaldoEvent } from '@saldo/api';

/** A request that is not from the platform, is older than the tolerance, or was changed on its way. */
export class SaldoWebhookError extends Error {
  override readonly name = 'SaldoWebhookError';
}

/** A test of an endpoint, which is not in the feed. */
export type WebhookTestEvent = {
  readonly id: string;
  readonly type: 'webhook.test';
  readonly occurred_at: string;
  readonly sequence: 0;
  readonly data: { readonly object: 'webhook_endpoint'; readonly id: string };
};

/** The headers of a request: those of `fetch`, or of Node.js. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** How much the clocks may differ, default 300 s. */
  readonly toleranceS?: number;
  /** Milliseconds since 1970, default `Date.now`. */
  readonly now?: () => number;
};

const TOLERANCE_S = 300;
const SECRET_PREFIX = 'whsec_';
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Verifies a webhook and returns its event. `body` must be the text or the bytes as they were received: JSON that was
 * parsed and written again may differ. With several secrets, one of them must have signed. Uses Web Crypto, so it runs
 * in Node.js and at the edge, and compares in constant time.
 *
 * Ignore events whose `id` you have seen: a delivery may be repeated.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array<ArrayBuffer>,
  secret: string | readonly string[],
  { toleranceS = TOLERANCE_S, now = Date.now }: VerifyOptions = {},
): Promise<SaldoEvent | WebhookTestEvent> {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body) && !((body as unknown) instanceof ArrayBuffer)) {
    throw new TypeError('body must be the text or bytes of the request as received, not its parsed JSON');
  }
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const sentAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (Number.isNaN(sentAt)) throw new SaldoWebhookError('webhook-timestamp is not a number of seconds.');
  // Against replayed requests.
  if (Math.abs(now() / 1000 - sentAt) > toleranceS) {
    throw new SaldoWebhookError(
      `webhook-timestamp differs from this machine’s clock by more than ${toleranceS} s.`,
    );
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (!(await isSigned(signed, signatures, secrets))) throw new SaldoWebhookError('No signature is valid.');
  return JSON.parse(text) as SaldoEvent | WebhookTestEvent;
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const key = await keyOf(secret, 'verify');
    for (const signature of signatures) {
      const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : null;
      if (bytes !== null && (await crypto.subtle.verify(HMAC, key, bytes, signed))) return true;
    }
  }
  return false;
}

/** The headers of a webhook as the platform sends them, for tests of a receiver. `now` is in milliseconds. */
export async function signWebhook(
  id: string,
  body: string,
  secret: string,
  now: number = Date.now(),
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now / 1000));
  const key = await keyOf(secret, 'sign');
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign(HMAC, key, signed));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  };
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueOf(headers, name);
  if (typeof value !== 'string' || value === '')
    throw new SaldoWebhookError(`The header ${name} is missing.`);
  return value;
}

/** Node.js has lower-case names; other frameworks may not. */
const valueOf = (headers: Exclude<WebhookHeaders, Headers>, name: string) =>
  headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

async function keyOf(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const bytes = bytesOf(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (bytes === null || bytes.length === 0)
    throw new TypeError(`The secret must begin with ${SECRET_PREFIX}.`);
  return crypto.subtle.importKey('raw', bytes, HMAC, false, [use]);
}
