import { portalPasskeyEndpoints as endpoints } from '@saldo/api';
import type { FastifyReply } from 'fastify';
import { type Route, route, writeRoute } from '../platform/http/routes.ts';
import type { SessionCookie } from '../platform/http/session-cookie.ts';
import { relyingPartyOf } from './passkey-ceremonies.ts';
import { listPasskeys, wirePasskey } from './passkey-store.ts';
import {
  addPasskey,
  completeWithPasskey,
  type PasskeyContext,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
  startPasskeyRegistration,
  startPasskeySignIn,
  startPasskeyStep,
} from './passkeys.ts';
import {
  clientContextOf,
  type SessionDependencies,
  sessionCookies,
  sessionOf,
  timesOf,
} from './portal-routes.ts';
import { STEP_MS } from './sign-in-steps.ts';

export type PasskeyDependencies = SessionDependencies & {
  /** Binds a challenge to the browser that asked for it. */
  readonly challengeCookie: SessionCookie;
};

/** A function, because without `BASE_URL` the address is known only once the server listens. */
const contextOf = ({ db, sealer, mfa, baseUrl }: PasskeyDependencies) => {
  return (): PasskeyContext => ({ db, sealer, policy: mfa, rp: relyingPartyOf(baseUrl()) });
};

/** Gives the browser the token of a challenge, and the page its options. */
const challenger =
  ({ challengeCookie }: PasskeyDependencies) =>
  (reply: FastifyReply, { options, token }: Awaited<ReturnType<typeof startPasskeySignIn>>) => {
    challengeCookie.set(reply, token, STEP_MS);
    return { public_key: options };
  };

/** Routes without a session. */
export function passkeySignInRoutes(dependencies: PasskeyDependencies): Route[] {
  const { clock, challengeCookie } = dependencies;
  const context = contextOf(dependencies);
  const challenge = challenger(dependencies);
  const setCookies = sessionCookies(dependencies);
  return [
    route(endpoints.startPasskeySignIn, async ({ reply }) =>
      challenge(reply, await startPasskeySignIn(context(), clock.machineNow())),
    ),
    route(endpoints.signInWithPasskey, async ({ body, request, reply }) => {
      const answer = { credential: body.credential, token: challengeCookie.read(request) };
      const client = clientContextOf(request, dependencies);
      return setCookies(request, reply, await signInWithPasskey(context(), answer, client, timesOf(clock)));
    }),
  ];
}

/** Routes that a session may use before its sign-in is complete: the second step, and setting up the first factor. */
export function pendingPasskeyRoutes(dependencies: PasskeyDependencies): Route[] {
  const { clock, sessions, challengeCookie } = dependencies;
  const context = contextOf(dependencies);
  const challenge = challenger(dependencies);
  const setCookies = sessionCookies(dependencies);
  return [
    route(endpoints.startPasskeyStep, async ({ request, reply }) =>
      challenge(reply, await startPasskeyStep(context(), sessionOf(request), clock.machineNow())),
    ),
    route(endpoints.completeWithPasskey, async ({ body, request, reply }) => {
      const answer = { credential: body.credential, token: challengeCookie.read(request) };
      const client = clientContextOf(request, dependencies);
      const session = sessionOf(request);
      const completed = await completeWithPasskey(context(), session, answer, client, timesOf(clock));
      return setCookies(request, reply, completed);
    }),
    route(endpoints.startPasskeyRegistration, async ({ request, reply }) =>
      challenge(reply, await startPasskeyRegistration(context(), sessionOf(request), clock.machineNow())),
    ),
    route(endpoints.addPasskey, async ({ body, request, reply }) => {
      const answer = { credential: body.credential, token: challengeCookie.read(request) };
      const client = clientContextOf(request, dependencies);
      const user = { session: sessionOf(request), client };
      const added = await addPasskey(context(), user, body.name, answer, timesOf(clock));
      if (added.completed === null) sessions.forget();
      else setCookies(request, reply, added.completed);
      return wirePasskey(added.passkey);
    }),
  ];
}

/** Routes for the user's own passkeys. */
export function passkeyRoutes(dependencies: PasskeyDependencies): Route[] {
  const { db, clock } = dependencies;
  return [
    route(endpoints.listPasskeys, async ({ request }) => {
      const passkeys = await listPasskeys(db, sessionOf(request).userId);
      return { passkeys: passkeys.map(wirePasskey) };
    }),
    writeRoute(endpoints.renamePasskey, async ({ params, body, request }, tx) => {
      const change = { id: params.passkey_id, name: body.name };
      const client = clientContextOf(request, dependencies);
      return wirePasskey(await renamePasskey(tx, sessionOf(request), client, change, clock.now()));
    }),
    writeRoute(endpoints.removePasskey, async ({ params, request }, tx) => {
      const client = clientContextOf(request, dependencies);
      await removePasskey(tx, sessionOf(request), client, params.passkey_id, dependencies, timesOf(clock));
      return {};
    }),
  ];
}
