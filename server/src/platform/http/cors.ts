import type { IncomingMessage } from 'node:http';

const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
  'ETag',
  'Link',
  'X-Total-Count',
  'X-List-Version',
  'X-Saldo-Position',
  'X-Saldo-As-Of',
  'X-Saldo-Export-Id',
].join(', ');

const METHODS = 'GET, HEAD, POST, PATCH, PUT, DELETE';

export type Cors = (request: Pick<IncomingMessage, 'method' | 'headers'>) => Record<string, string>;

/**
 * CORS for a fixed list of origins. A plain function and not a Fastify hook, because some responses bypass the hooks:
 * overload, malformed URLs, body timeouts.
 */
export function corsFor(origins: readonly string[]): Cors {
  if (origins.length === 0) return () => ({});
  const allowed = new Set(origins);
  return ({ method, headers }) => {
    const origin = allowed.has('*') ? '*' : headers.origin;
    return {
      'access-control-expose-headers': EXPOSED_HEADERS,
      ...(origin !== undefined && allowed.has(origin) ? { 'access-control-allow-origin': origin } : {}),
      ...(method === 'OPTIONS' ? preflightHeaders(headers) : {}),
    };
  };
}

function preflightHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  const requested = headers['access-control-request-headers'];
  return {
    'access-control-allow-methods': METHODS,
    ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
  };
}
