import { Choice, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { USER_ROLES } from '../users.ts';
import { SessionState, stateExample } from './session.ts';

/** Available only with a demo world, never in production. */
export const demoEndpoints = endpoints('Session', {
  enterDemo: endpoint({
    method: 'POST',
    path: '/portal/v1/sign-in/demo',
    summary: 'Sign in as a demo user',
    description:
      'Signs in with the password that the demo has created, as long as the user still has it. The answer sets the session cookie. Only with a demo world and, unless `DEMO_SIGN_IN=on`, only from the machine of the platform: otherwise 404. Needs no session.',
    body: Strict(
      { role: Choice(USER_ROLES, { description: 'The role of the demo user.', examples: ['brp'] }) },
      { title: 'DemoSignIn' },
    ),
    response: SessionState,
    problems: ['not_found', 'sign_in_refused', 'foreign_origin'],
    ignoresIdempotencyKey: true,
    example: { request: { role: 'brp' }, response: { ...stateExample, demo: true } },
  }),
});
