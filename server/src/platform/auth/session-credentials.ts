import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { SessionPending, UserPermissions } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Db } from '../db/database.ts';
import { hotStatement } from '../db/statement.ts';
import { timestamp } from '../db/wire-types.ts';
import { hashSecret } from './api-key.ts';
import { type CredentialCache, createCredentialCache } from './credential-cache.ts';
import { type Owner, ownerOf, scopesOf, viewerOf } from './principal.ts';

const HOUR_MS = 3600 * 1000;
/** Idle timeout. */
export const IDLE_MS = 12 * HOUR_MS;
/** Maximum lifetime: after a week the user signs in again, even with an active session. */
export const SESSION_MS = 7 * 24 * HOUR_MS;
/** Lifetime of a session that lacks its second factor. */
export const PENDING_SESSION_MS = 10 * 60 * 1000;

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[\w-]{43}$/;

/** 256 random bits in base64url, which is safe in cookies and URLs. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');
export const looksLikeToken = (text: string): boolean => TOKEN_FORM.test(text);

/** Sessions that were last used before this instant have timed out. */
export const idleSince = (now: number): number => now - IDLE_MS;

const FIND_SESSION = hotStatement(
  'find_session',
  `select s.id, s.hash, s.expires_at, s.pending, s.has_second_factor, u.id as user_id,
     u.permissions::text as permissions, u.brp_no, u.account_no
   from user_session s join app_user u on u.id = s.user_id
   where s.hash = $1 and s.expires_at > $2 and s.last_seen_at > $3 and u.disabled_at is null`,
);

type SessionRow = {
  id: string;
  hash: Buffer;
  expires_at: number;
  pending: SessionPending | null;
  has_second_factor: boolean;
  user_id: string;
  permissions: UserPermissions;
  brp_no: number | null;
  account_no: number | null;
};

/**
 * The sessions of all users, by the token in their cookie. `now` is real time, not the sandbox clock. A session from before
 * its user's role needed a second factor has ended.
 */
export function sessionCredentials(
  db: Db,
  now: () => number,
  monotonicNow: () => number,
  needsSecondFactor: (role: Owner['type']) => boolean,
): CredentialCache {
  return createCredentialCache({
    now,
    monotonicNow,
    mayBe: looksLikeToken,
    async lookUp(token) {
      const hash = hashSecret(token);
      const at = now();
      const [row] = await db.hot.query<SessionRow>(FIND_SESSION, [
        hash,
        timestamp(at),
        timestamp(idleSince(at)),
      ]);
      if (!row || !timingSafeEqual(row.hash, hash)) return null;
      const owner = ownerOf(row);
      const isComplete = row.has_second_factor || !needsSecondFactor(owner.type);
      if (row.pending === null && !isComplete) return null;
      const principal = {
        actor: encodeId(ID_PREFIX.user, row.user_id),
        owner,
        viewer: viewerOf(owner),
        scopes: new Set(scopesOf(owner.type, row.permissions)),
        permissions: row.permissions,
        session: { id: row.id, userId: row.user_id, expiresAt: row.expires_at, pending: row.pending },
      };
      return { principal, endsAt: row.expires_at, admits: () => true };
    },
  });
}
