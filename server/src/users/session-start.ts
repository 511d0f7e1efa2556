import type {
  AuditAction,
  MfaPolicy,
  SessionPending,
  SignInMethod,
  SignInResult,
  UserRole,
} from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import { hashSecret } from '../platform/auth/api-key.ts';
import type { SessionFacts } from '../platform/auth/principal.ts';
import { idleSince, newToken, PENDING_SESSION_MS, SESSION_MS } from '../platform/auth/session-credentials.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { Device } from '../platform/http/device-cookie.ts';
import { problem } from '../platform/http/problem.ts';
import { getUser, type UserRow } from './store.ts';

/** The origin of a request without a session. */
export type ClientContext = {
  /** For limits. Records have `recordedAddress`, which may be shortened. */
  readonly address: string;
  readonly recordedAddress: string;
  readonly userAgent: string | null;
  /** The browser, if a user has signed in there before. */
  readonly device: Device | null;
  readonly requestId: string;
  /** Token of the browser's current session, which a new session replaces. */
  readonly oldToken: string | null;
  /** Adds the result of a sign-in to the metrics. */
  readonly countSignIn: (result: SignInResult) => void;
};

/** The request as audit events have it. */
export const requestOf = ({ requestId: id, recordedAddress: address, userAgent }: ClientContext) => ({
  id,
  address,
  userAgent,
});

/** `now` is for records. `machineNow` is for expiry and rate limits, and is not affected by the sandbox clock. */
export type Times = { readonly now: number; readonly machineNow: number };

export type NewSession = {
  readonly token: string;
  readonly user: UserRow;
  readonly expiresAt: number;
  readonly pending: SessionPending | null;
};

/** How a user has signed in. */
export type SignIn = {
  readonly method: SignInMethod;
  /** Whether it already includes a second factor: a passkey that verified its user, or a provider that says so. */
  readonly hasSecondFactor: boolean;
  /** Whether the user has been linked with the provider only now. */
  readonly isFirst?: boolean;
  /** Of the identity provider, if it was one. */
  readonly issuer?: string;
  readonly policy: MfaPolicy;
};

/**
 * A user whose sign-in was verified. `password_hash`: the hash that was verified; absent after a sign-in without a
 * password.
 */
export type VerifiedUser = Pick<UserRow, 'id'> & Partial<Pick<UserRow, 'password_hash'>>;

const INSERT_SESSION = statement(
  'insert_session',
  `insert into user_session
     (id, hash, user_id, created_at, last_seen_at, expires_at, method, has_second_factor, pending, address, user_agent,
      issuer)
   values ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
const DELETE_EXPIRED_SESSIONS = statement(
  'forget_sessions',
  `delete from user_session where id in
     (select id from user_session where expires_at <= $1 or last_seen_at <= $2 for update skip locked)`,
);
const REPLACE_SESSION = statement('replace_session', 'delete from user_session where hash = $1');
const LOCK_VERIFIED = statement(
  'lock_verified_user',
  `select id from app_user
   where id = $1 and ($2::text is null or password_hash = $2) and disabled_at is null
   for update`,
);
const RECORD_SIGN_IN = statement('note_sign_in', 'update app_user set last_signed_in_at = $2 where id = $1');
const HAS_FACTOR = statement(
  'has_second_factor',
  `select exists (select from one_time_code where user_id = $1)
       or exists (select from passkey where user_id = $1) as found`,
);

/** Whether the user has set up a second factor. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(HAS_FACTOR, [userId]);
  return row?.found === true;
}

/**
 * A session that lacks its second factor may only add the first one. The user may have set up a factor elsewhere since the
 * session began: then only that factor completes it, because a known password must not be enough to add another factor.
 */
export async function requireFactorless(db: Db, { userId, pending }: SessionFacts): Promise<void> {
  if (pending !== null && (await hasSecondFactor(db, userId))) throw problem('second_factor_required');
}

/** How long after a sign-in a user may change the own factors: long enough to find a second authenticator. */
const RECENT_MS = 15 * 60 * 1000;

const IS_RECENT = statement(
  'is_recent_session',
  'select from user_session where id = $1 and created_at > $2',
);

/** Rejects a browser that a user has left signed in: it must not be able to add or remove a factor. */
export async function requireRecentSignIn(db: Db, { id }: SessionFacts, machineNow: number): Promise<void> {
  const recent = await db.query(IS_RECENT, [id, timestamp(machineNow - RECENT_MS)]);
  if (recent.length === 0) throw problem('recent_sign_in_required');
}

/** Whether users of this role need a second factor. */
export const needsSecondFactor = (policy: MfaPolicy, role: UserRole): boolean =>
  policy === 'all' || (policy === 'operators' && role === 'operator');

/**
 * What a sign-in lacks. A factor that a user has set up is asked for after every password, required or not, and at the
 * first sign-in with a provider: a verified email alone must not be enough for an account with a second factor.
 */
async function pendingOf(
  tx: Tx,
  { id, role }: UserRow,
  { method, hasSecondFactor: isComplete, isFirst = false, policy }: SignIn,
): Promise<SessionPending | null> {
  if (isComplete) return null;
  const isRequired = needsSecondFactor(policy, role);
  if (method === 'provider' && !isRequired && !isFirst) return null;
  if (await hasSecondFactor(tx, id)) return 'second_factor';
  return isRequired ? 'set_up' : null;
}

/** Starts a session of a verified user. It is pending if it lacks a second factor. */
export async function startSession(
  tx: Tx,
  { id: userId, password_hash: passwordHash = null }: VerifiedUser,
  signIn: SignIn,
  client: ClientContext,
  { now, machineNow }: Times,
): Promise<NewSession> {
  // The user may have been disabled, or the password replaced, while the password was being verified.
  const [isStillValid] = await tx.query(LOCK_VERIFIED, [userId, passwordHash]);
  if (!isStillValid) throw problem('invalid_credentials');
  if (client.oldToken !== null) await tx.query(REPLACE_SESSION, [hashSecret(client.oldToken)]);
  await tx.query(DELETE_EXPIRED_SESSIONS, [timestamp(machineNow), timestamp(idleSince(machineNow))]);
  const user = await getUser(tx, userId);
  const pending = await pendingOf(tx, user, signIn);
  if (pending === null) await tx.query(RECORD_SIGN_IN, [userId, timestamp(now)]);
  const token = newToken();
  const expiresAt = machineNow + (pending === null ? SESSION_MS : PENDING_SESSION_MS);
  const { recordedAddress, userAgent } = client;
  await tx.query(INSERT_SESSION, [
    ...[newId(), hashSecret(token), userId, timestamp(machineNow), timestamp(expiresAt)],
    ...[signIn.method, signIn.hasSecondFactor, pending, recordedAddress, userAgent, signIn.issuer ?? null],
  ]);
  // An accepted invitation has an entry of its own.
  if (pending === null && signIn.method !== 'invitation')
    await recordOwnAction(tx, 'user.signed_in', user, client, now);
  return { token, expiresAt, pending, user };
}

const PROVE = statement(
  'prove_second_factor',
  'update user_session set has_second_factor = true where id = $1 and pending is null returning id',
);

/** Records that the user of a complete session has set up a second factor in it. */
export async function proveSecondFactor(tx: Tx, sessionId: string): Promise<void> {
  if ((await tx.query(PROVE, [sessionId])).length === 0) throw problem('invalid_session');
}

const COMPLETE_SESSION = statement(
  'complete_session',
  `update user_session set hash = $2, expires_at = $3, pending = null, has_second_factor = true
   where id = $1 and pending is not null and expires_at > $4
   returning user_id`,
);

/** Completes a pending session. It gets a new token, so that a stolen old one is worthless (session fixation). */
export async function completeSession(
  tx: Tx,
  sessionId: string,
  client: ClientContext,
  { now, machineNow }: Times,
): Promise<NewSession> {
  const token = newToken();
  const expiresAt = machineNow + SESSION_MS;
  const values = [sessionId, hashSecret(token), timestamp(expiresAt), timestamp(machineNow)];
  const [completed] = await tx.query<{ user_id: string }>(COMPLETE_SESSION, values);
  if (!completed) throw problem('invalid_session');
  await tx.query(RECORD_SIGN_IN, [completed.user_id, timestamp(now)]);
  const user = await getUser(tx, completed.user_id);
  await recordOwnAction(tx, 'user.signed_in', user, client, now);
  return { token, expiresAt, pending: null, user };
}

/** Records what users did with their own account. */
export function recordOwnAction(
  tx: Tx,
  action: AuditAction,
  user: Pick<UserRow, 'id'>,
  client: ClientContext,
  now: number,
  records: Pick<AuditEvent, 'before' | 'after'> = {},
): Promise<void> {
  const id = encodeId(ID_PREFIX.user, user.id);
  return recordAudit(tx, { actor: id, request: requestOf(client) }, { action, subject: id, ...records }, now);
}
