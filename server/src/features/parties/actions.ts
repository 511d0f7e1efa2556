import type { Scope, Tso } from '@saldo/api';
import { hashSecret, type KeyKind, newSecret, shownPrefix } from '../../auth/api-key.ts';
import { type Db, statement, type Tx } from '../../db/database.ts';
import { newId } from '../../db/new-id.ts';
import { timestamp, timestampOrNull } from '../../db/wire-types.ts';

export type Brp = { no: number; id: string; name: string };

const INSERT_BRP = statement(
  'insert_brp',
  'insert into brp (id, name, created_at) values ($1, $2, $3) returning no, id, name',
);

export async function createBrp(tx: Tx, input: { name: string }, now: number): Promise<Brp> {
  const [brp] = await tx.query<Brp>(INSERT_BRP, [newId(), input.name, timestamp(now)]);
  if (!brp) throw new Error('an insert returns its row');
  return brp;
}

const INSERT_BALANCE_GROUP = statement(
  'insert_balance_group',
  'insert into balance_group (eic, brp_no, name, created_at) values ($1, $2, $3, $4)',
);
const ENABLE_TSOS = statement(
  'enable_tsos',
  `insert into position (eic, tso, brp_no, enabled)
   select $1, tso, $2, true from unnest($3::tso[]) as tso
   on conflict (eic, tso) do update set enabled = true`,
);

/** A balance group exists per control area: each enabled TSO makes it a position that can be netted. */
export async function createBalanceGroup(
  tx: Tx,
  input: { brpNo: number; eic: string; name: string; tsos: readonly Tso[] },
  now: number,
): Promise<void> {
  await tx.query(INSERT_BALANCE_GROUP, [input.eic, input.brpNo, input.name, timestamp(now)]);
  await tx.query(ENABLE_TSOS, [input.eic, input.brpNo, input.tsos]);
}

export type Account = { no: number; id: string; name: string };

const INSERT_ACCOUNT = statement(
  'insert_account',
  'insert into account (id, name, created_at) values ($1, $2, $3) returning no, id, name',
);

export async function createAccount(tx: Tx, input: { name: string }, now: number): Promise<Account> {
  const [account] = await tx.query<Account>(INSERT_ACCOUNT, [newId(), input.name, timestamp(now)]);
  if (!account) throw new Error('an insert returns its row');
  return account;
}

export type KeyOwner =
  | { type: 'brp'; brpNo: number }
  | { type: 'account'; accountNo: number }
  | { type: 'operator' };

export type NewKey = {
  owner: KeyOwner;
  name: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
};

const INSERT_KEY = statement(
  'insert_api_key',
  `insert into api_key (id, hash, prefix, name, owner, brp_no, account_no, scopes, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (hash) do nothing`,
);

async function storeKey(tx: Tx, key: NewKey, secret: string, now: number): Promise<string> {
  const { owner } = key;
  const id = newId();
  await tx.query(INSERT_KEY, [
    id,
    hashSecret(secret),
    shownPrefix(owner.type satisfies KeyKind, secret),
    key.name,
    owner.type,
    owner.type === 'brp' ? owner.brpNo : null,
    owner.type === 'account' ? owner.accountNo : null,
    key.scopes,
    timestamp(now),
    timestampOrNull(key.expiresAt),
  ]);
  return id;
}

/** The secret is in this one answer and nowhere else. */
export async function createApiKey(
  tx: Tx,
  key: NewKey,
  now: number,
): Promise<{ id: string; secret: string }> {
  const secret = newSecret(key.owner.type);
  return { id: await storeKey(tx, key, secret, now), secret };
}

const FIRST_OPERATOR_KEY: NewKey = {
  owner: { type: 'operator' },
  name: 'first operator key',
  scopes: [],
  expiresAt: null,
};

const FIND_OPERATOR_KEY = statement(
  'find_operator_key',
  "select id from api_key where owner = 'operator' and revoked_at is null limit 1",
);

/**
 * Sees to it that the operator can get in. A key from the environment is stored as it is; without one, the first
 * start makes a key and gives it back to be told once.
 */
export async function ensureOperatorKey(
  tx: Tx,
  fromEnvironment: string | null,
  now: number,
): Promise<string | null> {
  if (fromEnvironment !== null) {
    await storeKey(tx, FIRST_OPERATOR_KEY, fromEnvironment, now);
    return null;
  }
  const [known] = await tx.query(FIND_OPERATOR_KEY);
  return known ? null : createOperatorKey(tx, now);
}

export async function createOperatorKey(tx: Tx, now: number): Promise<string> {
  return (await createApiKey(tx, FIRST_OPERATOR_KEY, now)).secret;
}

const COUNT_BRPS = statement('any_brp', 'select exists (select from brp) as found');

export async function hasAnyBrp(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(COUNT_BRPS);
  return row?.found === true;
}
