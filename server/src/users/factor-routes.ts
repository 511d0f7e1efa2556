import { portalFactorEndpoints as endpoints } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import type { FastifyRequest } from 'fastify';
import { type Route, route } from '../platform/http/routes.ts';
import {
  beginSetUp,
  completeByCode,
  confirmSetUp,
  removeOneTimeCode,
  renewRecoveryCodes,
} from './one-time-codes.ts';
import { listPasskeys } from './passkey-store.ts';
import {
  clientContextOf,
  type SessionDependencies,
  sessionCookies,
  sessionOf,
  timesOf,
} from './portal-routes.ts';
import { type FactorAttempt, findOneTimeCode } from './second-factor.ts';
import { needsSecondFactor } from './session-start.ts';
import { getUser } from './store.ts';
import { base32, otpauthUri } from './totp.ts';

const attemptOf = (
  request: FastifyRequest,
  { code }: { code: string },
  dependencies: SessionDependencies,
): FactorAttempt => ({
  session: sessionOf(request),
  code,
  client: clientContextOf(request, dependencies),
  times: timesOf(dependencies.clock),
});

/** Routes that complete a sign-in. Answers with secrets or a cookie are not stored for `Idempotency-Key`. */
export function pendingFactorRoutes(dependencies: SessionDependencies): Route[] {
  const { db, sealer, clock, sessions, issuer, mfa } = dependencies;
  const letIn = sessionCookies(dependencies);
  return [
    route(endpoints.completeSignIn, async ({ body, request, reply }) =>
      letIn(request, reply, await completeByCode(db, sealer, attemptOf(request, body, dependencies))),
    ),
    route(endpoints.getFactors, async ({ request }) => {
      const { userId } = sessionOf(request);
      const found = await findOneTimeCode(db, userId);
      return {
        is_required: needsSecondFactor(mfa, (await getUser(db, userId)).role),
        passkeys: (await listPasskeys(db, userId)).length,
        one_time_code: found && {
          confirmed_at: formatInstant(found.confirmed_at),
          recovery_codes: found.recovery_codes,
        },
      };
    }),
    route(endpoints.beginOneTimeCode, async ({ body, request }) => {
      const client = clientContextOf(request, dependencies);
      const setUp = await beginSetUp(db, sealer, sessionOf(request), body, client, timesOf(clock));
      const secret = base32(setUp.secret).toUpperCase();
      return { token: setUp.token, secret, uri: otpauthUri(secret, issuer, setUp.user.email) };
    }),
    route(endpoints.confirmOneTimeCode, async ({ body, request, reply }) => {
      const client = clientContextOf(request, dependencies);
      const session = sessionOf(request);
      const confirmed = await confirmSetUp(db, sealer, session, body, client, timesOf(clock));
      if (confirmed.completed === null) sessions.forget();
      else letIn(request, reply, confirmed.completed);
      return { recovery_codes: confirmed.recoveryCodes };
    }),
  ];
}

/** Routes for the factors of a user who is signed in. */
export function factorRoutes(dependencies: SessionDependencies): Route[] {
  const { db, sealer, mfa } = dependencies;
  return [
    route(endpoints.removeOneTimeCode, async ({ body, request }) => {
      await removeOneTimeCode(db, sealer, attemptOf(request, body, dependencies), mfa);
      return {};
    }),
    route(endpoints.renewRecoveryCodes, async ({ body, request }) => ({
      recovery_codes: await renewRecoveryCodes(db, sealer, attemptOf(request, body, dependencies)),
    })),
  ];
}
