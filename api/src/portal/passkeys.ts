import Type, { type Static } from 'typebox';
import { DateTime, LIMITS, Name, Nullable, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { SessionState, stateExample } from './session.ts';

const passkeyName = Name('Tells the passkeys of a user apart.', 'Laptop');

export const Passkey = Type.Object(
  {
    id: Type.String({ examples: ['pkey_01jhm3w4t9e3rvbq6d8n2k5x7c'] }),
    name: passkeyName,
    created_at: DateTime('When it was added, by the platform’s clock.'),
    last_used_at: Nullable(DateTime('When a user signed in with it last; null if never.')),
  },
  { title: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;

const Bytes = (description: string, options: object = {}) =>
  Type.String({ minLength: 1, format: 'base64url', description: `${description} In base64url.`, ...options });

/** What is the same in the results of both WebAuthn ceremonies. */
const credentialFields = {
  id: Bytes('Id of the credential.', { maxLength: LIMITS.credentialIdLength }),
  rawId: Bytes('The same.'),
  type: Type.Literal('public-key'),
};
const clientDataJSON = Bytes('What the browser says about the ceremony.');

/** Members that are not listed are ignored: browsers send more of them. */
const NewCredential = Type.Object(
  {
    ...credentialFields,
    response: Type.Object({
      clientDataJSON,
      attestationObject: Bytes('Public key and data of the authenticator.'),
      transports: Type.Optional(
        Type.Array(Type.String({ maxLength: LIMITS.transports.length, format: 'text' }), {
          maxItems: LIMITS.transports.count,
          description: 'How the browser reaches the authenticator.',
          examples: [['internal']],
        }),
      ),
    }),
  },
  { title: 'NewCredential', description: 'Result of `navigator.credentials.create()`, by its `toJSON()`.' },
);
export type NewCredential = Static<typeof NewCredential>;

const UsedCredential = Type.Object(
  {
    ...credentialFields,
    response: Type.Object({
      clientDataJSON,
      authenticatorData: Bytes('Data of the authenticator.'),
      signature: Bytes('Signature of the authenticator.'),
      userHandle: Type.Optional(Nullable(Bytes('The user that the passkey was made for.'))),
    }),
  },
  { title: 'UsedCredential', description: 'Result of `navigator.credentials.get()`, by its `toJSON()`.' },
);
export type UsedCredential = Static<typeof UsedCredential>;

/** Options of a WebAuthn ceremony have members that their own standard describes. */
const Challenge = (title: string, method: string, parser: string) =>
  Type.Object(
    {
      public_key: Type.Unsafe<{ readonly challenge: string }>({
        type: 'object',
        additionalProperties: true,
        description: `Options of \`navigator.credentials.${method}()\`, for \`PublicKeyCredential.${parser}()\`.`,
      }),
    },
    { title },
  );
const CreationChallenge = Challenge('CreationChallenge', 'create', 'parseCreationOptionsFromJSON');
const RequestChallenge = Challenge('RequestChallenge', 'get', 'parseRequestOptionsFromJSON');

const CHALLENGE_RULE =
  'The challenge works once, for five minutes, and only with the cookie that the answer sets.';

const passkeyExample: Passkey = {
  id: 'pkey_01jhm3w4t9e3rvbq6d8n2k5x7c',
  name: 'Laptop',
  created_at: '2026-01-14T07:45:00Z',
  last_used_at: null,
};
const credentialExample = {
  id: '3BcQ147SkQcJ5cuWZn0X1g',
  rawId: '3BcQ147SkQcJ5cuWZn0X1g',
  type: 'public-key',
};
const usedExample = {
  ...credentialExample,
  response: { clientDataJSON: 'eyJ0eXBlIjoi', authenticatorData: 'SZYN5YgOjGh0', signature: 'MEUCIQCCJVhR' },
};
const requestOptions = {
  challenge: 'm1Zr0W7cP2dQx1Zt',
  rpId: 'saldo.example',
  timeout: 300_000,
  userVerification: 'required',
};
const signInBody = Strict({ credential: UsedCredential }, { title: 'PasskeySignIn' });

export const portalPasskeyEndpoints = endpoints('Passkeys', {
  startPasskeySignIn: endpoint({
    method: 'POST',
    path: '/portal/v1/sign-in/passkey/challenge',
    summary: 'Begin to sign in with a passkey',
    description: `Needs no session and no email: the browser offers the passkeys of this platform. ${CHALLENGE_RULE}`,
    response: RequestChallenge,
    problems: ['foreign_origin'],
    ignoresIdempotencyKey: true,
    example: { response: { public_key: requestOptions } },
  }),
  signInWithPasskey: endpoint({
    method: 'POST',
    path: '/portal/v1/sign-in/passkey',
    summary: 'Sign in with a passkey',
    description:
      'Includes the second factor, because a passkey verifies its user. The answer sets the session cookie. Needs no session.',
    body: signInBody,
    response: SessionState,
    problems: ['invalid_credentials', 'foreign_origin'],
    ignoresIdempotencyKey: true,
    example: { request: { credential: usedExample }, response: stateExample },
  }),
  startPasskeyStep: endpoint({
    method: 'POST',
    path: '/portal/v1/session/second-factor/passkey/challenge',
    summary: 'Begin the second step with a passkey',
    description: `Offers the passkeys of the user whose session lacks the second factor. ${CHALLENGE_RULE}`,
    response: RequestChallenge,
    problems: ['invalid_session', 'foreign_origin', 'invalid_status_transition'],
    ignoresIdempotencyKey: true,
    example: {
      response: {
        public_key: {
          ...requestOptions,
          allowCredentials: [{ id: credentialExample.id, type: 'public-key', transports: ['internal'] }],
        },
      },
    },
  }),
  completeWithPasskey: endpoint({
    method: 'POST',
    path: '/portal/v1/session/second-factor/passkey',
    summary: 'Complete a sign-in with a passkey',
    description:
      'The second step after a password: completes a session whose `pending` is `second_factor`. The answer sets a new session cookie; the old one ends.',
    body: signInBody,
    response: SessionState,
    problems: ['invalid_session', 'invalid_credentials', 'foreign_origin', 'invalid_status_transition'],
    ignoresIdempotencyKey: true,
    example: { request: { credential: usedExample }, response: stateExample },
  }),
  listPasskeys: endpoint({
    method: 'GET',
    path: '/portal/v1/passkeys',
    summary: 'List the own passkeys',
    description: `Oldest first. A user has ${LIMITS.passkeys} at most.`,
    response: Type.Object({ passkeys: Type.Array(Passkey) }, { title: 'PasskeyList' }),
    problems: ['invalid_session'],
    example: { response: { passkeys: [passkeyExample] } },
  }),
  startPasskeyRegistration: endpoint({
    method: 'POST',
    path: '/portal/v1/passkeys/challenge',
    summary: 'Begin to add a passkey',
    description: `Needs a sign-in within the last 15 minutes. ${CHALLENGE_RULE}`,
    response: CreationChallenge,
    problems: [
      'invalid_session',
      'foreign_origin',
      'second_factor_required',
      'recent_sign_in_required',
      'too_many_passkeys',
    ],
    ignoresIdempotencyKey: true,
    example: {
      response: {
        public_key: {
          challenge: requestOptions.challenge,
          rp: { id: requestOptions.rpId, name: 'Saldo' },
          user: { id: 'AY0ow1Zt', name: stateExample.user.email, displayName: stateExample.user.name },
          pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
          attestation: 'none',
        },
      },
    },
  }),
  addPasskey: endpoint({
    method: 'POST',
    path: '/portal/v1/passkeys',
    summary: 'Add a passkey',
    description:
      'From now on every sign-in with a password asks for a second factor. Completes a session whose `pending` is `set_up`: the answer then sets a new session cookie.',
    status: 201,
    body: Strict({ name: passkeyName, credential: NewCredential }, { title: 'PasskeyCreate' }),
    response: Passkey,
    problems: ['invalid_session', 'foreign_origin', 'second_factor_required', 'too_many_passkeys'],
    ignoresIdempotencyKey: true,
    example: {
      request: {
        name: passkeyExample.name,
        credential: {
          ...credentialExample,
          response: {
            clientDataJSON: 'eyJ0eXBlIjoi',
            attestationObject: 'o2NmbXRkbm9u',
            transports: ['internal'],
          },
        },
      },
      response: passkeyExample,
    },
  }),
  renamePasskey: endpoint({
    method: 'PATCH',
    path: '/portal/v1/passkeys/{passkey_id}',
    summary: 'Rename a passkey',
    description: 'Changes the name only.',
    body: Strict({ name: passkeyName }, { title: 'PasskeyUpdate' }),
    response: Passkey,
    problems: ['invalid_session', 'foreign_origin', 'passkey_not_found'],
    example: { request: { name: passkeyExample.name }, response: passkeyExample },
  }),
  removePasskey: endpoint({
    method: 'DELETE',
    path: '/portal/v1/passkeys/{passkey_id}',
    summary: 'Remove a passkey',
    description:
      'Needs a sign-in within the last 15 minutes. Refused while a second factor is required and the user has no other.',
    status: 204,
    response: Type.Null(),
    problems: [
      'invalid_session',
      'foreign_origin',
      'recent_sign_in_required',
      'passkey_not_found',
      'invalid_status_transition',
    ],
    example: { response: null },
  }),
});
