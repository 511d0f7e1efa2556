import type { UserPermissions, UserRole } from '@saldo/api';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { normalizeEmail } from '@saldo/core/users/email.ts';
import { type Owner, ownerValues } from '../platform/auth/principal.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList, PAGE_ROWS } from '../platform/db/filtered-list.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

export type UserRow = {
  id: string;
  email: string;
  name: string;
  role: UserRole;
  permissions: UserPermissions;
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

const usersOf = (source: string) => `select u.id, u.email, u.name, u.role::text as role,
    u.permissions::text as permissions, b.id as brp_id, b.name as brp_name, a.id as account_id, a.name as account_name,
    u.created_at, u.disabled_at, u.password_hash, u.last_signed_in_at, u.invitation_expires_at,
    array(select p.issuer from provider_subject p where p.user_id = u.id order by p.issuer) as providers
  from ${source} u left join brp b on b.no = u.brp_no left join account a on a.no = u.account_no`;
const USER = usersOf('app_user');

/** $1 id of the last row on the previous page, $2 row limit. */
const userPage = (where: string) =>
  `${usersOf(`(select u.* from app_user u where u.id > $1 and ${where} order by u.id limit ${PAGE_ROWS})`)}
   order by u.id limit $2`;

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
  text: userPage,
});
const FIND_USER = statement('find_user', `${USER} where u.id = $1`);
const FIND_BY_EMAIL = statement('find_user_by_email', `${USER} where u.email = $1`);
const FIND_INVITED = statement(
  'find_invited_user',
  `${USER} where u.invitation_hash = $1 and u.invitation_expires_at > $2 and u.disabled_at is null`,
);

/** One statement per kind of owner, because each kind has its own index. There is one operator, which has no number. */
const ownUsers = (type: Owner['type'], isOwn: (parameter: string) => string) => ({
  find: statement(`find_own_user_of_${type}`, `${USER} where u.id = $1 and ${isOwn('$2')}`),
  list: statement(`list_own_users_of_${type}`, userPage(isOwn('$3'))),
});
const OWN_USERS = {
  brp: ownUsers('brp', (brpNo) => `u.brp_no = ${brpNo}`),
  account: ownUsers('account', (accountNo) => `u.account_no = ${accountNo}`),
  operator: ownUsers('operator', () => "u.role = 'operator'"),
};

/** Restricts users to those of one owner. `all` is for the operator, who may change all users. */
export type UsersOf = Owner | 'all';

const LOCK_ADMINISTRATORS = statement(
  'lock_operator_administrators',
  `select id from app_user where role = 'operator' and permissions = 'admin' and disabled_at is null
   order by id for update`,
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

export const listOwnUsers = (
  db: Db,
  owner: Owner,
  page: { after: string; count: number },
): Promise<UserRow[]> =>
  db.query<UserRow>(OWN_USERS[owner.type].list, [page.after, page.count, ...ownerValues(owner)]);

export async function getUser(db: Db, id: string): Promise<UserRow> {
  const [row] = await db.query<UserRow>(FIND_USER, [id]);
  if (!row) throw new Error('users are never deleted');
  return row;
}

/** Finds a user by public id. Null for a malformed id as well as for an unknown one and one of another owner. */
export async function findUser(db: Db, of: UsersOf, publicId: string): Promise<UserRow | null> {
  const id = decodeId(ID_PREFIX.user, publicId);
  if (id === null) return null;
  const [row] =
    of === 'all'
      ? await db.query<UserRow>(FIND_USER, [id])
      : await db.query<UserRow>(OWN_USERS[of.type].find, [id, ...ownerValues(of)]);
  return row ?? null;
}

/**
 * Locks the enabled administrators of the operator and returns their ids. Before a change that could remove the last
 * one they are locked first, always in the same order, so that two such changes wait for each other.
 */
export async function lockAdministrators(tx: Tx): Promise<string[]> {
  return (await tx.query<{ id: string }>(LOCK_ADMINISTRATORS)).map(({ id }) => id);
}

/** Locks a user that exists for this transaction. */
export async function lockUserById(tx: Tx, id: string): Promise<UserRow> {
  await tx.query(LOCK_USER, [id]);
  return getUser(tx, id);
}

/** Locks the user for this transaction, then reads the row, so that the values are current. */
export async function lockUser(tx: Tx, of: UsersOf, publicId: string): Promise<UserRow | null> {
  const id = decodeId(ID_PREFIX.user, publicId);
  if (id !== null) await tx.query(LOCK_USER, [id]);
  return findUser(tx, of, publicId);
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
