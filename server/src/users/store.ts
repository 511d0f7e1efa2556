import type { UserRole } from '@saldo/api';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { normalizeEmail } from '@saldo/core/users/email.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList, PAGE_ROWS } from '../platform/db/filtered-list.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

export type UserRow = {
  id: string;
  email: string;
  name: string;
  role: UserRole;
  may_manage: boolean;
  brp_id: string | null;
  brp_name: string | null;
  account_id: string | null;
  account_name: string | null;
  created_at: number;
  disabled_at: number | null;
  password_hash: string | null;
  last_signed_in_at: number | null;
  invitation_expires_at: number | null;
  /** Issuers of the identity providers that the user is linked with. */
  providers: string[];
};

const usersOf = (source: string) => `select u.id, u.email, u.name, u.role::text as role, u.may_manage,
    b.id as brp_id, b.name as brp_name, a.id as account_id, a.name as account_name,
    u.created_at, u.disabled_at, u.password_hash, u.last_signed_in_at, u.invitation_expires_at,
    array(select p.issuer from provider_subject p where p.user_id = u.id order by p.issuer) as providers
  from ${source} u left join brp b on b.no = u.brp_no left join account a on a.no = u.account_no`;
const USER = usersOf('app_user');

/** $1 id of the last row on the previous page, $2 row limit. */
const LIST_USERS = filteredList({
  make: statement,
  name: 'list_users',
  ownParameters: 2,
  filters: {
    email: { type: 'text', condition: (email) => `u.email = ${email}` },
    brpId: { type: 'uuid', condition: (id) => `u.brp_no = (select no from brp where id = ${id})` },
    accountId: {
      type: 'uuid',
      condition: (id) => `u.account_no = (select no from account where id = ${id})`,
    },
    role: { type: 'key_owner', condition: (role) => `u.role = ${role}` },
  },
  leads: ['email', 'brpId', 'accountId', 'role'],
  text: (where) =>
    `${usersOf(`(select u.* from app_user u where u.id > $1 and ${where} order by u.id limit ${PAGE_ROWS})`)}
     order by u.id limit $2`,
});
const FIND_USER = statement('find_user', `${USER} where u.id = $1`);
const FIND_BY_EMAIL = statement('find_user_by_email', `${USER} where u.email = $1`);
const FIND_INVITED = statement(
  'find_invited_user',
  `${USER} where u.invitation_hash = $1 and u.invitation_expires_at > $2 and u.disabled_at is null`,
);
const LOCK_USER = statement('lock_user', 'select from app_user where id = $1 for update');
const LOCK_INVITED = statement(
  'lock_invited_user',
  'select from app_user where invitation_hash = $1 for update',
);
const ANY_OPERATOR = statement('any_operator_user', "select from app_user where role = 'operator' limit 1");

export type UserFilter = {
  role: UserRole | null;
  email: string | null;
  brpId: string | null;
  accountId: string | null;
};

export const listUsers = (
  db: Db,
  filter: UserFilter,
  page: { after: string; count: number },
): Promise<UserRow[]> => {
  const email = filter.email === null ? null : normalizeEmail(filter.email);
  return db.query<UserRow>(...LIST_USERS([page.after, page.count], { ...filter, email }));
};

export async function getUser(db: Db, id: string): Promise<UserRow> {
  const [row] = await db.query<UserRow>(FIND_USER, [id]);
  if (!row) throw new Error('users are never deleted');
  return row;
}

/** Finds a user by public id. Null for a malformed id as well as for an unknown one. */
export async function findUser(db: Db, publicId: string): Promise<UserRow | null> {
  const id = decodeId(ID_PREFIX.user, publicId);
  if (id === null) return null;
  const [row] = await db.query<UserRow>(FIND_USER, [id]);
  return row ?? null;
}

/** Locks the user for this transaction, then reads the row, so that the values are current. */
export async function lockUser(tx: Tx, publicId: string): Promise<UserRow | null> {
  const id = decodeId(ID_PREFIX.user, publicId);
  if (id !== null) await tx.query(LOCK_USER, [id]);
  return findUser(tx, publicId);
}

/** The same for a user that exists. */
export async function lockUserById(tx: Tx, id: string): Promise<UserRow> {
  await tx.query(LOCK_USER, [id]);
  return getUser(tx, id);
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>(FIND_BY_EMAIL, [normalizeEmail(email)]);
  return row ?? null;
}

/** Finds the user of an invitation that has not expired. `now` ignores the sandbox clock. */
export async function findInvited(db: Db, tokenHash: Buffer, now: number): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>(FIND_INVITED, [tokenHash, timestamp(now)]);
  return row ?? null;
}

/** Locks the invitation, so that only one of two concurrent requests can accept it. */
export async function lockInvited(tx: Tx, tokenHash: Buffer, now: number): Promise<UserRow | null> {
  await tx.query(LOCK_INVITED, [tokenHash]);
  return findInvited(tx, tokenHash, now);
}

export async function hasOperatorUser(db: Db): Promise<boolean> {
  return (await db.query(ANY_OPERATOR)).length > 0;
}
