import type { UserPermissions } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { normalizeEmail } from '@saldo/core/users/email.ts';
import { hashSecret } from '../platform/auth/api-key.ts';
import { type Owner, ownerColumns } from '../platform/auth/principal.ts';
import { newToken } from '../platform/auth/session-credentials.ts';
import type { Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';
import type { Precondition } from '../platform/http/preconditions.ts';
import { problem } from '../platform/http/problem.ts';
import { deleteFactors } from './second-factor.ts';
import { endSessions } from './sessions.ts';
import {
  findUserByEmail,
  getUser,
  lockAdministrators,
  lockUser,
  type UserRow,
  type UsersOf,
} from './store.ts';

/** 72 h: covers a weekend, and limits the risk of a link that stays in a mailbox. */
const INVITATION_MS = 72 * 3600 * 1000;

export type NewUser = { email: string; name: string; owner: Owner; permissions: UserPermissions };

/** Creates a user without a password, who cannot sign in before accepting an invitation. */
export async function createUser(tx: Tx, user: NewUser, now: number): Promise<UserRow> {
  const row = {
    id: newId(),
    email: normalizeEmail(user.email),
    name: user.name,
    role: user.owner.type,
    permissions: user.permissions,
    ...ownerColumns(user.owner),
    created_at: timestamp(now),
  };
  const [made] = await insertRow<{ id: string }>(
    tx,
    'app_user',
    row,
    'on conflict (email) do nothing returning id',
  );
  if (!made) throw problem('already_exists', { key: 'problem.user_exists' });
  return getUser(tx, made.id);
}

const UPDATE_USER = statement(
  'update_user',
  `update app_user set name = $2, permissions = $3, disabled_at = $4,
     invitation_hash = case when $4::timestamptz is null then invitation_hash end,
     invitation_expires_at = case when $4::timestamptz is null then invitation_expires_at end
   where id = $1`,
);

export type UserUpdate = {
  name?: string | undefined;
  permissions?: UserPermissions | undefined;
  disabled?: boolean | undefined;
};

/** Returns the user before and after the change. Disabling a user ends all sessions and revokes the invitation. */
export async function updateUser(
  tx: Tx,
  actor: string,
  of: UsersOf,
  publicId: string,
  update: UserUpdate,
  requireUnchanged: Precondition<UserRow>,
  now: number,
): Promise<{ before: UserRow; after: UserRow }> {
  const { permissions = 'admin', disabled = false } = update;
  const endsAdministration = disabled || permissions !== 'admin';
  const administrators = endsAdministration ? await lockAdministrators(tx) : [];
  const before = await getUserToChange(tx, of, publicId);
  requireUnchanged(before);
  if (endsAdministration && actor === publicId) {
    throw problem('invalid_status_transition', { key: 'problem.own_user' });
  }
  if (administrators.length === 1 && administrators[0] === before.id) {
    throw problem('invalid_status_transition', { key: 'problem.last_administrator' });
  }
  const disabledAt =
    update.disabled === false ? null : (before.disabled_at ?? (update.disabled ? now : null));
  await tx.query(UPDATE_USER, [
    before.id,
    update.name ?? before.name,
    update.permissions ?? before.permissions,
    timestampOrNull(disabledAt),
  ]);
  if (disabledAt !== null) await endSessions(tx, before.id);
  return { before, after: await getUser(tx, before.id) };
}

async function getUserToChange(tx: Tx, of: UsersOf, publicId: string): Promise<UserRow> {
  const user = await lockUser(tx, of, publicId);
  if (user === null) throw problem('user_not_found');
  return user;
}

/** Deletes all second factors of a user who has lost them, and ends the user's sessions. Users cannot reset their own. */
export async function resetFactors(tx: Tx, actor: string, publicId: string): Promise<UserRow> {
  const user = await getUserToChange(tx, 'all', publicId);
  // Otherwise a session would be enough to remove a factor, without a code.
  if (actor === publicId) throw problem('invalid_status_transition', { key: 'problem.own_factors' });
  await deleteFactors(tx, user.id);
  await endSessions(tx, user.id);
  return user;
}

const INVITE = statement(
  'invite_user',
  'update app_user set invitation_hash = $2, invitation_expires_at = $3 where id = $1',
);

/**
 * Creates the token of an invitation link and revokes the previous one. The old password stays valid until the
 * invitation is accepted, because the user may not have requested it. `machineNow` ignores the sandbox clock.
 */
export async function inviteUser(
  tx: Tx,
  of: UsersOf,
  publicId: string,
  machineNow: number,
): Promise<{ token: string; expiresAt: number; before: UserRow; after: UserRow }> {
  const before = await getUserToChange(tx, of, publicId);
  if (before.disabled_at !== null) {
    throw problem('invalid_status_transition', { key: 'problem.user_disabled' });
  }
  const token = newToken();
  const expiresAt = machineNow + INVITATION_MS;
  await tx.query(INVITE, [before.id, hashSecret(token), timestamp(expiresAt)]);
  return { token, expiresAt, before, after: await getUser(tx, before.id) };
}

/** Link to the page that accepts an invitation. The token is in the fragment, which browsers do not send to servers. */
export const invitationLink = (baseUrl: string, token: string): string => `${baseUrl}/invitation#${token}`;

/** Invites the operator user with this email, who is created if needed. An earlier link of the user ends. */
export async function inviteOperator(
  tx: Tx,
  email: string,
  now: number,
): Promise<{ email: string; token: string; isNew: boolean; before: UserRow; after: UserRow }> {
  const known = await findUserByEmail(tx, email);
  if (known !== null && known.role !== 'operator')
    throw problem('already_exists', { key: 'problem.user_of_other_party', email: known.email });
  const owner = { type: 'operator' as const };
  const user = known ?? (await createUser(tx, { email, name: 'Operator', owner, permissions: 'admin' }, now));
  const invited = await inviteUser(tx, owner, encodeId(ID_PREFIX.user, user.id), now);
  return { email: user.email, isNew: known === null, ...invited };
}
