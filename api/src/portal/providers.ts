import Type, { type Static } from 'typebox';
import { Choice, DateTime, LIMITS, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { USER_ROLES } from '../users.ts';
import { SessionState, stateExample } from './session.ts';

/** The button of an identity provider. */
const buttonFields = {
  id: Type.String({ description: 'Id in the settings of the platform.', examples: ['nordwind'] }),
  label: Type.String({ examples: ['Nordwind directory'] }),
};

export const SignInProvider = Type.Object(
  {
    ...buttonFields,
    required: Type.Boolean({
      description:
        'Whether users of the domain in the query cannot sign in with a password. False without a domain.',
    }),
  },
  { title: 'SignInProvider' },
);
export type SignInProvider = Static<typeof SignInProvider>;

export const ProviderLink = Type.Object(
  {
    issuer: Type.String({ examples: ['https://login.nordwind.example'] }),
    label: Type.String({
      description: 'Of its button; the issuer if the settings of the platform no longer have it.',
      examples: ['Nordwind directory'],
    }),
    linked_at: DateTime('First sign-in with this provider.'),
    removable: Type.Boolean({ description: 'Whether the user has another way to sign in.' }),
  },
  { title: 'ProviderLink' },
);
export type ProviderLink = Static<typeof ProviderLink>;

const buttonExample = { id: 'nordwind', label: 'Nordwind directory' };

/** Only paths of the portal: an address of another site would be an open redirect. */
const ReturnPath = Type.String({
  pattern: '^/(?![/\\\\])[^\\\\\\s]*$',
  maxLength: LIMITS.urlLength,
  description: 'The page of the portal to show afterwards.',
  examples: ['/nominations?day=2026-01-15'],
});

export const portalProviderEndpoints = endpoints('Session', {
  listSignInProviders: endpoint({
    method: 'GET',
    path: '/portal/v1/sign-in/providers',
    summary: 'List identity providers',
    description:
      'The identity providers that users can sign in with, and the roles of the demo. Needs no session.',
    query: Strict({
      domain: Type.Optional(
        Type.String({
          maxLength: LIMITS.emailLength,
          description: 'Only those for email addresses of this domain.',
          examples: ['nordwind.example'],
        }),
      ),
    }),
    response: Type.Object(
      {
        providers: Type.Array(SignInProvider),
        demo_roles: Type.Array(Choice(USER_ROLES), {
          description: 'The roles that this browser can sign in as without a password; empty without a demo.',
        }),
      },
      { title: 'SignInProviderList' },
    ),
    example: { response: { providers: [{ ...buttonExample, required: true }], demo_roles: [] } },
  }),
  startProviderSignIn: endpoint({
    method: 'POST',
    path: '/portal/v1/sign-in/providers/{provider_id}',
    summary: 'Sign in with an identity provider',
    description:
      'The answer has the address of the provider to go to, and sets a cookie that binds the sign-in to this browser. The sign-in has to be completed within five minutes. Needs no session.',
    body: Strict(
      {
        return_to: Type.Optional(ReturnPath),
        invitation: Type.Optional(
          Type.String({
            maxLength: LIMITS.externalIdLength,
            description: 'Token of the invitation that the user accepts in this way.',
            examples: ['k3…'],
          }),
        ),
      },
      { title: 'ProviderSignInStart' },
    ),
    response: Type.Object(
      { url: Type.String({ format: 'uri', description: 'Where the browser goes next.' }) },
      { title: 'ProviderAddress' },
    ),
    problems: ['sign_in_refused', 'invitation_not_found', 'foreign_origin'],
    ignoresIdempotencyKey: true,
    example: {
      request: { return_to: '/nominations' },
      response: { url: 'https://login.nordwind.example/authorize?client_id=saldo&state=k3…' },
    },
  }),
  completeProviderSignIn: endpoint({
    method: 'POST',
    path: '/portal/v1/sign-in/providers/{provider_id}/callback',
    summary: 'Complete the sign-in with an identity provider',
    description:
      'Takes the parameters that the provider has sent to `{base}/sign-in/return/{provider_id}`. The answer sets the session cookie. Works once, in the browser that has started the sign-in. Needs no session.',
    body: Strict(
      {
        query: Type.String({
          maxLength: LIMITS.headerBytes,
          description: 'The query of that address, as it is.',
          examples: ['?code=x9…&state=k3…'],
        }),
      },
      { title: 'ProviderCallback' },
    ),
    response: Type.Object({ session: SessionState, return_to: ReturnPath }, { title: 'ProviderSignIn' }),
    problems: ['sign_in_refused', 'foreign_origin'],
    ignoresIdempotencyKey: true,
    example: {
      request: { query: '?code=x9…&state=k3…' },
      response: { session: stateExample, return_to: '/nominations' },
    },
  }),
  listProviderLinks: endpoint({
    method: 'GET',
    path: '/portal/v1/provider-links',
    summary: 'List the user’s identity providers',
    description: 'The identity providers that the user has signed in with.',
    response: Type.Object({ links: Type.Array(ProviderLink) }, { title: 'ProviderLinkList' }),
    problems: ['invalid_session'],
    example: {
      response: {
        links: [
          {
            issuer: 'https://login.nordwind.example',
            label: buttonExample.label,
            linked_at: '2026-01-12T07:45:00Z',
            removable: true,
          },
        ],
      },
    },
  }),
  removeProviderLink: endpoint({
    method: 'DELETE',
    path: '/portal/v1/provider-links',
    summary: 'Unlink an identity provider',
    description:
      'The account at the provider no longer signs this user in. The next sign-in there links it again, by its verified email address.',
    status: 204,
    query: Strict({
      issuer: Type.String({
        maxLength: LIMITS.urlLength,
        description: 'Issuer of the link.',
        examples: ['https://login.nordwind.example'],
      }),
    }),
    response: Type.Null(),
    problems: ['invalid_session', 'foreign_origin', 'invalid_status_transition'],
    example: { response: null },
  }),
});
