import { USER_PERMISSIONS } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import { Choice, LIMITS, Nullable, Strict } from './common.ts';

/** The kind of party that a user works for. */
export const USER_ROLES = ['operator', 'brp', 'account'] as const;
export type UserRole = (typeof USER_ROLES)[number];

export const Permissions = Choice(USER_PERMISSIONS, {
  description:
    '`viewer` reads everything that the role may read. `member` does the daily work: it changes everything but users, keys and webhooks. `admin` changes these too.',
  examples: ['member'],
});

/**
 * What a session lacks before it may be used: `second_factor`, the factor of the user; `set_up`, a factor that the user has
 * to set up first.
 */
export const SESSION_PENDING = ['second_factor', 'set_up'] as const;
export type SessionPending = (typeof SESSION_PENDING)[number];

/** How a session began. */
export const SIGN_IN_METHODS = ['password', 'invitation', 'passkey', 'provider'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** How a sign-in ended. */
export const SIGN_IN_RESULTS = [
  'succeeded',
  'unknown_user',
  'wrong_password',
  'disabled',
  'limited',
  'second_factor_failed',
  'passkey_failed',
  'passkey_cloned',
  'provider_failed',
] as const;
export type SignInResult = (typeof SIGN_IN_RESULTS)[number];

/** Whose sessions need a second factor. */
export const MFA_POLICIES = ['off', 'operators', 'all'] as const;
export type MfaPolicy = (typeof MFA_POLICIES)[number];

export const USER_STATUSES = ['invited', 'active', 'disabled'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

const email = { maxLength: LIMITS.emailLength, examples: ['dispatch@nordwind.example'] };

/** The email of an existing user. It is not validated: older users may have any email. */
export const EmailInput = Type.String({
  ...email,
  format: 'email',
  description: 'Upper and lower case are the same, and so are compatible Unicode forms of a letter.',
});

export const NewEmail = Type.String({
  ...email,
  format: 'new-email',
  description:
    'Without invisible characters, and in letters of one script. Upper and lower case are the same.',
});

/** A new password. Passwords that are only compared are not validated. */
export const NewPassword = Type.String({
  minLength: LIMITS.password.minimum,
  maxLength: LIMITS.password.maximum,
  format: 'text',
  description: `${LIMITS.password.minimum} to ${LIMITS.password.maximum} characters of any kind.`,
  examples: ['nine gulls over the jetty'],
});

export const PasswordInput = Type.String({
  minLength: 1,
  maxLength: LIMITS.password.maximum,
  format: 'text',
  examples: ['nine gulls over the jetty'],
});

const PartyName = (title: string, example: string) =>
  Type.Object({ id: Type.String({ examples: [example] }), name: Type.String() }, { title });

/** Fields of a user that both the user and the operator see. */
export const identityFields = {
  id: Type.String({ examples: ['user_01jhm3w4t9e3rvbq6d8n2k5x7c'] }),
  email: Type.String({ examples: ['dispatch@nordwind.example'] }),
  name: Type.String({ examples: ['Dispatch'] }),
  role: Choice(USER_ROLES, { description: 'The kind of party that the user belongs to.', examples: ['brp'] }),
  permissions: Permissions,
  brp: Nullable(PartyName('UserBrp', 'brp_01jhm3vq8ne0grs4f5c3hxkz2b')),
  account: Nullable(PartyName('UserAccount', 'acc_01jhm3vrc2e5rb4v1p9yqs8n3d')),
};

export const Credentials = Strict(
  { email: EmailInput, password: PasswordInput },
  { title: 'Credentials', description: 'Credentials of a user.' },
);
export type Credentials = Static<typeof Credentials>;
