import type { Account, ApiKey, Brp, OperatorBalanceGroup, OwnBalanceGroup } from '@saldo/api';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { BalanceGroupRow, KeyRow, PartyRow } from './store.ts';

export const wireBrp = (row: PartyRow): Brp => ({
  id: encodeId(ID_PREFIX.brp, row.id),
  name: row.name,
  created_at: formatInstant(row.created_at),
});

export const wireAccount = (row: PartyRow): Account => ({
  id: encodeId(ID_PREFIX.account, row.id),
  name: row.name,
  created_at: formatInstant(row.created_at),
});

/** A balance group as its own BRP sees it. */
export const wireOwnBalanceGroup = (row: BalanceGroupRow): OwnBalanceGroup => ({
  eic: row.eic,
  name: row.name,
  enabled_tsos: row.tsos,
  created_at: formatInstant(row.created_at),
});

export const wireBalanceGroup = (row: BalanceGroupRow): OperatorBalanceGroup => ({
  brp_id: encodeId(ID_PREFIX.brp, row.brp_id),
  eic: row.eic,
  name: row.name,
  tsos: row.tsos,
  created_at: formatInstant(row.created_at),
});

function wireOwner(row: KeyRow): ApiKey['owner'] {
  if (row.brp_id !== null) return { type: row.owner, id: encodeId(ID_PREFIX.brp, row.brp_id) };
  if (row.account_id !== null) return { type: row.owner, id: encodeId(ID_PREFIX.account, row.account_id) };
  return { type: row.owner };
}

/** A key without its secret. */
export const wireKey = (row: KeyRow): ApiKey => ({
  id: encodeId(ID_PREFIX.key, row.id),
  owner: wireOwner(row),
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  allowed_addresses: row.allowed_addresses,
  created_at: formatInstant(row.created_at),
  expires_at: formatInstantOrNull(row.expires_at),
  last_used_at: formatInstantOrNull(row.last_used_at),
  last_used_address: row.last_used_address,
  revoked_at: formatInstantOrNull(row.revoked_at),
});
