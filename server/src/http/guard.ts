import type { Endpoint } from '@saldo/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyRing } from '../auth/key-ring.ts';
import type { Principal } from '../auth/principal.ts';
import { problem } from './problem.ts';
import type { RateLimiter, RateLimitState } from './rate-limit.ts';

export type Guard = (endpoint: Endpoint) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    endpointId?: string;
    /** Its body is read as a stream, of any size and for as long as it comes. */
    isStreamed?: boolean;
  }
}

const rateHeaders = (state: RateLimitState) => ({
  'x-ratelimit-limit': String(state.limit),
  'x-ratelimit-remaining': String(state.remaining),
  'x-ratelimit-reset': String(state.resetS),
});

function tooMany(state: RateLimitState): never {
  throw problem(
    'rate_limited',
    `More than ${state.limit} requests in the current window. Try again in ${state.resetS} s.`,
    { 'retry-after': String(state.resetS) },
  );
}

/**
 * Lets a request in, in this order: is there a valid key (401), are there requests left (429), does the key carry
 * the scopes (403). Failed attempts are counted per address.
 */
export function keyGuard(keys: KeyRing, limiter: RateLimiter): Guard {
  return (endpoint) => async (request, reply) => {
    const secret = request.headers['x-api-key'];
    const found = typeof secret === 'string' ? keys.find(secret) : null;
    const principal = found instanceof Promise ? await found : found;
    if (principal === null) {
      const failures = await limiter.take(`address:${request.ip}`);
      if (failures.exceeded) tooMany(failures);
      const detail = secret === undefined ? 'The header X-Api-Key is missing.' : 'The API key is not valid.';
      throw problem('invalid_api_key', detail, { 'www-authenticate': 'ApiKey' });
    }
    request.principal = principal;
    const taken = limiter.take(`key:${principal.keyId}`);
    const state = taken instanceof Promise ? await taken : taken;
    reply.headers(rateHeaders(state));
    if (state.exceeded) tooMany(state);
    const missing = endpoint.scopes.filter((scope) => !principal.scopes.has(scope));
    if (missing.length > 0) {
      const what = missing.length === 1 ? `the scope ${missing[0]}` : `the scopes ${missing.join(' and ')}`;
      throw problem(
        'insufficient_scopes',
        `The API key lacks ${what}. Create a new key with the required scopes.`,
      );
    }
  };
}
