import { OPERATOR_SCOPES, type Scope, type Tso } from '@saldo/api';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { changedMembers } from '../events/changed-members.ts';
import { appendEvents } from '../events/store.ts';
import { hashSecret, type KeyKind, newSecret, shownPrefix } from '../platform/auth/api-key.ts';
import { type Owner, ownerColumns, ownerOf } from '../platform/auth/principal.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';
import type { Precondition } from '../platform/http/preconditions.ts';
import { problem } from '../platform/http/problem.ts';
import {
  type BalanceGroupRow,
  findBalanceGroup,
  findTsosInUse,
  getKey,
  type KeyRow,
  type KeysOf,
  lockBalanceGroup,
  lockKey,
  PARTY,
  type PartyRow,
} from './store.ts';

type NewParty = Pick<PartyRow, 'name'>;

async function insertParty(tx: Tx, table: 'brp' | 'account', { name }: NewParty, now: number) {
  const row = { id: newId(), name, created_at: timestamp(now) };
  const [party] = await insertRow<PartyRow>(tx, table, row, `returning ${PARTY}`);
  if (!party) throw new Error('an insert returns its row');
  return party;
}

export const createBrp = (tx: Tx, input: NewParty, now: number): Promise<PartyRow> =>
  insertParty(tx, 'brp', input, now);

export const createAccount = (tx: Tx, input: NewParty, now: number): Promise<PartyRow> =>
  insertParty(tx, 'account', input, now);

const ENABLE_TSOS = statement(
  'enable_tsos',
  `insert into position (eic, tso, brp_no, enabled)
   select $1, tso, $2, true from unnest($3::tso[]) as tso
   on conflict (eic, tso) do update set enabled = true`,
);

/** Creates a balance group with one position per enabled TSO. Netting works on positions. */
export async function createBalanceGroup(
  tx: Tx,
  { brpNo, eic, name, tsos }: { brpNo: number; eic: string; name: string; tsos: readonly Tso[] },
  now: number,
): Promise<void> {
  const row = { eic, brp_no: brpNo, name, created_at: timestamp(now) };
  const [made] = await insertRow(tx, 'balance_group', row, 'on conflict (eic) do nothing returning eic');
  if (!made) throw problem('already_exists', { key: 'problem.balance_group_exists', eic });
  await tx.query(ENABLE_TSOS, [eic, brpNo, tsos]);
}

const RENAME_BALANCE_GROUP = statement(
  'rename_balance_group',
  'update balance_group set name = $2 where eic = $1',
);
const DISABLE_OTHER_TSOS = statement(
  'disable_other_tsos',
  'update position set enabled = false where eic = $1 and enabled and tso <> all($2::tso[])',
);

export type BalanceGroupUpdate = { name?: string | undefined; tsos?: readonly Tso[] | undefined };

/**
 * Applies all changes or none. `tsos` is the complete set: other TSOs are disabled, unless they are in use. Positions of
 * disabled TSOs stay, because past transactions and nominations refer to them.
 */
export async function updateBalanceGroup(
  tx: Tx,
  viewer: Viewer,
  eic: string,
  update: BalanceGroupUpdate,
  requireUnchanged: Precondition<BalanceGroupRow>,
  now: number,
): Promise<{ before: BalanceGroupRow; after: BalanceGroupRow }> {
  const before = await lockBalanceGroup(tx, viewer, eic);
  if (before === null) throw balanceGroupNotFound();
  requireUnchanged(before);
  const { name, tsos } = update;
  if (tsos !== undefined) {
    const disabled = before.tsos.filter((tso) => !tsos.includes(tso));
    const used = await findTsosInUse(tx, eic, disabled, dayOf(now));
    if (used.length > 0) {
      throw problem('position_in_use', { key: 'problem.position_in_use', eic, tsos: used });
    }
    await tx.query(DISABLE_OTHER_TSOS, [eic, tsos]);
    await tx.query(ENABLE_TSOS, [eic, before.brp_no, tsos]);
  }
  if (name !== undefined) await tx.query(RENAME_BALANCE_GROUP, [eic, name]);
  const after = await getBalanceGroup(tx, viewer, eic);
  const settings = (row: BalanceGroupRow) => ({ name: row.name, enabled_tsos: row.tsos });
  const changed = changedMembers(settings(before), settings(after));
  if (changed.length > 0) {
    const data = { object: 'balance_group', eic, changed } as const;
    await appendEvents(tx, [{ type: 'balance_group.updated', tenants: [`brp/${before.brp_no}`], data }], now);
  }
  return { before, after };
}

/** Throws the same problem for an unknown balance group as for one that the viewer must not see. */
export async function getBalanceGroup(db: Db, viewer: Viewer, eic: string): Promise<BalanceGroupRow> {
  const row = await findBalanceGroup(db, viewer, eic);
  if (row === null) throw balanceGroupNotFound();
  return row;
}

const balanceGroupNotFound = () => problem('balance_group_not_found');

export type NewKey = {
  owner: Owner;
  name: string;
  scopes: readonly Scope[];
  /** Null: the key may be used from anywhere. */
  allowedAddresses?: readonly string[] | null;
  expiresAt: number | null;
};

async function storeKey(tx: Tx, key: NewKey, secret: string, now: number): Promise<string> {
  const { owner } = key;
  const id = newId();
  const row = {
    id,
    hash: hashSecret(secret),
    prefix: shownPrefix(owner.type satisfies KeyKind, secret),
    name: key.name,
    owner: owner.type,
    ...ownerColumns(owner),
    scopes: key.scopes,
    allowed_addresses: key.allowedAddresses ?? null,
    created_at: timestamp(now),
    expires_at: timestampOrNull(key.expiresAt),
  };
  await insertRow(tx, 'api_key', row, 'on conflict (hash) do nothing');
  return id;
}

/** Creates a key. The secret is returned only here; the database stores its hash. */
export async function createApiKey(
  tx: Tx,
  key: NewKey,
  now: number,
): Promise<{ id: string; secret: string }> {
  const secret = newSecret(key.owner.type);
  return { id: await storeKey(tx, key, secret, now), secret };
}

const END_KEY = statement('end_api_key', 'update api_key set revoked_at = $2, expires_at = $3 where id = $1');

async function getKeyToChange(tx: Tx, of: KeysOf, publicId: string): Promise<KeyRow> {
  const id = decodeId(ID_PREFIX.key, publicId);
  const key = id === null ? null : await lockKey(tx, of, id);
  if (key === null) throw problem('api_key_not_found');
  return key;
}

export type KeyChange = { before: KeyRow; after: KeyRow };

/** Revokes a key. Returns null when the key is already revoked. */
export async function revokeApiKey(
  tx: Tx,
  of: KeysOf,
  publicId: string,
  now: number,
): Promise<KeyChange | null> {
  const before = await getKeyToChange(tx, of, publicId);
  if (before.revoked_at !== null) return null;
  await tx.query(END_KEY, [before.id, timestamp(now), timestampOrNull(before.expires_at)]);
  return { before, after: await getKey(tx, before.id) };
}

/** Replaces an active key. The old key stays valid for `graceMs`, but not beyond its own expiry. */
export async function rotateApiKey(
  tx: Tx,
  of: KeysOf,
  publicId: string,
  graceMs: number,
  now: number,
): Promise<{ old: KeyChange; id: string; secret: string }> {
  const before = await getKeyToChange(tx, of, publicId);
  const { revoked_at: revokedAt, expires_at: expiresAt } = before;
  if (revokedAt !== null) throw cannotRotate('revoked');
  if (expiresAt !== null && expiresAt <= now) throw cannotRotate('expired');
  const endsAt = Math.min(now + graceMs, expiresAt ?? Number.POSITIVE_INFINITY);
  await tx.query(
    END_KEY,
    graceMs === 0
      ? [before.id, timestamp(now), timestampOrNull(expiresAt)]
      : [before.id, null, timestamp(endsAt)],
  );
  const { name, scopes, allowed_addresses: allowedAddresses } = before;
  const key: NewKey = { owner: ownerOf(before), name, scopes, allowedAddresses, expiresAt };
  const made = await createApiKey(tx, key, now);
  return { old: { before, after: await getKey(tx, before.id) }, ...made };
}

const cannotRotate = (how: 'revoked' | 'expired') =>
  problem('invalid_status_transition', { key: 'problem.key_transition', status: { key: `problem.${how}` } });

/** A key with all scopes, for those who have access to the server's machine. */
export const operatorKeyNamed = (name: string): NewKey => ({
  owner: { type: 'operator' },
  name,
  scopes: OPERATOR_SCOPES,
  expiresAt: null,
});

const FIRST_KEY = operatorKeyNamed('first operator key');
const ENVIRONMENT_KEY = operatorKeyNamed('operator key of SALDO_OPERATOR_KEY');

/** Stores the key of the environment unless it is stored. */
export async function ensureOperatorKey(tx: Tx, fromEnvironment: string, now: number): Promise<void> {
  await storeKey(tx, ENVIRONMENT_KEY, fromEnvironment, now);
}

const FIND_OPERATOR_KEY = statement(
  'find_operator_key',
  "select id from api_key where owner = 'operator' and revoked_at is null limit 1",
);

export async function hasOperatorKey(db: Db): Promise<boolean> {
  return (await db.query(FIND_OPERATOR_KEY)).length > 0;
}

const DELETE_FIRST_KEY = statement(
  'delete_first_key',
  "delete from api_key where owner = 'operator' and name = $1 and last_used_at is null",
);

/** Creates the operator's first key, in place of one that was never used. Only its hash can be read afterwards. */
export async function renewFirstKey(tx: Tx, now: number): Promise<string> {
  await tx.query(DELETE_FIRST_KEY, [FIRST_KEY.name]);
  return (await createApiKey(tx, FIRST_KEY, now)).secret;
}

const COUNT_BRPS = statement('any_brp', 'select exists (select from brp) as found');

export async function hasAnyBrp(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(COUNT_BRPS);
  return row?.found === true;
}
