import type { Endpoint, ProblemCode, Scope, UserPermissions } from '@saldo/api';
import type { Message } from '@saldo/core/messages/message.ts';
import { includesPermissions } from '@saldo/core/users/permissions.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CredentialCache, FOREIGN_ADDRESS } from '../auth/credential-cache.ts';
import { ANONYMOUS, callerOf, type Owner, type Principal } from '../auth/principal.ts';
import type { DeviceCookie } from './device-cookie.ts';
import { type ProblemError, problem } from './problem.ts';
import type { RateLimiter, RateLimitState } from './rate-limit.ts';
import type { RefusalKind } from './refusals.ts';
import { isFromOwnPage, type SessionCookie } from './session-cookie.ts';

/** Authenticates and authorises a request, or throws a problem. Synchronous when all data is cached. */
export type Guard = (
  endpoint: Endpoint,
) => (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
    /** The API key or session token of the caller. A request that waits is authenticated again with it. */
    callerSecret: string | null;
    /** The code of the problem that was answered. */
    problemCode: ProblemCode | null;
    /** The request was authorised before its body was complete, and has to enter the queue again. */
    hasLeftQueue: boolean;
  }
  interface FastifyContextConfig {
    endpointId?: string;
    /** The operation changes data. */
    isChange?: boolean;
    /** The handler reads the body as a stream, without a limit of size or total time. */
    isStreamed?: boolean;
    /** The response is a stream without a limit of size or total time. */
    isExport?: boolean;
  }
}

export type SessionAuth = {
  readonly sessions: CredentialCache;
  readonly cookie: SessionCookie;
  readonly device: DeviceCookie;
  /** Postpones the idle timeout of a session. */
  readonly sessionUsed: (id: string) => void;
  /** The public URL. A function, because without `BASE_URL` it is known only once the server listens. */
  readonly baseUrl: () => string;
};

/**
 * Requests of a page that no person has used for a while carry this header. They do not postpone the idle timeout of
 * their session: otherwise an open page, which follows changes by itself, would keep it alive.
 */
const UNATTENDED = 'saldo-unattended';

function noteUse(request: FastifyRequest, { session }: Principal, { sessionUsed }: SessionAuth): void {
  if (session !== null && request.headers[UNATTENDED] === undefined) sessionUsed(session.id);
}

const rateHeaders = (state: RateLimitState) => ({
  'x-ratelimit-limit': String(state.limit),
  'x-ratelimit-remaining': String(state.remaining),
  'x-ratelimit-reset': String(state.resetS),
});

function tooMany(state: RateLimitState): never {
  throw problem(
    'rate_limited',
    { key: 'problem.rate_limited', limit: state.limit, seconds: state.resetS },
    { 'retry-after': String(state.resetS) },
  );
}

async function refuse(
  request: FastifyRequest,
  limiter: RateLimiter,
  kind: RefusalKind,
  refusal: ProblemError,
): Promise<never> {
  const failures = await limiter.take(`address:${request.ip}`);
  request.refusedFor = failures.exceeded ? 'address' : kind;
  if (failures.exceeded) tooMany(failures);
  throw refusal;
}

/** Counts an authenticated request and sets the rate limit headers. Synchronous with the in-memory limiter. */
const count = (reply: FastifyReply, limiter: RateLimiter, subject: string): void | Promise<void> =>
  andThen(limiter.take(subject), (state) => {
    reply.headers(rateHeaders(state));
    if (state.exceeded) tooMany(state);
  });

/**
 * Counts a request without a matching route if its key is valid, and notes its caller for the logs. The response stays 404 or 405 even beyond the limit,
 * because these responses need no key.
 */
export const unroutedCounter =
  (keys: readonly CredentialCache[], limiter: RateLimiter) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const secret = request.headers['x-api-key'];
    if (typeof secret !== 'string') return;
    for (const cache of keys) {
      const principal = await cache.find(secret, request.ip);
      if (principal === null || principal === FOREIGN_ADDRESS) continue;
      request.principal = principal;
      reply.headers(rateHeaders(await limiter.take(callerOf(principal))));
      return;
    }
  };

/** CSRF protection: another site can make a browser send a request, but cannot forge its origin headers. */
function refuseForeignPage(request: FastifyRequest, sessionAuth: SessionAuth): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  if (isFromOwnPage(request, sessionAuth.baseUrl())) return;
  throw problem('foreign_origin');
}

export function refuseMissingScopes(endpoint: Endpoint, { scopes, session }: Principal): void {
  if (endpoint.scopes.every((scope) => scopes.has(scope))) return;
  const missing = endpoint.scopes.filter((scope) => !scopes.has(scope));
  const key = session === null ? 'problem.key_lacks' : 'problem.user_lacks';
  throw problem('insufficient_scopes', { key, scopes: nameScopes(missing) });
}

/** A session whose sign-in is not complete can only complete it. */
function refusePending({ session }: Principal): void {
  if (session !== null && session.pending !== null) throw problem('second_factor_required');
}

/** One scope or several, as a part of a sentence. */
export const nameScopes = (scopes: readonly Scope[]): Message =>
  scopes.length === 1 ? { key: 'problem.scope', scope: scopes[0]! } : { key: 'problem.scopes', scopes };

function refuseLesserUser({ permissions }: Principal, needed: UserPermissions): void {
  if (!includesPermissions(permissions, needed)) throw problem('insufficient_permissions');
}

/** Finds the caller of a request by its key or session, without counting the request. */
export type FindPrincipal = (request: FastifyRequest) => Promise<Principal | null>;

/** For requests that were authorised a while ago. Their secret is known. */
export const principalFinder =
  (keys: CredentialCache, { sessions }: SessionAuth): FindPrincipal =>
  async ({ principal, callerSecret, ip }) => {
    if (principal === null || callerSecret === null) return null;
    const found = await (principal.session === null ? keys : sessions).find(callerSecret, ip);
    return found === FOREIGN_ADDRESS ? null : found;
  };

/**
 * Checks a request in this order: a valid key, or without a key a session of the same kind of owner (401); the rate
 * limit (429); for changes with a session the origin, then scopes and permissions (403). A key from an address that it
 * must not be used from is answered like an unknown key. Failed attempts are counted per IP address.
 */
export function apiGuard(
  kind: Owner['type'],
  keys: CredentialCache,
  sessionAuth: SessionAuth,
  limiter: RateLimiter,
): Guard {
  const findBySession = async (token: string, address: string): Promise<Principal | null> => {
    const principal = await sessionAuth.sessions.find(token, address);
    return principal !== FOREIGN_ADDRESS && principal?.owner?.type === kind ? principal : null;
  };
  return (endpoint) => {
    // Only the customer API has changes without a scope, those of webhooks.
    const needed = endpoint.method === 'GET' || endpoint.scopes.length > 0 ? 'viewer' : 'admin';
    const authorize = (request: FastifyRequest, principal: Principal) => {
      refusePending(principal);
      if (principal.session !== null) refuseForeignPage(request, sessionAuth);
      refuseMissingScopes(endpoint, principal);
      refuseLesserUser(principal, needed);
    };
    return (request, reply) => {
      const key = request.headers['x-api-key'];
      const token = key === undefined ? sessionAuth.cookie.read(request) : null;
      const secret = typeof key === 'string' ? key : token;
      const { ip } = request;
      const found =
        secret === null ? null : token === null ? keys.find(secret, ip) : findBySession(token, ip);
      return andThen(found, (principal) => {
        if (principal === null || principal === FOREIGN_ADDRESS) {
          const fault = key === undefined ? 'problem.key_missing' : 'problem.invalid_api_key';
          const detail = { key: token === null ? fault : 'problem.session_of_other_api' } as const;
          const refusal = problem('invalid_api_key', detail, { 'www-authenticate': 'ApiKey' });
          const kind = principal ?? (token === null ? 'key' : 'session');
          return refuse(request, limiter, kind === FOREIGN_ADDRESS ? 'address' : kind, refusal);
        }
        request.principal = principal;
        request.callerSecret = secret;
        noteUse(request, principal, sessionAuth);
        return andThen(count(reply, limiter, callerOf(principal)), () => authorize(request, principal));
      });
    };
  };
}

/** Stays synchronous when the value is available: one promise per request cost more than the check itself. */
const andThen = <T>(value: T | Promise<T>, next: (value: T) => void | Promise<void>): void | Promise<void> =>
  value instanceof Promise ? value.then(next) : next(value);

export type PortalRule = {
  /** The roles that may use these endpoints. */
  readonly roles: readonly Owner['type'][];
  /** The permissions that reads need. */
  readonly reads: UserPermissions;
  /** The permissions that changes need: `viewer` where users change only their own data. */
  readonly changes: UserPermissions;
  /** Whether a session may use them before its sign-in is complete. */
  readonly isForPending?: true;
};

/** Like `apiGuard`, for endpoints that accept only sessions. */
export function sessionGuard(rule: PortalRule, sessionAuth: SessionAuth, limiter: RateLimiter): Guard {
  return (endpoint) => async (request, reply) => {
    const token = sessionAuth.cookie.read(request);
    const principal = token === null ? null : await sessionAuth.sessions.find(token, request.ip);
    if (principal === null || principal === FOREIGN_ADDRESS) {
      const key = token === null ? 'problem.session_missing' : 'problem.invalid_session';
      const refusal = problem('invalid_session', { key }, { 'www-authenticate': 'Session' });
      return refuse(request, limiter, 'session', refusal);
    }
    request.principal = principal;
    request.callerSecret = token;
    noteUse(request, principal, sessionAuth);
    await count(reply, limiter, callerOf(principal));
    refuseForeignPage(request, sessionAuth);
    if (rule.isForPending !== true) refusePending(principal);
    if (!rule.roles.some((role) => role === principal.owner?.type)) {
      throw problem('insufficient_permissions', { key: 'problem.role_without_access' });
    }
    refuseLesserUser(principal, endpoint.method === 'GET' ? rule.reads : rule.changes);
  };
}

/**
 * Allows requests without credentials, subject to the rate limit and to CSRF protection. A known device has its own
 * count, so that other clients behind the same IP address cannot exhaust its limit.
 */
export function openGuard(sessionAuth: SessionAuth, limiter: RateLimiter): Guard {
  return () => async (request, reply) => {
    request.principal = ANONYMOUS;
    const device = sessionAuth.device.read(request);
    await count(reply, limiter, device === null ? `open:${request.ip}` : `device:${device.id}`);
    refuseForeignPage(request, sessionAuth);
  };
}
