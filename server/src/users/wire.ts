import type { Invitation, SessionUser, User, UserStatus } from '@saldo/api';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX, type IdPrefix } from '@saldo/core/id.ts';
import type { UserRow } from './store.ts';

const partyOf = (prefix: IdPrefix, id: string | null, name: string | null) =>
  id === null || name === null ? null : { id: encodeId(prefix, id), name };

export const wireIdentity = (row: UserRow): SessionUser => ({
  id: encodeId(ID_PREFIX.user, row.id),
  email: row.email,
  name: row.name,
  role: row.role,
  permissions: row.permissions,
  brp: partyOf(ID_PREFIX.brp, row.brp_id, row.brp_name),
  account: partyOf(ID_PREFIX.account, row.account_id, row.account_name),
});

function statusOf(row: UserRow): UserStatus {
  if (row.disabled_at !== null) return 'disabled';
  return row.password_hash === null && row.providers.length === 0 ? 'invited' : 'active';
}

export const wireUser = (row: UserRow): User => ({
  ...wireIdentity(row),
  status: statusOf(row),
  created_at: formatInstant(row.created_at),
  disabled_at: formatInstantOrNull(row.disabled_at),
  last_signed_in_at: formatInstantOrNull(row.last_signed_in_at),
  invitation_expires_at: formatInstantOrNull(row.invitation_expires_at),
  providers: row.providers,
});

export function wireInvitation(row: UserRow, providers: Invitation['providers']): Invitation {
  if (row.invitation_expires_at === null) throw new Error('who is found by an invitation has one');
  return {
    email: row.email,
    name: row.name,
    role: row.role,
    expires_at: formatInstant(row.invitation_expires_at),
    providers,
  };
}
