import { type AuditAction, portalSessionEndpoints as endpoints, type SessionState } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, recordAudit } from '../audit/store.ts';
import type { CredentialCache } from '../platform/auth/credential-cache.ts';
import { type SessionFacts, scopesOf } from '../platform/auth/principal.ts';
import { looksLikeToken } from '../platform/auth/session-credentials.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import type { DeviceCookie } from '../platform/http/device-cookie.ts';
import { problem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';
import type { SessionCookie } from '../platform/http/session-cookie.ts';
import {
  acceptInvitation,
  type ClientContext,
  changePassword,
  deviceCredential,
  endSession,
  endSessions,
  getInvited,
  type NewSession,
  signIn,
} from './sessions.ts';
import { getUser, type UserRow } from './store.ts';
import { wireIdentity, wireInvitation } from './wire.ts';

export type SessionDependencies = {
  readonly db: Database;
  readonly clock: MovableClock;
  readonly sessions: CredentialCache;
  readonly cookie: SessionCookie;
  readonly device: DeviceCookie;
  /** Public base URL of the customer API. */
  readonly customerUrl: string;
};

const timesOf = (clock: MovableClock) => ({ now: clock.now(), machineNow: clock.machineNow() });

const clientContextOf = (
  request: FastifyRequest,
  { cookie, device }: SessionDependencies,
): ClientContext => ({
  address: request.ip,
  device: device.read(request),
  requestId: request.id,
  oldToken: cookie.read(request),
});

const stateOf = (user: UserRow, expiresAt: number, now: number, customerUrl: string): SessionState => ({
  user: wireIdentity(user),
  scopes: [...scopesOf(user.role, user.permissions)],
  expires_at: formatInstant(expiresAt),
  server_time: formatInstant(now),
  customer_base_url: customerUrl,
});

/**
 * Routes without a session: signing in and accepting an invitation. They ignore `Idempotency-Key`, because their
 * answers set a session cookie, which must not be stored.
 */
export function signInRoutes(dependencies: SessionDependencies): Route[] {
  const { db, clock, sessions, cookie, device, customerUrl } = dependencies;
  const letIn = (request: FastifyRequest, reply: FastifyReply, session: NewSession): SessionState => {
    const { token, user, expiresAt } = session;
    const { now, machineNow } = timesOf(clock);
    sessions.forget();
    cookie.set(reply, token, expiresAt - machineNow);
    device.remember(request, reply, deviceCredential(user));
    return stateOf(user, expiresAt, now, customerUrl);
  };
  return [
    route(endpoints.signIn, async ({ body, request, reply }) =>
      letIn(request, reply, await signIn(db, body, clientContextOf(request, dependencies), timesOf(clock))),
    ),
    route(endpoints.getInvitation, async ({ params }) =>
      wireInvitation(await getInvited(db, tokenOf(params), clock.machineNow())),
    ),
    route(endpoints.acceptInvitation, async ({ params, body, request, reply }) => {
      const client = clientContextOf(request, dependencies);
      const session = await acceptInvitation(db, tokenOf(params), body.password, client, timesOf(clock));
      return letIn(request, reply, session);
    }),
  ];
}

/** Rejects a malformed token before it is hashed. */
function tokenOf({ token }: { token: string }): string {
  if (!looksLikeToken(token)) throw problem('invitation_not_found', { key: 'problem.no_invitation' });
  return token;
}

/** Routes for the user's own session and password. The session cache is cleared after the commit, not before it. */
export function sessionRoutes(dependencies: SessionDependencies): Route[] {
  const { db, clock, sessions, cookie, device, customerUrl } = dependencies;
  const ending = async (call: Actor, action: AuditAction, userId: string, end: (tx: Tx) => Promise<void>) => {
    await db.transaction(async (tx) => {
      await end(tx);
      await recordAudit(tx, call, { action, subject: encodeId(ID_PREFIX.user, userId) }, clock.now());
    });
    sessions.forget();
    return {};
  };
  return [
    route(endpoints.getSession, async ({ request }) => {
      const { userId, expiresAt } = sessionOf(request);
      return stateOf(await getUser(db, userId), expiresAt, clock.now(), customerUrl);
    }),
    route(endpoints.changePassword, async ({ body, request, reply }) => {
      const client = clientContextOf(request, dependencies);
      const user = await changePassword(db, sessionOf(request), body, client, timesOf(clock));
      sessions.forget();
      device.remember(request, reply, deviceCredential(user));
      return {};
    }),
    route(endpoints.signOut, async (call) => {
      const { id, userId } = sessionOf(call.request);
      cookie.clear(call.reply);
      return ending(call, 'user.signed_out', userId, (tx) => endSession(tx, id));
    }),
    route(endpoints.signOutElsewhere, async (call) => {
      const { id, userId } = sessionOf(call.request);
      return ending(call, 'user.signed_out_elsewhere', userId, (tx) => endSessions(tx, userId, id));
    }),
  ];
}

function sessionOf({ principal }: FastifyRequest): SessionFacts {
  if (!principal?.session) throw new Error('only a session is let in here');
  return principal.session;
}
