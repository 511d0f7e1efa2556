import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { normalizeEmail } from '@saldo/core/users/email.ts';
import { hashSecret } from '../../auth/api-key.ts';
import { idleSince, newToken, SESSION_MS } from '../../auth/session-credentials.ts';
import { type Database, statement, type Tx } from '../../db/database.ts';
import { newId } from '../../db/new-id.ts';
import { timestamp } from '../../db/wire-types.ts';
import type { Device } from '../../http/device-cookie.ts';
import { fieldProblem, problem } from '../../http/problem.ts';
import { type Doer, recordAudit } from '../audit/store.ts';
import { isGuessable } from './password-strength.ts';
import { hashPassword, isOutdated, isPassword } from './passwords.ts';
import { findInvited, findUserByEmail, getUser, lockInvited, type UserRow } from './store.ts';
import { forgiveTries, type Trier, takeTry } from './tries.ts';

/** Where somebody who is not known yet comes from, and with which request. */
export type Visitor = {
  readonly address: string;
  /** The browser, when somebody has signed in there before. */
  readonly device: Device | null;
  readonly requestId: string;
  /** Of the session that the browser has already; a new one takes its place. */
  readonly oldToken: string | null;
};

/** Two times: of records, and of what ends by itself, which a sandbox's clock does not move. */
export type Times = { readonly now: number; readonly machineNow: number };

export type NewSession = { readonly token: string; readonly user: UserRow; readonly expiresAt: number };

const INSERT_SESSION = statement(
  'insert_session',
  `insert into user_session (id, hash, user_id, created_at, last_seen_at, expires_at)
   values ($1, $2, $3, $4, $4, $5)`,
);
const FORGET_SESSIONS = statement(
  'forget_sessions',
  `delete from user_session where id in
     (select id from user_session where expires_at <= $1 or last_seen_at <= $2 for update skip locked)`,
);
const REPLACE_SESSION = statement('replace_session', 'delete from user_session where hash = $1');
const NOTE_SIGN_IN = statement(
  'note_sign_in',
  'update app_user set last_signed_in_at = $2 where id = $1 and disabled_at is null returning id',
);

const nobodyKnown = () => problem('invalid_credentials', 'The email or the password is not right.');

async function startSession(tx: Tx, userId: string, visitor: Visitor, times: Times): Promise<NewSession> {
  const { now, machineNow } = times;
  // Somebody may have been disabled while the password was being compared.
  const [isLetIn] = await tx.query(NOTE_SIGN_IN, [userId, timestamp(now)]);
  if (!isLetIn) throw nobodyKnown();
  if (visitor.oldToken !== null) await tx.query(REPLACE_SESSION, [hashSecret(visitor.oldToken)]);
  await tx.query(FORGET_SESSIONS, [timestamp(machineNow), timestamp(idleSince(machineNow))]);
  const token = newToken();
  const expiresAt = machineNow + SESSION_MS;
  const values = [newId(), hashSecret(token), userId, timestamp(machineNow), timestamp(expiresAt)];
  await tx.query(INSERT_SESSION, values);
  return { token, expiresAt, user: await getUser(tx, userId) };
}

const deedOf = (action: string, user: UserRow) => ({
  action,
  subject: encodeId(ID_PREFIX.user, user.id),
  before: null,
  after: null,
});

const asUser = (user: UserRow, { requestId }: Visitor): Doer => ({
  actor: encodeId(ID_PREFIX.user, user.id),
  request: { id: requestId },
});

const SET_PASSWORD = statement('set_password', 'update app_user set password_hash = $2 where id = $1');

export async function setPassword(tx: Tx, userId: string, passwordHash: string): Promise<void> {
  await tx.query(SET_PASSWORD, [userId, passwordHash]);
}

/** What a device is known by: it is unknown again when the password has changed. */
export const deviceCredential = ({ id, password_hash }: Pick<UserRow, 'id' | 'password_hash'>): string =>
  `${id} ${password_hash ?? ''}`;

/**
 * Signs a user in. An email that is not known, a user without a password, one that is disabled and a wrong password are
 * answered alike, and after the same time.
 */
export async function signIn(
  db: Database,
  credentials: { email: string; password: string },
  visitor: Visitor,
  times: Times,
): Promise<NewSession> {
  const email = normalizeEmail(credentials.email);
  const { address, device } = visitor;
  const user = await findUserByEmail(db, email);
  const isKnown = device?.knows(deviceCredential(user ?? { id: '', password_hash: null })) ?? false;
  const trier: Trier =
    device !== null && isKnown
      ? { kind: 'device', id: device.id, email }
      : { kind: 'address', address, email };
  await takeTry(db, trier, times.machineNow);
  const line = isKnown ? 'known' : 'unknown';
  const isRight = await isPassword(credentials.password, user?.password_hash ?? null, line);
  if (!isRight || user === null || user.password_hash === null) throw nobodyKnown();
  const renewed = isOutdated(user.password_hash) ? await hashPassword(credentials.password) : null;
  return db.transaction(async (tx) => {
    if (renewed !== null) await setPassword(tx, user.id, renewed);
    const session = await startSession(tx, user.id, visitor, times);
    await forgiveTries(tx, trier, times.machineNow);
    await recordAudit(tx, asUser(user, visitor), deedOf('user.signed_in', user), times.now);
    return session;
  });
}

const invitationNotFound = () =>
  problem('invitation_not_found', 'This invitation was used, has expired, or was replaced by a newer one.');

/** Whoever a link is for, as long as it can be used. */
export async function getInvited(db: Database, token: string, machineNow: number): Promise<UserRow> {
  const user = await findInvited(db, hashSecret(token), machineNow);
  if (user === null) throw invitationNotFound();
  return user;
}

const ACCEPT = statement(
  'accept_invitation',
  `update app_user set password_hash = $2, invitation_hash = null, invitation_expires_at = null where id = $1`,
);

/** Sets the password that comes with an invitation, and lets the user in. Whoever was in before is signed out. */
export async function acceptInvitation(
  db: Database,
  token: string,
  password: string,
  visitor: Visitor,
  times: Times,
): Promise<NewSession> {
  const invited = await getInvited(db, token, times.machineNow);
  await refuseWeakPassword('password', password, invited);
  const passwordHash = await hashPassword(password);
  return db.transaction(async (tx) => {
    const user = await lockInvited(tx, hashSecret(token), times.machineNow);
    if (user === null) throw invitationNotFound();
    await tx.query(ACCEPT, [user.id, passwordHash]);
    await endSessions(tx, user.id);
    const session = await startSession(tx, user.id, visitor, times);
    await recordAudit(tx, asUser(user, visitor), deedOf('user.password_set', user), times.now);
    return session;
  });
}

/** Length is a matter of form; this is what an attacker tries first. Passwords that exist are not judged. */
async function refuseWeakPassword(field: string, password: string, user: UserRow): Promise<void> {
  const refused = (why: string) => fieldProblem(field, 'validation_failed', why);
  if (normalizeEmail(password) === user.email) throw refused('must not be the email address');
  if (await isGuessable(password, user)) {
    throw refused('is too easy to guess; several words that do not belong together make a good password');
  }
}

/** Gives the user as it is now. Tries of the current password are counted for the session. */
export async function changePassword(
  db: Database,
  session: { id: string; userId: string },
  passwords: { current: string; new: string },
  visitor: Visitor,
  times: Times,
): Promise<UserRow> {
  const user = await getUser(db, session.userId);
  const trier = { kind: 'session', id: session.id } as const;
  await takeTry(db, trier, times.machineNow);
  if (!(await isPassword(passwords.current, user.password_hash))) {
    throw fieldProblem('current', 'validation_failed', 'is not the current password');
  }
  await refuseWeakPassword('new', passwords.new, user);
  const passwordHash = await hashPassword(passwords.new);
  return db.transaction(async (tx) => {
    await setPassword(tx, user.id, passwordHash);
    await endSessions(tx, user.id, session.id);
    await forgiveTries(tx, trier, times.machineNow);
    await recordAudit(tx, asUser(user, visitor), deedOf('user.password_changed', user), times.now);
    return getUser(tx, user.id);
  });
}

const END_SESSION = statement('end_session', 'delete from user_session where id = $1');
const END_SESSIONS = statement(
  'end_sessions',
  'delete from user_session where user_id = $1 and id is distinct from $2',
);

export async function endSession(tx: Tx, id: string): Promise<void> {
  await tx.query(END_SESSION, [id]);
}

/** All sessions of a user, or all but one. */
export async function endSessions(tx: Tx, userId: string, except: string | null = null): Promise<void> {
  await tx.query(END_SESSIONS, [userId, except]);
}
