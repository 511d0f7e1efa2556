import { portalProviderEndpoints as endpoints, type UserRole } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import type { FastifyRequest } from 'fastify';
import { looksLikeToken, newToken } from '../platform/auth/session-credentials.ts';
import { problem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';
import type { SessionCookie } from '../platform/http/session-cookie.ts';
import { domainOf } from './identity-providers.ts';
import {
  clientContextOf,
  type SessionDependencies,
  sessionCookies,
  sessionOf,
  timesOf,
} from './portal-routes.ts';
import { canSignInWithout, listProviderLinks, unlinkProvider } from './provider-links.ts';
import { beginProviderSignIn, completeProviderSignIn } from './provider-sign-in.ts';
import { getInvited } from './sessions.ts';
import { STEP_MS } from './sign-in-steps.ts';

export type ProviderDependencies = SessionDependencies & {
  /** Binds a sign-in to the browser that has started it. */
  readonly stepCookie: SessionCookie;
  /** The roles that the browser can sign in as without a password. */
  readonly demoRolesFor: (request: FastifyRequest) => UserRole[];
};

/** Routes without a session: signing in with an identity provider. */
export function providerSignInRoutes(dependencies: ProviderDependencies): Route[] {
  const { db, clock, sealer, mfa, providers, baseUrl, stepCookie, demoRolesFor } = dependencies;
  const setCookies = sessionCookies(dependencies);
  const contextOf = (request: FastifyRequest, id: string) => {
    const provider = providers.find(id);
    if (provider === null) throw problem('sign_in_refused', { key: 'problem.provider_unknown' });
    const log = (reason: string) =>
      request.log.warn({ provider: id, request_id: request.id }, `sign-in refused: ${reason}`);
    const redirectUri = `${baseUrl()}/sign-in/return/${id}`;
    return { db, sealer, policy: mfa, provider, redirectUri, log };
  };
  const browserOf = (request: FastifyRequest) => {
    const token = stepCookie.read(request);
    return token !== null && looksLikeToken(token) ? token : null;
  };
  return [
    route(endpoints.listSignInProviders, async ({ query: { domain }, request }) => {
      const shown = domain === undefined ? providers.all : providers.ofDomain(domainOf(domain));
      const required = domain === undefined ? [] : providers.requiredFor(domainOf(domain));
      return {
        providers: shown.map((provider) => ({
          ...{ id: provider.id, label: provider.label, required: required.includes(provider) },
        })),
        demo_roles: demoRolesFor(request),
      };
    }),
    route(endpoints.startProviderSignIn, async ({ params, body, request, reply }) => {
      const { return_to: returnTo = '/', invitation = null } = body;
      const context = contextOf(request, params.provider_id);
      if (invitation !== null) await getInvited(db, invitation, clock.machineNow());
      // Kept, so that sign-ins in several tabs do not disturb each other.
      const browser = browserOf(request) ?? newToken();
      const url = await beginProviderSignIn(
        { ...context, browser },
        { returnTo, invitation },
        clock.machineNow(),
      );
      stepCookie.set(reply, browser, STEP_MS);
      return { url };
    }),
    route(endpoints.completeProviderSignIn, async ({ params, body, request, reply }) => {
      const context = { ...contextOf(request, params.provider_id), browser: browserOf(request) };
      const client = clientContextOf(request, dependencies);
      const { session, returnTo } = await completeProviderSignIn(context, body.query, client, timesOf(clock));
      return { session: setCookies(request, reply, session), return_to: returnTo };
    }),
  ];
}

/** Routes for the identity providers of the user. */
export function providerLinkRoutes({ db, clock, providers }: ProviderDependencies): Route[] {
  return [
    route(endpoints.listProviderLinks, async ({ request }) => {
      const { userId } = sessionOf(request);
      const links = await listProviderLinks(db, userId);
      return {
        links: await Promise.all(
          links.map(async ({ issuer, linked_at }) => ({
            issuer,
            label: providers.findByIssuer(issuer)?.label ?? issuer,
            linked_at: formatInstant(linked_at),
            removable: await canSignInWithout(db, userId, issuer, providers),
          })),
        ),
      };
    }),
    route(endpoints.removeProviderLink, async (call) => {
      const link = { userId: sessionOf(call.request).userId, issuer: call.query.issuer };
      await db.transaction((tx) => unlinkProvider(tx, call, link, providers, clock.now()));
      return {};
    }),
  ];
}
