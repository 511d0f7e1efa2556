import Type, { type Static } from 'typebox';
import { Choice, DateTime, Name, Nullable, Page, pageQuery, paginationExample, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { identityFields, NewEmail, Permissions, USER_ROLES, USER_STATUSES } from '../users.ts';

export const User = Type.Object(
  {
    ...identityFields,
    status: Choice(USER_STATUSES, {
      description:
        '`invited` until a password is set or an identity provider has signed the user in; a `disabled` user cannot sign in.',
      examples: ['active'],
    }),
    created_at: DateTime('Creation, UTC.'),
    disabled_at: Nullable(DateTime('When the user was disabled.')),
    last_signed_in_at: Nullable(DateTime('When the user last signed in.')),
    invitation_expires_at: Nullable(
      DateTime('Expiry of the last invitation; null if there is none or it was used.'),
    ),
    providers: Type.Array(Type.String({ examples: ['https://login.nordwind.example'] }), {
      description: 'Issuers of the identity providers that the user has signed in with.',
    }),
  },
  { title: 'User', description: 'A user of the portal.' },
);
export type User = Static<typeof User>;

/** An invitation link is returned only in this response; pass it to the user over a trusted channel. */
export const InvitationLink = Type.Object(
  {
    link: Type.String({
      description:
        'The page on which the user sets a password: `{base}/invitation#{token}`. The part after the `#` is not sent to servers.',
      examples: ['https://saldo.example/invitation#k3…'],
    }),
    expires_at: DateTime('Expiry; it can be used once.'),
  },
  { title: 'InvitationLink' },
);
export type InvitationLink = Static<typeof InvitationLink>;

export const userExample: User = {
  id: 'user_01jhm3w4t9e3rvbq6d8n2k5x7c',
  email: 'dispatch@nordwind.example',
  name: 'Dispatch',
  role: 'brp',
  permissions: 'member',
  brp: { id: 'brp_01jhm3vq8ne0grs4f5c3hxkz2b', name: 'Nordwind Direktvermarktung GmbH' },
  account: null,
  status: 'active',
  created_at: '2025-11-17T09:00:00Z',
  disabled_at: null,
  last_signed_in_at: '2026-01-14T07:45:00Z',
  invitation_expires_at: null,
  providers: [],
};

/** Members of a new user, without its party. */
export const newUserFields = {
  email: NewEmail,
  name: Name('Name of the user.', userExample.name),
  permissions: Permissions,
};

export const UserUpdate = Strict(
  {
    name: Type.Optional(newUserFields.name),
    permissions: Type.Optional(Permissions),
    disabled: Type.Optional(Type.Boolean({ description: 'Whether the user is disabled.', examples: [true] })),
  },
  {
    title: 'UserUpdate',
    'x-read-only': [
      'id',
      'email',
      'role',
      'brp',
      'account',
      'status',
      'created_at',
      'disabled_at',
      'last_signed_in_at',
      'invitation_expires_at',
    ],
  },
);

export const invitationExample: InvitationLink = {
  link: 'https://saldo.example/invitation#k3…',
  expires_at: '2026-01-17T07:45:00Z',
};

export const operatorUserEndpoints = endpoints('Users', {
  createUser: endpoint({
    method: 'POST',
    path: '/operator/v1/users',
    summary: 'Create a user',
    description: 'A user of the portal, who can sign in after accepting an invitation.',
    scopes: ['users:write'],
    status: 201,
    body: Strict(
      {
        ...newUserFields,
        role: Choice(USER_ROLES, {
          description: 'The kind of party that the user belongs to.',
          examples: ['brp'],
        }),
        brp_id: Type.Optional(
          Type.String({ description: 'The BRP, for role `brp`.', examples: [userExample.brp?.id] }),
        ),
        account_id: Type.Optional(
          Type.String({
            description: 'The account, for role `account`.',
            examples: ['acc_01jhm3vrc2e5rb4v1p9yqs8n3d'],
          }),
        ),
      },
      { title: 'UserCreate' },
    ),
    response: User,
    problems: ['already_exists'],
    example: {
      request: {
        email: userExample.email,
        name: userExample.name,
        role: 'brp',
        permissions: 'member',
        brp_id: userExample.brp?.id,
      },
      response: { ...userExample, status: 'invited', last_signed_in_at: null },
    },
  }),
  listUsers: endpoint({
    method: 'GET',
    path: '/operator/v1/users',
    summary: 'List users',
    description: 'All users, oldest first.',
    scopes: ['read'],
    query: Strict({
      role: Type.Optional(Choice(USER_ROLES, { description: 'Only of this role.', examples: ['brp'] })),
      email: Type.Optional(
        Type.String({ description: 'Only the user with this address.', examples: [userExample.email] }),
      ),
      brp_id: Type.Optional(
        Type.String({ description: 'Only this BRP’s.', examples: [userExample.brp?.id] }),
      ),
      account_id: Type.Optional(
        Type.String({
          description: 'Only this account’s.',
          examples: ['acc_01jhm3vrc2e5rb4v1p9yqs8n3d'],
        }),
      ),
      ...pageQuery,
    }),
    response: Page('users', User, 'UserList'),
    example: { response: { users: [userExample], pagination: paginationExample } },
  }),
  getUser: endpoint({
    method: 'GET',
    path: '/operator/v1/users/{user_id}',
    summary: 'Read a user',
    description: 'One user, by its id. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['read'],
    response: User,
    problems: ['user_not_found'],
    conditional: true,
    example: { response: userExample },
  }),
  updateUser: endpoint({
    method: 'PATCH',
    path: '/operator/v1/users/{user_id}',
    summary: 'Change a user',
    description:
      'Changes name, permissions and whether the user is disabled. Disabling ends the user’s sessions at once and revokes their invitation. The operator’s last enabled administrator stays one. `If-Match` is supported.',
    scopes: ['users:write'],
    body: UserUpdate,
    response: User,
    problems: ['user_not_found', 'invalid_status_transition', 'precondition_failed'],
    conditional: true,
    example: { request: { permissions: 'member' }, response: userExample },
  }),
  endUserSessions: endpoint({
    method: 'DELETE',
    path: '/operator/v1/users/{user_id}/sessions',
    summary: 'End the sessions of a user',
    description:
      'Ends all of them, for example of a lost device. Takes effect within 5 seconds in every process.',
    scopes: ['users:write'],
    status: 204,
    response: Type.Null(),
    problems: ['user_not_found'],
    example: { response: null },
  }),
  inviteUser: endpoint({
    method: 'POST',
    path: '/operator/v1/users/{user_id}/invitation',
    summary: 'Invite a user',
    description:
      'Creates a link to set the first or a new password. It works once and for 72 hours, and revokes an earlier one.',
    scopes: ['users:write'],
    status: 201,
    response: InvitationLink,
    problems: ['user_not_found', 'invalid_status_transition'],
    example: { response: invitationExample },
  }),
  resetFactors: endpoint({
    method: 'DELETE',
    path: '/operator/v1/users/{user_id}/factors',
    summary: 'Reset a user’s second factors',
    description:
      'For a user who has lost them: removes one-time codes, recovery codes and passkeys, and ends the user’s sessions. The user sets up a new factor at the next sign-in if one is required. Users cannot reset their own.',
    scopes: ['users:write'],
    status: 204,
    response: Type.Null(),
    problems: ['user_not_found', 'invalid_status_transition'],
    example: { response: null },
  }),
});
