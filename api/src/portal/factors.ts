import Type, { type Static } from 'typebox';
import { DateTime, LIMITS, Nullable, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { PasswordInput } from '../users.ts';
import { SessionState, stateExample } from './session.ts';

const FactorCode = Type.String({
  minLength: 1,
  maxLength: LIMITS.factorCodeLength,
  format: 'text',
  description:
    'A one-time code, or a recovery code. Each works once. Spaces, hyphens and the case of letters do not matter.',
  examples: ['492039'],
});

const CodeInput = Strict({ code: FactorCode }, { title: 'CodeInput' });

export const Factors = Type.Object(
  {
    is_required: Type.Boolean({
      description: 'Whether the platform requires a second factor of this user.',
      examples: [true],
    }),
    passkeys: Type.Integer({ description: 'Number of passkeys.', examples: [1] }),
    one_time_code: Nullable(
      Type.Object(
        {
          confirmed_at: DateTime('When it was set up, UTC.'),
          recovery_codes: Type.Integer({
            description: 'Number of recovery codes that have not been used.',
            examples: [10],
          }),
        },
        { title: 'OneTimeCodeFactor' },
      ),
    ),
  },
  { title: 'Factors', description: 'The second factors of the user.' },
);
export type Factors = Static<typeof Factors>;

/** Shown only in this response. */
export const OneTimeCodeSetUp = Type.Object(
  {
    token: Type.String({ description: 'Identifies this set-up when it is confirmed, for ten minutes.' }),
    secret: Type.String({
      description: 'To type into an authenticator app, in base32.',
      examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    }),
    uri: Type.String({ description: 'The same for a QR code: `otpauth://totp/…`.' }),
  },
  { title: 'OneTimeCodeSetUp' },
);
export type OneTimeCodeSetUp = Static<typeof OneTimeCodeSetUp>;

/** Shown only in this response. */
export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String({ examples: ['k3vq-x7mn-2tbd-ahwy'] }), {
      description: 'Each replaces a one-time code once.',
    }),
  },
  { title: 'RecoveryCodes' },
);
export type RecoveryCodes = Static<typeof RecoveryCodes>;

const recoveryExample: RecoveryCodes = {
  recovery_codes: ['k3vq-x7mn-2tbd-ahwy', 'pz5r-6cfe-jq4u-b2ns'],
};

export const portalFactorEndpoints = endpoints('Second factor', {
  completeSignIn: endpoint({
    method: 'POST',
    path: '/portal/v1/session/second-factor',
    summary: 'Complete a sign-in',
    description:
      'The second step after a password: completes a session whose `pending` is `second_factor`. The answer sets a new session cookie; the old one ends.',
    body: CodeInput,
    response: SessionState,
    problems: ['invalid_session', 'foreign_origin', 'invalid_status_transition'],
    ignoresIdempotencyKey: true,
    example: { request: { code: '492039' }, response: stateExample },
  }),
  getFactors: endpoint({
    method: 'GET',
    path: '/portal/v1/factors',
    summary: 'Read the second factors',
    description: 'The second factors of the user, and whether one is required.',
    response: Factors,
    problems: ['invalid_session'],
    example: {
      response: {
        is_required: true,
        passkeys: 1,
        one_time_code: { confirmed_at: '2026-01-14T07:45:00Z', recovery_codes: 10 },
      },
    },
  }),
  beginOneTimeCode: endpoint({
    method: 'POST',
    path: '/portal/v1/one-time-code',
    summary: 'Begin to set up one-time codes',
    description:
      'Creates the secret for an authenticator app. It has no effect until a code confirms it. A session whose `pending` is `set_up` needs nothing else. Others send a code if the user has one-time codes, which the new ones replace; otherwise the password. Users without a password need a session that is less than ten minutes old.',
    body: Strict(
      { password: Type.Optional(PasswordInput), code: Type.Optional(FactorCode) },
      { title: 'OneTimeCodeBegin' },
    ),
    response: OneTimeCodeSetUp,
    problems: [
      'invalid_session',
      'foreign_origin',
      'second_factor_required',
      'insufficient_permissions',
      'invalid_status_transition',
    ],
    ignoresIdempotencyKey: true,
    example: {
      request: { password: 'nine gulls over the jetty' },
      response: {
        token: 'k3…',
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        uri: 'otpauth://totp/Saldo%20Clearing:dispatch%40nordwind.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Saldo%20Clearing&digits=6&period=30',
      },
    },
  }),
  confirmOneTimeCode: endpoint({
    method: 'PUT',
    path: '/portal/v1/one-time-code',
    summary: 'Confirm one-time codes',
    description:
      'The first code of the authenticator app. From now on every sign-in with a password asks for one. Ends all other sessions of the user. Completes a session whose `pending` is `set_up`: the answer then sets a new session cookie.',
    body: Strict(
      {
        token: Type.String({ minLength: 1, maxLength: 100, format: 'text', examples: ['k3…'] }),
        code: FactorCode,
      },
      { title: 'OneTimeCodeConfirm' },
    ),
    response: RecoveryCodes,
    problems: ['invalid_session', 'foreign_origin', 'second_factor_required'],
    example: { request: { token: 'k3…', code: '492039' }, response: recoveryExample },
  }),
  removeOneTimeCode: endpoint({
    method: 'POST',
    path: '/portal/v1/one-time-code/remove',
    summary: 'Remove one-time codes',
    description:
      'Removes one-time codes and recovery codes. Refused while a second factor is required and the user has no other.',
    status: 204,
    body: CodeInput,
    response: Type.Null(),
    problems: ['invalid_session', 'foreign_origin', 'invalid_status_transition'],
    ignoresIdempotencyKey: true,
    example: { request: { code: '492039' }, response: null },
  }),
  renewRecoveryCodes: endpoint({
    method: 'POST',
    path: '/portal/v1/recovery-codes',
    summary: 'Renew the recovery codes',
    description: 'Creates ten new recovery codes. The old ones end.',
    body: CodeInput,
    response: RecoveryCodes,
    problems: ['invalid_session', 'foreign_origin'],
    ignoresIdempotencyKey: true,
    example: { request: { code: '492039' }, response: recoveryExample },
  }),
});
