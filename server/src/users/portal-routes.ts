import {
  type AuditAction,
  portalSessionEndpoints as endpoints,
  type MfaPolicy,
  type SessionState,
  type SignInResult,
} from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, recordAudit } from '../audit/store.ts';
import type { CredentialCache } from '../platform/auth/credential-cache.ts';
import { type SessionFacts, scopesOf } from '../platform/auth/principal.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import { looksLikeToken } from '../platform/auth/session-credentials.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { clientAddress, userAgentOf } from '../platform/http/client-address.ts';
import type { DeviceCookie } from '../platform/http/device-cookie.ts';
import { problem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';
import type { SessionCookie } from '../platform/http/session-cookie.ts';
import { ProviderError } from './identity-provider.ts';
import { domainOf, type IdentityProviders } from './identity-providers.ts';
import { endOwnSession, listSessions } from './session-list.ts';
import type { ClientContext, NewSession, Times } from './session-start.ts';
import {
  acceptInvitation,
  changePassword,
  deviceCredential,
  endSession,
  endSessions,
  getInvited,
  signIn,
} from './sessions.ts';
import { getUser, type UserRow } from './store.ts';
import { wireIdentity, wireInvitation } from './wire.ts';

export type SessionDependencies = {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly mfa: MfaPolicy;
  /** What authenticator apps name the platform. */
  readonly issuer: string;
  readonly providers: IdentityProviders;
  readonly clock: MovableClock;
  readonly sessions: CredentialCache;
  readonly cookie: SessionCookie;
  readonly device: DeviceCookie;
  /** Public base URL of the portal. */
  readonly baseUrl: () => string;
  /** Public base URL of the customer API. */
  readonly customerUrl: string;
  /** Whether the platform has the demo data. */
  readonly isDemo: boolean;
  /** Adds the result of a sign-in to the metrics. */
  readonly countSignIn: (result: SignInResult) => void;
};

/** `now` is read when it is needed: the instant of a record belongs to its transaction. */
export const timesOf = (clock: MovableClock): Times => ({
  get now() {
    return clock.now();
  },
  machineNow: clock.machineNow(),
});

export const clientContextOf = (
  request: FastifyRequest,
  { cookie, device, countSignIn }: SessionDependencies,
): ClientContext => ({
  address: request.ip,
  recordedAddress: clientAddress(request),
  device: device.read(request),
  requestId: request.id,
  userAgent: userAgentOf(request),
  oldToken: cookie.read(request),
  countSignIn,
});

const stateOf = (
  user: UserRow,
  { expiresAt, pending }: Pick<SessionFacts, 'expiresAt' | 'pending'>,
  now: number,
  { customerUrl, isDemo }: SessionDependencies,
): SessionState => ({
  user: wireIdentity(user),
  scopes: [...scopesOf(user.role, user.permissions)],
  pending,
  expires_at: formatInstant(expiresAt),
  server_time: formatInstant(now),
  customer_base_url: customerUrl,
  demo: isDemo,
});

/** Gives the browser its new session, which may be pending, and returns what the page may read of it. */
export function sessionCookies(dependencies: SessionDependencies) {
  const { clock, sessions, cookie, device, countSignIn } = dependencies;
  return (request: FastifyRequest, reply: FastifyReply, session: NewSession): SessionState => {
    const { now, machineNow } = timesOf(clock);
    sessions.forget();
    if (session.pending === null) countSignIn('succeeded');
    cookie.set(reply, session.token, session.expiresAt - machineNow);
    // A password alone makes no device known: known devices have a limit of their own for wrong codes.
    if (session.pending === null) device.remember(request, reply, deviceCredential(session.user));
    return stateOf(session.user, session, now, dependencies);
  };
}

/** Signs in with a password, unless only an identity provider is accepted. */
export function passwordSignIn(dependencies: SessionDependencies) {
  const { db, clock, mfa, providers } = dependencies;
  const setCookies = sessionCookies(dependencies);
  return async (
    credentials: { email: string; password: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<SessionState> => {
    const client = clientContextOf(request, dependencies);
    const isAccepted = providers.requiredFor(domainOf(credentials.email)).length === 0;
    return setCookies(request, reply, await signIn(db, credentials, client, timesOf(clock), mfa, isAccepted));
  };
}

/**
 * Routes without a session: signing in and accepting an invitation. They ignore `Idempotency-Key`, because their
 * answers set a session cookie, which must not be stored.
 */
export function signInRoutes(dependencies: SessionDependencies): Route[] {
  const { db, clock, mfa, providers } = dependencies;
  const setCookies = sessionCookies(dependencies);
  const withPassword = passwordSignIn(dependencies);
  return [
    route(endpoints.signIn, ({ body, request, reply }) => withPassword(body, request, reply)),
    route(endpoints.getInvitation, async ({ params }) => {
      const invited = await getInvited(db, tokenOf(params), clock.machineNow());
      const required = providers.requiredFor(domainOf(invited.email));
      return wireInvitation(
        invited,
        required.map(({ id, label }) => ({ id, label })),
      );
    }),
    route(endpoints.acceptInvitation, async ({ params, body, request, reply }) => {
      const client = clientContextOf(request, dependencies);
      const { email } = await getInvited(db, tokenOf(params), clock.machineNow());
      refusePassword(email, providers);
      const session = await acceptInvitation(db, tokenOf(params), body.password, client, timesOf(clock), mfa);
      return setCookies(request, reply, session);
    }),
  ];
}

/** Refuses a new password where only an identity provider is accepted. */
function refusePassword(email: string, providers: IdentityProviders): void {
  const domain = domainOf(email);
  const [required] = providers.requiredFor(domain);
  if (required !== undefined)
    throw problem('sign_in_refused', { key: 'problem.provider_required', domain, provider: required.label });
}

/** Rejects a malformed token before it is hashed. */
function tokenOf({ token }: { token: string }): string {
  if (!looksLikeToken(token)) throw problem('invitation_not_found', { key: 'problem.no_invitation' });
  return token;
}

/** Ends sessions. Their cache is cleared after the commit, not before it. */
async function ending<T>(
  { db, clock, sessions }: SessionDependencies,
  call: Actor,
  action: AuditAction,
  userId: string,
  end: (tx: Tx) => Promise<T>,
): Promise<T> {
  const ended = await db.transaction(async (tx) => {
    const result = await end(tx);
    await recordAudit(tx, call, { action, subject: encodeId(ID_PREFIX.user, userId) }, clock.now());
    return result;
  });
  sessions.forget();
  return ended;
}

/** Routes that a session may use before its sign-in is complete. */
export function pendingSessionRoutes(dependencies: SessionDependencies): Route[] {
  const { db, clock, cookie, providers, baseUrl } = dependencies;
  return [
    route(endpoints.getSession, async ({ request }) => {
      const session = sessionOf(request);
      return stateOf(await getUser(db, session.userId), session, clock.now(), dependencies);
    }),
    route(endpoints.signOut, async (call) => {
      const { id, userId } = sessionOf(call.request);
      cookie.clear(call.reply);
      const issuer = await ending(dependencies, call, 'user.signed_out', userId, (tx) => endSession(tx, id));
      const provider = issuer === null ? null : providers.findByIssuer(issuer);
      // The session has ended in any case. A provider that does not answer has no address to go to.
      const url = provider?.endSessionUrl(`${baseUrl()}/sign-in`).catch((error: unknown) => {
        if (!(error instanceof ProviderError)) throw error;
        call.request.log.warn({ provider: provider.id }, `sign-out at the provider: ${error.message}`);
        return null;
      });
      return { provider_url: (await url) ?? null };
    }),
  ];
}

/** Routes for the user's sessions and password. */
export function sessionRoutes(dependencies: SessionDependencies): Route[] {
  const { db, clock, sessions, cookie, device } = dependencies;
  return [
    route(endpoints.listSessions, async ({ request }) => ({
      sessions: await listSessions(db, sessionOf(request), clock.machineNow()),
    })),
    route(endpoints.endSession, async (call) => {
      const { id, userId } = sessionOf(call.request);
      const ended = await db.transaction(async (tx) => {
        const before = await endOwnSession(tx, userId, call.params.session_id);
        if (before === null) throw problem('session_not_found');
        const subject = encodeId(ID_PREFIX.user, userId);
        await recordAudit(tx, call, { action: 'user.session_ended', subject, before }, clock.now());
        return before;
      });
      sessions.forget();
      if (ended.id === encodeId(ID_PREFIX.session, id)) cookie.clear(call.reply);
      return {};
    }),
    route(endpoints.changePassword, async ({ body, request, reply }) => {
      const client = clientContextOf(request, dependencies);
      const user = await changePassword(db, sessionOf(request), body, client, timesOf(clock));
      sessions.forget();
      device.remember(request, reply, deviceCredential(user));
      return {};
    }),
    route(endpoints.signOutElsewhere, async (call) => {
      const { id, userId } = sessionOf(call.request);
      const end = (tx: Tx) => endSessions(tx, userId, id);
      await ending(dependencies, call, 'user.signed_out_elsewhere', userId, end);
      return {};
    }),
  ];
}

export function sessionOf({ principal }: FastifyRequest): SessionFacts {
  if (!principal?.session) throw new Error('the guard admits only sessions');
  return principal.session;
}
