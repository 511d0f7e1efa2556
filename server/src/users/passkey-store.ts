import type { Passkey } from '@saldo/api';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

export type PasskeyRow = {
  id: string;
  user_id: string;
  name: string;
  credential_id: Buffer;
  public_key: Buffer;
  transports: string[];
  created_at: number;
  last_used_at: number | null;
};

/** What the authenticator has said about a new passkey. */
export type VerifiedCredential = {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
};

const COLUMNS = 'id, user_id, name, credential_id, public_key, transports, created_at, last_used_at';

const LIST = statement('list_passkeys', `select ${COLUMNS} from passkey where user_id = $1 order by id`);
const FIND_BY_CREDENTIAL = statement(
  'find_passkey_by_credential',
  `select ${COLUMNS} from passkey where credential_id = $1`,
);
/** An authenticator whose count stays 0 does not count. */
const RECORD_USE = statement(
  'record_use_of_passkey',
  `update passkey set sign_count = $2, last_used_at = $3
   where id = $1 and (sign_count = 0 or sign_count < $2) returning id`,
);
const RENAME = statement('rename_passkey', `update passkey set name = $2 where id = $1 returning ${COLUMNS}`);
const EXISTS = statement('has_passkey', 'select exists (select from passkey where user_id = $1) as found');
const REMOVE_ALL = statement('delete_passkeys', 'delete from passkey where user_id = $1');
const REMOVE = statement('remove_passkey', 'delete from passkey where id = $1');

export const listPasskeys = (db: Db, userId: string): Promise<PasskeyRow[]> =>
  db.query<PasskeyRow>(LIST, [userId]);

export async function hasPasskey(db: Db, userId: string): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(EXISTS, [userId]);
  return row?.found === true;
}

export async function findByCredential(db: Db, credentialId: Buffer): Promise<PasskeyRow | null> {
  const [row] = await db.query<PasskeyRow>(FIND_BY_CREDENTIAL, [credentialId]);
  return row ?? null;
}

/** Null if the credential is a passkey already, of whatever user. */
export async function insertPasskey(
  tx: Tx,
  passkey: { userId: string; name: string; transports: readonly string[] } & VerifiedCredential,
  now: number,
): Promise<PasskeyRow | null> {
  const { userId, credentialId, publicKey, signCount, name, transports } = passkey;
  const [row] = await insertRow<PasskeyRow>(
    tx,
    'passkey',
    {
      ...{ id: newId(), user_id: userId, name, transports, created_at: timestamp(now) },
      ...{ credential_id: credentialId, public_key: publicKey, sign_count: signCount },
    },
    `on conflict (credential_id) do nothing returning ${COLUMNS}`,
  );
  return row ?? null;
}

/** False, and nothing is changed, if the count is not beyond the stored one, or if the passkey has been removed. */
export async function recordUse(tx: Tx, id: string, signCount: number, now: number): Promise<boolean> {
  return (await tx.query(RECORD_USE, [id, signCount, timestamp(now)])).length > 0;
}

export async function setPasskeyName(tx: Tx, { id }: PasskeyRow, name: string): Promise<PasskeyRow> {
  const [row] = await tx.query<PasskeyRow>(RENAME, [id, name]);
  if (!row) throw new Error('a locked user keeps the passkeys');
  return row;
}

export async function deletePasskey(tx: Tx, { id }: PasskeyRow): Promise<void> {
  await tx.query(REMOVE, [id]);
}

export async function deletePasskeys(tx: Tx, userId: string): Promise<void> {
  await tx.query(REMOVE_ALL, [userId]);
}

export const wirePasskey = (row: PasskeyRow): Passkey => ({
  id: encodeId(ID_PREFIX.passkey, row.id),
  name: row.name,
  created_at: formatInstant(row.created_at),
  last_used_at: formatInstantOrNull(row.last_used_at),
});
