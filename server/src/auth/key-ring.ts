import { timingSafeEqual } from 'node:crypto';
import type { Scope } from '@saldo/api';
import { type Db, statement } from '../db/database.ts';
import { timestamp } from '../db/wire-types.ts';
import { encodeId, ID_PREFIX } from '../domain/id.ts';
import { hashSecret, type KeyKind, looksLikeKey } from './api-key.ts';
import type { Principal } from './principal.ts';

/** How long a key may go on to be believed after it was last looked up: a revocation takes effect within this. */
const BELIEVED_MS = 4_000;
const MAX_BELIEVED = 10_000;

/** A key of another owner is no key here. Its use is noted on the way, to the minute. */
const FIND_KEY = statement(
  'find_key',
  `with used as (
     update api_key set last_used_at = $3
     where hash = $1 and owner = $2 and revoked_at is null
       and (last_used_at is null or last_used_at < $3::timestamptz - interval '1 minute'))
   select id, hash, brp_no, scopes, expires_at
   from api_key
   where hash = $1 and owner = $2 and revoked_at is null`,
);

type KeyRow = { id: string; hash: Buffer; brp_no: number | null; scopes: Scope[]; expires_at: number | null };
type Believed = { principal: Principal; expiresAt: number | null; lookedUpAt: number };

/** Tells who a key belongs to. Answers at once for keys that were looked up a moment ago. */
export type KeyRing = { find(secret: string): Principal | null | Promise<Principal | null> };

/**
 * The keys of one kind of owner. The operator's first key may be any text that somebody chose; all others are told
 * from garbage by their form, without a look-up.
 */
export function keyRing(kind: KeyKind, db: Db, now: () => number, monotonicNow: () => number): KeyRing {
  // By secret, since hashing it for each request took longer than all else that lets a request in. The one that was
  // looked up the longest ago comes first.
  const believed = new Map<string, Believed>();
  const lookingUp = new Map<string, Promise<Principal | null>>();

  const unlessExpired = (entry: Believed): Principal | null =>
    entry.expiresAt !== null && entry.expiresAt <= now() ? null : entry.principal;

  /** A secret is not kept in memory for longer than it is of use. */
  function forgetOld(at: number): void {
    for (const [secret, { lookedUpAt }] of believed) {
      if (at - lookedUpAt < BELIEVED_MS && believed.size < MAX_BELIEVED) return;
      believed.delete(secret);
    }
  }

  async function lookUp(secret: string): Promise<Principal | null> {
    const askedAt = monotonicNow();
    forgetOld(askedAt);
    const hash = hashSecret(secret);
    const [row] = await db.query<KeyRow>(FIND_KEY, [hash, kind, timestamp(now())]);
    believed.delete(secret);
    if (!row || !timingSafeEqual(row.hash, hash)) return null;
    const principal = {
      keyId: encodeId(ID_PREFIX.key, row.id),
      viewer: { brpNo: row.brp_no },
      scopes: new Set(row.scopes),
    };
    const entry = { principal, expiresAt: row.expires_at, lookedUpAt: askedAt };
    believed.set(secret, entry);
    return unlessExpired(entry);
  }

  return {
    find(secret) {
      const entry = believed.get(secret);
      if (entry && monotonicNow() - entry.lookedUpAt < BELIEVED_MS) return unlessExpired(entry);
      if (kind !== 'operator' && !looksLikeKey(kind, secret)) return null;
      let pending = lookingUp.get(secret);
      if (!pending) {
        pending = lookUp(secret).finally(() => lookingUp.delete(secret));
        lookingUp.set(secret, pending);
      }
      return pending;
    },
  };
}
