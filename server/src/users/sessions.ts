import type { MfaPolicy } from '@saldo/api';
import type { Message } from '@saldo/core/messages/message.ts';
import { normalizeEmail } from '@saldo/core/users/email.ts';
import { hashSecret } from '../platform/auth/api-key.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { fieldProblem, ProblemError, problem } from '../platform/http/problem.ts';
import { isGuessable } from './password-strength.ts';
import { hashPassword, isOutdated, isPassword } from './passwords.ts';
import {
  type ClientContext,
  type NewSession,
  recordOwnAction,
  startSession,
  type Times,
  type VerifiedUser,
} from './session-start.ts';
import { recordFailedSignIn, type SignInResult } from './sign-in-record.ts';
import { findInvited, findUserByEmail, getUser, lockInvited, type UserRow } from './store.ts';
import { type AttemptOrigin, countAttempt, resetAttempts } from './tries.ts';

const invalidCredentials = () => problem('invalid_credentials');

const SET_PASSWORD = statement('set_password', 'update app_user set password_hash = $2 where id = $1');

export async function setPassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx.query(SET_PASSWORD, [userId, passwordHash]);
}

const REPLACE_PASSWORD = statement(
  'replace_password',
  'update app_user set password_hash = $3 where id = $1 and password_hash = $2 returning id',
);

/** Returns false, and changes nothing, if the verified password has been replaced meanwhile. */
async function replacePassword(tx: Tx, verified: VerifiedUser, passwordHash: string): Promise<boolean> {
  const { id, password_hash } = verified;
  return (await tx.query(REPLACE_PASSWORD, [id, password_hash, passwordHash])).length > 0;
}

/** Identifies a user to a known device. Contains the password hash, so that a new password invalidates the device. */
export const deviceCredential = ({ id, password_hash }: Pick<UserRow, 'id' | 'password_hash'>): string =>
  `${id} ${password_hash ?? ''}`;

/**
 * Signs a user in. An unknown email, a user without a password, a disabled user and a wrong password get the same
 * answer after the same time, so that a client cannot find out which users exist. So do all users of an email domain whose
 * passwords are not accepted.
 */
export async function signIn(
  db: Database,
  credentials: { email: string; password: string },
  client: ClientContext,
  times: Times,
  policy: MfaPolicy,
  isAccepted = true,
): Promise<NewSession> {
  const email = normalizeEmail(credentials.email);
  const { address, device } = client;
  const user = isAccepted ? await findUserByEmail(db, email) : null;
  const isKnown = device?.knows(deviceCredential(user ?? { id: '', password_hash: null })) ?? false;
  const origin: AttemptOrigin =
    device !== null && isKnown
      ? { kind: 'device', id: device.id, email }
      : { kind: 'address', address, email };
  const fail = (result: SignInResult) =>
    recordFailedSignIn(db, { userId: user?.id ?? null, result, client }, times);
  await countAttempt(db, origin, times.machineNow).catch(async (error: unknown) => {
    if (error instanceof ProblemError) await fail('limited');
    throw error;
  });
  const queue = isKnown ? 'known' : 'unknown';
  const isRight = await isPassword(credentials.password, user?.password_hash ?? null, queue);
  if (!isRight || user === null || user.password_hash === null || user.disabled_at !== null) {
    await fail(user === null ? 'unknown_user' : isRight ? 'disabled' : 'wrong_password');
    throw invalidCredentials();
  }
  const renewed = isOutdated(user.password_hash) ? await hashPassword(credentials.password) : null;
  const session = await db.transaction(async (tx) => {
    if (renewed !== null && !(await replacePassword(tx, user, renewed))) return null;
    const verified = { id: user.id, password_hash: renewed ?? user.password_hash };
    await resetAttempts(tx, origin, times.machineNow);
    return startSession(tx, verified, { method: 'password', hasSecondFactor: false, policy }, client, times);
  });
  // Another sign-in may have renewed the hash meanwhile: the password has to be verified against the new one.
  return session ?? signIn(db, credentials, client, times, policy, isAccepted);
}

const invitationNotFound = () => problem('invitation_not_found');

/** Returns the user of a valid invitation token. */
export async function getInvited(db: Database, token: string, machineNow: number): Promise<UserRow> {
  const user = await findInvited(db, hashSecret(token), machineNow);
  if (user === null) throw invitationNotFound();
  return user;
}

const ACCEPT = statement(
  'accept_invitation',
  `update app_user set password_hash = $2, invitation_hash = null, invitation_expires_at = null where id = $1`,
);

/** Sets the password of an invited user and signs them in. All earlier sessions of the user end. */
export async function acceptInvitation(
  db: Database,
  token: string,
  password: string,
  client: ClientContext,
  times: Times,
  policy: MfaPolicy,
): Promise<NewSession> {
  const invited = await getInvited(db, token, times.machineNow);
  await rejectWeakPassword('password', password, invited);
  const passwordHash = await hashPassword(password);
  return db.transaction(async (tx) => {
    const user = await lockInvited(tx, hashSecret(token), times.machineNow);
    if (user === null) throw invitationNotFound();
    await tx.query(ACCEPT, [user.id, passwordHash]);
    await endSessions(tx, user.id);
    const accepted = { id: user.id, password_hash: passwordHash };
    await recordOwnAction(tx, 'user.password_set', user, client, times.now);
    return startSession(
      tx,
      accepted,
      { method: 'invitation', hasSecondFactor: false, policy },
      client,
      times,
    );
  });
}

/** Rejects guessable passwords; the schema checks the length. Applies to new passwords only. */
async function rejectWeakPassword(field: string, password: string, user: UserRow): Promise<void> {
  const weak = (message: Message) => fieldProblem(field, 'validation_failed', message);
  if (normalizeEmail(password) === user.email) throw weak({ key: 'field.password_is_email' });
  if (await isGuessable(password, user)) {
    throw weak({ key: 'field.password_guessable' });
  }
}

/** Changes the password and returns the updated user. Attempts at the current password are limited per session. */
export async function changePassword(
  db: Database,
  session: { id: string; userId: string },
  passwords: { current: string; new: string },
  client: ClientContext,
  times: Times,
): Promise<UserRow> {
  const user = await getUser(db, session.userId);
  const notCurrent = () => fieldProblem('current', 'validation_failed', { key: 'field.password_wrong' });
  const origin = { kind: 'session', id: session.id } as const;
  await countAttempt(db, origin, times.machineNow);
  if (!(await isPassword(passwords.current, user.password_hash))) throw notCurrent();
  await rejectWeakPassword('new', passwords.new, user);
  const passwordHash = await hashPassword(passwords.new);
  return db.transaction(async (tx) => {
    if (!(await replacePassword(tx, user, passwordHash))) throw notCurrent();
    await endSessions(tx, user.id, session.id);
    await resetAttempts(tx, origin, times.machineNow);
    await recordOwnAction(tx, 'user.password_changed', user, client, times.now);
    return getUser(tx, user.id);
  });
}

const END_SESSION = statement('end_session', 'delete from user_session where id = $1 returning issuer');
const END_SESSIONS = statement(
  'end_sessions',
  'delete from user_session where user_id = $1 and id is distinct from $2',
);

/** Returns the issuer of the identity provider that the session began with, if it did. */
export async function endSession(tx: Tx, id: string): Promise<string | null> {
  const [ended] = await tx.query<{ issuer: string | null }>(END_SESSION, [id]);
  return ended?.issuer ?? null;
}

/** Ends all sessions of a user except, if given, one. */
export async function endSessions(tx: Tx, userId: string, except: string | null = null): Promise<void> {
  await tx.query(END_SESSIONS, [userId, except]);
}
