import { Page, pageQuery, paginationExample, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import {
  InvitationLink,
  invitationExample,
  newUserFields,
  User,
  UserUpdate,
  userExample,
} from '../operator/users.ts';

const readProblems = ['invalid_session', 'insufficient_permissions'] as const;
const changeProblems = [...readProblems, 'foreign_origin'] as const;
const path = '/portal/v1/users';

/** Users of the BRP or account that the user works for. All operations need the permissions `admin`. */
export const portalUserEndpoints = endpoints('Own records', {
  listOwnUsers: endpoint({
    method: 'GET',
    path,
    summary: 'List the own users',
    description: 'Users of the user’s BRP or account, oldest first. For administrators.',
    query: Strict(pageQuery),
    response: Page('users', User, 'OwnUserList'),
    problems: readProblems,
    example: { response: { users: [userExample], pagination: paginationExample } },
  }),
  createOwnUser: endpoint({
    method: 'POST',
    path,
    summary: 'Create an own user',
    description:
      'A user of the same BRP or account, who can sign in after accepting an invitation. For administrators.',
    status: 201,
    body: Strict(newUserFields, { title: 'OwnUserCreate' }),
    response: User,
    problems: [...changeProblems, 'already_exists'],
    example: {
      request: { email: userExample.email, name: userExample.name, permissions: 'member' },
      response: { ...userExample, status: 'invited', last_signed_in_at: null },
    },
  }),
  getOwnUser: endpoint({
    method: 'GET',
    path: `${path}/{user_id}`,
    summary: 'Read an own user',
    description:
      'One user of the same BRP or account. The answer has an `ETag`; `If-None-Match` is supported. For administrators.',
    response: User,
    problems: [...readProblems, 'user_not_found'],
    conditional: true,
    example: { response: userExample },
  }),
  updateOwnUser: endpoint({
    method: 'PATCH',
    path: `${path}/{user_id}`,
    summary: 'Change an own user',
    description:
      'Changes name, permissions and whether the user is disabled. Disabling ends the user’s sessions at once and revokes their invitation. `If-Match` is supported. For administrators.',
    body: UserUpdate,
    response: User,
    problems: [...changeProblems, 'user_not_found', 'invalid_status_transition', 'precondition_failed'],
    conditional: true,
    example: { request: { permissions: 'member' }, response: userExample },
  }),
  inviteOwnUser: endpoint({
    method: 'POST',
    path: `${path}/{user_id}/invitation`,
    summary: 'Invite an own user',
    description:
      'Creates a link to set the first or a new password. It works once and for 72 hours, and revokes an earlier one. For administrators.',
    status: 201,
    response: InvitationLink,
    problems: [...changeProblems, 'user_not_found', 'invalid_status_transition'],
    example: { response: invitationExample },
  }),
});
