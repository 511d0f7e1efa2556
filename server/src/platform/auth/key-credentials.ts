import { timingSafeEqual } from 'node:crypto';
import type { Scope } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Db } from '../db/database.ts';
import { hotStatement } from '../db/statement.ts';
import { addressMatcher } from './allowed-addresses.ts';
import { hashSecret, type KeyKind, looksLikeKey } from './api-key.ts';
import { type CredentialCache, createCredentialCache } from './credential-cache.ts';
import type { LastUsed } from './last-used.ts';
import { ownerOf, viewerOf } from './principal.ts';

/** Matches the owner kind too: each API accepts only the keys of its own kind of owner. */
const FIND_KEY = hotStatement(
  'find_key',
  `select id, hash, brp_no, account_no, scopes, expires_at, allowed_addresses
   from api_key
   where hash = $1 and owner = $2 and revoked_at is null`,
);

type KeyRow = {
  id: string;
  hash: Buffer;
  brp_no: number | null;
  account_no: number | null;
  scopes: Scope[];
  expires_at: number | null;
  allowed_addresses: string[] | null;
};

/**
 * The API keys of one kind of owner. The operator's first key may be any text from the configuration, so its form
 * cannot be checked. Malformed keys of the other kinds are rejected without a look-up.
 */
export function keyCredentials(
  kind: KeyKind,
  db: Db,
  lastUsed: LastUsed,
  now: () => number,
  monotonicNow: () => number,
): CredentialCache {
  return createCredentialCache({
    now,
    monotonicNow,
    mayBe: (secret) => kind === 'operator' || looksLikeKey(kind, secret),
    async lookUp(secret) {
      const hash = hashSecret(secret);
      const [row] = await db.hot.query<KeyRow>(FIND_KEY, [hash, kind]);
      if (!row || !timingSafeEqual(row.hash, hash)) return null;
      const owner = ownerOf(row);
      const principal = {
        actor: encodeId(ID_PREFIX.key, row.id),
        owner,
        viewer: viewerOf(owner),
        scopes: new Set(row.scopes),
        permissions: 'admin' as const,
        session: null,
      };
      const isAllowed = addressMatcher(row.allowed_addresses);
      const admits = (address: string) => {
        if (!isAllowed(address)) return false;
        lastUsed.keyUsed(row.id, now(), address);
        return true;
      };
      return { principal, endsAt: row.expires_at, admits };
    },
  });
}
