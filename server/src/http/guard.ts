import type { Endpoint } from '@saldo/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CredentialCache } from '../auth/credential-cache.ts';
import { ANONYMOUS, type Owner, type Principal } from '../auth/principal.ts';
import type { DeviceCookie } from './device-cookie.ts';
import { type ProblemError, problem } from './problem.ts';
import type { RateLimiter, RateLimitState } from './rate-limit.ts';
import { isFromOwnPage, type SessionCookie } from './session-cookie.ts';

/** Lets a request in or throws why not; at once where everything is known. */
export type Guard = (
  endpoint: Endpoint,
) => (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
    /** The key or the session's token that the caller was let in with: something that nobody else knows. */
    callerSecret: string | null;
  }
  interface FastifyContextConfig {
    endpointId?: string;
    /** Its body is read as a stream, of any size and for as long as it comes. */
    isStreamed?: boolean;
  }
}

/** How users' sessions are recognised. */
export type SessionAuth = {
  readonly sessions: CredentialCache;
  readonly cookie: SessionCookie;
  readonly device: DeviceCookie;
  /** How the outside names the platform; known for certain only when it listens. */
  readonly baseUrl: () => string;
};

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

async function refuse(request: FastifyRequest, limiter: RateLimiter, refusal: ProblemError): Promise<never> {
  const failures = await limiter.take(`address:${request.ip}`);
  if (failures.exceeded) tooMany(failures);
  throw refusal;
}

function tell(reply: FastifyReply, state: RateLimitState): void {
  reply.headers(rateHeaders(state));
  if (state.exceeded) tooMany(state);
}

/** Counts the request of somebody who is known, and tells how many are left: at once where they are counted in memory. */
const count = (reply: FastifyReply, limiter: RateLimiter, subject: string): void | Promise<void> =>
  andThen(limiter.take(subject), (state) => tell(reply, state));

/**
 * Counts a request that finds no operation, where its key is known. Its answer stays 404 or 405, which need no key, also
 * beyond the limit.
 */
export const unroutedCounter =
  (keys: readonly CredentialCache[], limiter: RateLimiter) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const secret = request.headers['x-api-key'];
    if (typeof secret !== 'string') return;
    for (const cache of keys) {
      const principal = await cache.find(secret);
      if (principal === null) continue;
      reply.headers(rateHeaders(await limiter.take(countedAs(principal))));
      return;
    }
  };

/** A page of another site can make a browser send a request, but not make it say that it came from here. */
function refuseForeignPage(request: FastifyRequest, sessionAuth: SessionAuth): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  if (isFromOwnPage(request, sessionAuth.baseUrl())) return;
  throw problem('foreign_origin', 'With a session, changes can only be asked for by the portal’s own pages.');
}

function refuseMissingScopes(endpoint: Endpoint, { scopes, session }: Principal): void {
  if (endpoint.scopes.every((scope) => scopes.has(scope))) return;
  const missing = endpoint.scopes.filter((scope) => !scopes.has(scope));
  const what = missing.length === 1 ? `the scope ${missing[0]}` : `the scopes ${missing.join(' and ')}`;
  const detail =
    session === null
      ? `The API key lacks ${what}. Create a new key with the required scopes.`
      : `Your user lacks ${what}. Ask the operator to let you manage.`;
  throw problem('insufficient_scopes', detail);
}

const cannotManage = () =>
  problem('insufficient_permissions', 'Your user may read here, but not change anything.');

/** What no scope is about needs the permission to manage. */
const isManagement = ({ method, scopes }: Endpoint) => method !== 'GET' && scopes.length === 0;

/**
 * Lets a request in, in this order: is there a valid key, or without a key a session of the same kind of owner (401);
 * are there requests left (429); does a change with a session come from our own page, does the caller have the scopes
 * and the permission (403). Failed attempts are counted per address.
 */
export function apiGuard(
  kind: Owner['type'],
  keys: CredentialCache,
  sessionAuth: SessionAuth,
  limiter: RateLimiter,
): Guard {
  const findBySession = async (token: string): Promise<Principal | null> => {
    const principal = await sessionAuth.sessions.find(token);
    return principal?.owner?.type === kind ? principal : null;
  };
  return (endpoint) => {
    const isForManagers = isManagement(endpoint);
    const judge = (request: FastifyRequest, principal: Principal) => {
      if (principal.session !== null) refuseForeignPage(request, sessionAuth);
      refuseMissingScopes(endpoint, principal);
      if (!principal.mayManage && isForManagers) throw cannotManage();
    };
    return (request, reply) => {
      const key = request.headers['x-api-key'];
      const token = key === undefined ? sessionAuth.cookie.read(request) : null;
      const secret = typeof key === 'string' ? key : token;
      const found = secret === null ? null : token === null ? keys.find(secret) : findBySession(token);
      return andThen(found, (principal) => {
        if (principal === null) {
          const detail = key === undefined ? 'The header X-Api-Key is missing.' : 'The API key is not valid.';
          const why = token === null ? detail : 'The session has ended or is not one for this API.';
          return refuse(request, limiter, problem('invalid_api_key', why, { 'www-authenticate': 'ApiKey' }));
        }
        request.principal = principal;
        request.callerSecret = secret;
        return andThen(count(reply, limiter, countedAs(principal)), () => judge(request, principal));
      });
    };
  };
}

/** At once where the value is there: a promise for each request took longer than what it waited for. */
const andThen = <T>(value: T | Promise<T>, next: (value: T) => void | Promise<void>): void | Promise<void> =>
  value instanceof Promise ? value.then(next) : next(value);

const countedAs = ({ session, actor }: Principal) =>
  session === null ? `key:${actor}` : `session:${session.id}`;

export type PortalRule = {
  /** Users of these have something of their own here. */
  readonly roles: readonly Owner['type'][];
  /** Whether a change needs the permission to manage, or is one that concerns nobody but the user. */
  readonly isManaged: boolean;
};

/** The same for what only users can do. */
export function sessionGuard(rule: PortalRule, sessionAuth: SessionAuth, limiter: RateLimiter): Guard {
  return (endpoint) => async (request, reply) => {
    const token = sessionAuth.cookie.read(request);
    const principal = token === null ? null : await sessionAuth.sessions.find(token);
    if (principal === null) {
      const detail = token === null ? 'Nobody is signed in.' : 'The session has ended. Sign in again.';
      return refuse(request, limiter, problem('invalid_session', detail, { 'www-authenticate': 'Session' }));
    }
    request.principal = principal;
    request.callerSecret = token;
    await count(reply, limiter, countedAs(principal));
    refuseForeignPage(request, sessionAuth);
    if (!rule.roles.some((role) => role === principal.owner?.type)) {
      throw problem('insufficient_permissions', 'There is nothing here for users of your role.');
    }
    if (rule.isManaged && !principal.mayManage && isManagement(endpoint)) throw cannotManage();
  };
}

/**
 * Admits anybody, but not too often, and not a form on another site's page. A known device is counted by itself, so that
 * others at its address cannot use up its requests.
 */
export function openGuard(sessionAuth: SessionAuth, limiter: RateLimiter): Guard {
  return () => async (request, reply) => {
    const device = sessionAuth.device.read(request);
    await count(reply, limiter, device === null ? `open:${request.ip}` : `device:${device.id}`);
    refuseForeignPage(request, sessionAuth);
    request.principal = ANONYMOUS;
  };
}
