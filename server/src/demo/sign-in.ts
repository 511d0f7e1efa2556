import { demoEndpoints, type UserRole } from '@saldo/api';
import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../platform/http/client-address.ts';
import { ProblemError, problem } from '../platform/http/problem.ts';
import { type Route, route } from '../platform/http/routes.ts';
import { passwordSignIn, type SessionDependencies } from '../users/portal-routes.ts';
import type { DemoAccess } from './load.ts';

type DemoUser = DemoAccess['users'][number];

/** The sign-in as a demo user, for the browsers that may use it. */
export type DemoSignIn = {
  rolesFor(request: FastifyRequest): UserRole[];
  findUser(request: FastifyRequest, role: UserRole): DemoUser | null;
};

/** Each of them says that a proxy has passed the request on. */
const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).hostname : '');

/**
 * Whether a browser on this machine has sent the request to a name of this machine. A proxy on this machine has a loopback
 * address too, so a public URL or a header of a proxy excludes it. The `Host` header excludes names of other sites that
 * resolve to a loopback address (DNS rebinding).
 */
function isFromThisMachine({ socket, headers }: FastifyRequest, baseUrl: string): boolean {
  const isForwarded = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  const names = [socket.remoteAddress ?? '', hostOf(`http://${headers.host ?? ''}`), hostOf(baseUrl)];
  return !isForwarded && names.every(isLoopback);
}

/** The first user of each role is offered. */
export function createDemoSignIn(
  { users }: DemoAccess,
  allows: 'local' | 'on',
  baseUrl: () => string,
): DemoSignIn {
  const isAllowed = (request: FastifyRequest) => allows === 'on' || isFromThisMachine(request, baseUrl());
  return {
    rolesFor: (request) => (isAllowed(request) ? [...new Set(users.map(({ role }) => role))] : []),
    findUser: (request, role) =>
      isAllowed(request) ? (users.find((user) => user.role === role) ?? null) : null,
  };
}

/**
 * Signs in with the password of the demo, in the same way as a user who types it. So attempts are counted and recorded, a
 * second factor is asked for, and a user who is disabled or has another password is rejected.
 */
export function demoSignInRoutes(dependencies: SessionDependencies, { findUser }: DemoSignIn): Route[] {
  const signIn = passwordSignIn(dependencies);
  return [
    route(demoEndpoints.enterDemo, async ({ body, request, reply }) => {
      const user = findUser(request, body.role);
      if (user === null)
        throw problem('not_found', { key: 'problem.not_found', path: demoEndpoints.enterDemo.path });
      return signIn(user, request, reply).catch((error: unknown) => {
        if (!(error instanceof ProblemError) || error.code !== 'invalid_credentials') throw error;
        throw problem('sign_in_refused', { key: 'problem.demo_user_changed' });
      });
    }),
  ];
}
