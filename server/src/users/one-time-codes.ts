import { randomBytes } from 'node:crypto';
import type { MfaPolicy } from '@saldo/api';
import type { SessionFacts } from '../platform/auth/principal.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { fieldProblem, problem } from '../platform/http/problem.ts';
import { isPassword } from './passwords.ts';
import {
  deleteOneTimeCode,
  type FactorAttempt,
  findOneTimeCode,
  replaceRecoveryCodes,
  useOfSecret,
  withSecondFactor,
  wrongCode,
} from './second-factor.ts';
import {
  type ClientContext,
  completeSession,
  hasSecondFactor,
  type NewSession,
  needsSecondFactor,
  proveSecondFactor,
  recordOwnAction,
  requireFactorless,
  requireRecentSignIn,
  type Times,
} from './session-start.ts';
import { endSessions } from './sessions.ts';
import { beginStep, takeStep } from './sign-in-steps.ts';
import { getUser, lockUserById, type UserRow } from './store.ts';
import { findStep, TOTP_SECRET_BYTES } from './totp.ts';
import { countAttempt, resetAttempts } from './tries.ts';

/** Completes a pending session by a code of its user. */
export async function completeByCode(
  db: Database,
  sealer: Sealer,
  attempt: FactorAttempt,
): Promise<NewSession> {
  const { session, client, times } = attempt;
  if (session.pending === null)
    throw problem('invalid_status_transition', { key: 'problem.sign_in_complete' });
  return withSecondFactor(db, sealer, attempt, (tx) => completeSession(tx, session.id, client, times));
}

/** The session that began a set-up, and the secret in base64. */
type SetUpData = { readonly sessionId: string; readonly secret: string };

export type SetUp = { readonly token: string; readonly secret: Buffer; readonly user: UserRow };
export type Proof = { readonly password?: string | undefined; readonly code?: string | undefined };

/**
 * Creates the secret of new one-time codes. Stored ones stay valid until the new ones are confirmed. A user with one-time
 * codes has to prove them: a password is not enough to replace a second factor.
 */
export async function beginSetUp(
  db: Database,
  sealer: Sealer,
  session: SessionFacts,
  { password, code }: Proof,
  client: ClientContext,
  times: Times,
): Promise<SetUp> {
  const begin = async (tx: Tx, user: UserRow): Promise<SetUp> => {
    const secret = randomBytes(TOTP_SECRET_BYTES);
    const data: SetUpData = { sessionId: session.id, secret: secret.toString('base64') };
    return { token: await beginStep(tx, sealer, 'one_time_code', data, times.machineNow), secret, user };
  };
  if (session.pending === null && (await findOneTimeCode(db, session.userId)) !== null) {
    if (code === undefined) throw fieldProblem('code', 'required', { key: 'field.required' });
    return withSecondFactor(db, sealer, { session, code, client, times }, begin);
  }
  if (session.pending === null) await requireOwner(db, session, password, times);
  return db.transaction(async (tx) => {
    const user = await lockUserById(tx, session.userId);
    await requireFactorless(tx, session);
    return begin(tx, user);
  });
}

/**
 * Verifies that the request comes from the user and not from a browser that was left signed in: by the password, or without
 * one by a recent sign-in.
 */
async function requireOwner(
  db: Database,
  session: SessionFacts,
  password: string | undefined,
  { machineNow }: Times,
): Promise<void> {
  const { password_hash } = await getUser(db, session.userId);
  if (password_hash === null) return requireRecentSignIn(db, session, machineNow);
  if (password === undefined) throw fieldProblem('password', 'required', { key: 'field.required' });
  const origin = { kind: 'session', id: session.id } as const;
  await countAttempt(db, origin, machineNow);
  if (!(await isPassword(password, password_hash)))
    throw fieldProblem('password', 'validation_failed', { key: 'field.password_wrong' });
  await db.transaction((tx) => resetAttempts(tx, origin, machineNow));
}

const STORE = statement(
  'store_one_time_code',
  `insert into one_time_code (user_id, sealed_secret, confirmed_at, last_step) values ($1, $2, $3, $4)
   on conflict (user_id) do update
   set sealed_secret = excluded.sealed_secret, confirmed_at = excluded.confirmed_at, last_step = excluded.last_step`,
);

export type Confirmed = {
  readonly recoveryCodes: readonly string[];
  /** The completed session, if it was pending. */
  readonly completed: NewSession | null;
};

/** Stores one-time codes that a code has confirmed. All other sessions of the user end: they have not proved a code. */
export function confirmSetUp(
  db: Database,
  sealer: Sealer,
  session: SessionFacts,
  { token, code }: { readonly token: string; readonly code: string },
  client: ClientContext,
  times: Times,
): Promise<Confirmed> {
  return db.transaction(async (tx) => {
    const user = await lockUserById(tx, session.userId);
    const { now, machineNow } = times;
    await requireFactorless(tx, session);
    const data = (await takeStep(tx, sealer, 'one_time_code', token, machineNow)) as SetUpData | null;
    if (data?.sessionId !== session.id)
      throw fieldProblem('token', 'validation_failed', { key: 'field.set_up_expired' });
    const secret = Buffer.from(data.secret, 'base64');
    const step = findStep(secret, code.replaceAll(/\s/g, ''), machineNow);
    // A problem undoes the transaction: the set-up goes on, and the user can type another code.
    if (step === null) throw wrongCode();
    await tx.query(STORE, [user.id, sealer.seal(secret, useOfSecret(user.id)), timestamp(now), step]);
    const recoveryCodes = await replaceRecoveryCodes(tx, user.id);
    await endSessions(tx, user.id, session.id);
    await recordOwnAction(tx, 'user.factor_added', user, client, now);
    if (session.pending !== null)
      return { recoveryCodes, completed: await completeSession(tx, session.id, client, times) };
    await proveSecondFactor(tx, session.id);
    return { recoveryCodes, completed: null };
  });
}

/** Removes one-time codes and recovery codes, unless they are the last factor of a user who needs one. */
export const removeOneTimeCode = (
  db: Database,
  sealer: Sealer,
  attempt: FactorAttempt,
  policy: MfaPolicy,
): Promise<void> =>
  withSecondFactor(db, sealer, attempt, async (tx, user) => {
    await deleteOneTimeCode(tx, user.id);
    if (needsSecondFactor(policy, user.role) && !(await hasSecondFactor(tx, user.id)))
      throw problem('invalid_status_transition', { key: 'problem.last_factor' });
    await recordOwnAction(tx, 'user.factor_removed', user, attempt.client, attempt.times.now);
  });

export const renewRecoveryCodes = (
  db: Database,
  sealer: Sealer,
  attempt: FactorAttempt,
): Promise<readonly string[]> =>
  withSecondFactor(db, sealer, attempt, async (tx, user) => {
    await recordOwnAction(tx, 'user.recovery_codes_renewed', user, attempt.client, attempt.times.now);
    return replaceRecoveryCodes(tx, user.id);
  });
