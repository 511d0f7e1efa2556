import Type, { type Static } from 'typebox';
import { Choice, DateTime, LIMITS, Nullable, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { ALL_SCOPES, SCOPES } from '../scopes.ts';
import {
  Credentials,
  identityFields,
  NewPassword,
  PasswordInput,
  SESSION_PENDING,
  SIGN_IN_METHODS,
  USER_ROLES,
} from '../users.ts';

export const SessionUser = Type.Object(identityFields, { title: 'SessionUser' });
export type SessionUser = Static<typeof SessionUser>;

/** The session cookie is not readable by scripts; this is the part of a session that a page can read. */
export const SessionState = Type.Object(
  {
    user: SessionUser,
    scopes: Type.Array(Choice(ALL_SCOPES), {
      description: 'Scopes of the user in the API of the role; empty for users of accounts.',
    }),
    pending: Nullable(
      Choice(SESSION_PENDING, {
        description:
          'What the session lacks before it may be used; null if nothing. `second_factor`: the factor of the user. `set_up`: a factor that the user has to set up first.',
        examples: ['second_factor'],
      }),
    ),
    expires_at: DateTime('Latest end of the session, by the machine’s clock.'),
    server_time: DateTime('The platform’s time now, which gates and statuses depend on.'),
    customer_base_url: Type.String({
      format: 'uri',
      description: 'Where the customer API is, for those with its keys.',
    }),
    demo: Type.Boolean({
      description: 'Whether the platform has the demo data, whose parties are invented.',
    }),
  },
  { title: 'SessionState' },
);
export type SessionState = Static<typeof SessionState>;

export const Invitation = Type.Object(
  {
    email: Type.String(),
    name: Type.String(),
    role: Choice(USER_ROLES),
    expires_at: DateTime('Expiry of the link, which can be used once.'),
    providers: Type.Array(
      Type.Object({ id: Type.String(), label: Type.String() }, { title: 'InvitationProvider' }),
      {
        description:
          'The identity providers that the user has to accept the invitation with; empty if the user sets a password.',
      },
    ),
  },
  { title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;

export const UserSession = Type.Object(
  {
    id: Type.String({ examples: ['ses_01jhm3w8c4e6rv9q2d5n7k1x3b'] }),
    created_at: DateTime('Sign-in, by the machine’s clock.'),
    last_seen_at: DateTime('Last use, to the minute.'),
    expires_at: DateTime('Latest end.'),
    method: Nullable(
      Choice(SIGN_IN_METHODS, {
        description: 'How the user signed in; null for sessions from before version 0.2.0.',
        examples: ['password'],
      }),
    ),
    address: Nullable(
      Type.String({
        description: 'Address of the sign-in, or only its network (setting `ADDRESSES`).',
        examples: ['203.0.113.7'],
      }),
    ),
    user_agent: Nullable(
      Type.String({ description: 'Browser of the sign-in, of which the end may be cut.' }),
    ),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  },
  { title: 'UserSession' },
);
export type UserSession = Static<typeof UserSession>;

export const stateExample: SessionState = {
  user: {
    id: 'user_01jhm3w4t9e3rvbq6d8n2k5x7c',
    email: 'dispatch@nordwind.example',
    name: 'Dispatch',
    role: 'brp',
    permissions: 'admin',
    brp: { id: 'brp_01jhm3vq8ne0grs4f5c3hxkz2b', name: 'Nordwind Direktvermarktung GmbH' },
    account: null,
  },
  scopes: [...SCOPES],
  pending: null,
  expires_at: '2026-01-21T07:45:00Z',
  server_time: '2026-01-14T07:45:00Z',
  customer_base_url: 'https://market.example',
  demo: false,
};

export const portalSessionEndpoints = endpoints('Session', {
  signIn: endpoint({
    method: 'POST',
    path: '/portal/v1/session',
    summary: 'Sign in',
    description: 'The answer sets the session cookie. Needs no session.',
    body: Credentials,
    response: SessionState,
    problems: ['invalid_credentials', 'foreign_origin'],
    ignoresIdempotencyKey: true,
    example: {
      request: { email: stateExample.user.email, password: 'nine gulls over the jetty' },
      response: stateExample,
    },
  }),
  getSession: endpoint({
    method: 'GET',
    path: '/portal/v1/session',
    summary: 'Read the session',
    description: 'The signed-in user and their permissions.',
    response: SessionState,
    problems: ['invalid_session'],
    example: { response: stateExample },
  }),
  signOut: endpoint({
    method: 'DELETE',
    path: '/portal/v1/session',
    summary: 'Sign out',
    description: 'Ends this session.',
    response: Type.Object(
      {
        provider_url: Nullable(
          Type.String({
            format: 'uri',
            description:
              'Where the browser goes to sign out at the identity provider too; null if it did not sign the user in, or offers no sign-out.',
          }),
        ),
      },
      { title: 'SignOut' },
    ),
    problems: ['invalid_session', 'foreign_origin'],
    example: { response: { provider_url: null } },
  }),
  listSessions: endpoint({
    method: 'GET',
    path: '/portal/v1/sessions',
    summary: 'List the own sessions',
    description: `The sessions of the user that have not ended, newest first, ${LIMITS.sessions} at most.`,
    response: Type.Object({ sessions: Type.Array(UserSession) }, { title: 'UserSessionList' }),
    problems: ['invalid_session'],
    example: {
      response: {
        sessions: [
          {
            id: 'ses_01jhm3w8c4e6rv9q2d5n7k1x3b',
            created_at: '2026-01-14T07:45:00Z',
            last_seen_at: '2026-01-14T09:12:00Z',
            expires_at: '2026-01-21T07:45:00Z',
            method: 'password',
            address: '203.0.113.7',
            user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
            current: true,
          },
        ],
      },
    },
  }),
  endSession: endpoint({
    method: 'DELETE',
    path: '/portal/v1/sessions/{session_id}',
    summary: 'End an own session',
    description: 'Takes effect within 5 seconds in every process.',
    status: 204,
    response: Type.Null(),
    problems: ['invalid_session', 'foreign_origin', 'session_not_found'],
    example: { response: null },
  }),
  signOutElsewhere: endpoint({
    method: 'DELETE',
    path: '/portal/v1/session/others',
    summary: 'Sign out everywhere else',
    description: 'Ends all other sessions of the user.',
    status: 204,
    response: Type.Null(),
    problems: ['invalid_session', 'foreign_origin'],
    example: { response: null },
  }),
  changePassword: endpoint({
    method: 'PUT',
    path: '/portal/v1/password',
    summary: 'Change the password',
    description: 'Ends all other sessions of the user.',
    status: 204,
    body: Strict({ current: PasswordInput, new: NewPassword }, { title: 'PasswordChange' }),
    response: Type.Null(),
    problems: ['invalid_session', 'foreign_origin'],
    example: {
      request: { current: 'nine gulls over the jetty', new: 'ten gulls over the harbour' },
      response: null,
    },
  }),
  getInvitation: endpoint({
    method: 'GET',
    path: '/portal/v1/invitations/{token}',
    summary: 'Read an invitation',
    description: 'The user that the link was created for. Needs no session.',
    response: Invitation,
    problems: ['invitation_not_found'],
    example: {
      response: {
        email: stateExample.user.email,
        name: stateExample.user.name,
        role: stateExample.user.role,
        expires_at: '2026-01-17T07:45:00Z',
        providers: [],
      },
    },
  }),
  acceptInvitation: endpoint({
    method: 'POST',
    path: '/portal/v1/invitations/{token}',
    summary: 'Accept an invitation',
    description:
      'Sets the password, signs in and ends all earlier sessions of the user. Works once. Needs no session.',
    body: Strict({ password: NewPassword }, { title: 'InvitationAccept' }),
    response: SessionState,
    problems: ['invitation_not_found', 'sign_in_refused', 'foreign_origin'],
    ignoresIdempotencyKey: true,
    example: { request: { password: 'nine gulls over the jetty' }, response: stateExample },
  }),
});
