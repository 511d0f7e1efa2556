import { randomBytes } from 'node:crypto';
import type { SessionPending } from '@saldo/api';
import { hashSecret } from '../platform/auth/api-key.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import type { Database, Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { fieldProblem } from '../platform/http/problem.ts';
import { deletePasskeys } from './passkey-store.ts';
import { type ClientContext, recordOwnAction, type Times } from './session-start.ts';
import { deviceCredential } from './sessions.ts';
import { recordFailedSignIn } from './sign-in-record.ts';
import { getUser, lockUserById, type UserRow } from './store.ts';
import { base32, findStep } from './totp.ts';
import { countAttempt, resetAttempts } from './tries.ts';

const RECOVERY_CODES = 10;
/** 80 random bits: one fast hash is enough, because they cannot all be tried against a copy of the database. */
const RECOVERY_CODE_BYTES = 10;
const RECOVERY_CODE_FORM = /^[a-z2-7]{16}$/;

export const useOfSecret = (userId: string): string => `one_time_code ${userId}`;

const FIND_SECRET = statement(
  'find_one_time_code',
  'select sealed_secret, last_step from one_time_code where user_id = $1',
);
const USE_STEP = statement(
  'use_one_time_code',
  'update one_time_code set last_step = $2 where user_id = $1 and last_step < $2 returning user_id',
);
const USE_RECOVERY_CODE = statement(
  'use_recovery_code',
  `update recovery_code set used_at = $3 where user_id = $1 and hash = $2 and used_at is null
     and exists (select from one_time_code where user_id = $1)
   returning user_id`,
);

/** Uses up a one-time code or a recovery code. Null if it is wrong or was used before. */
async function useCode(
  tx: Tx,
  sealer: Sealer,
  userId: string,
  typed: string,
  { now, machineNow }: Times,
): Promise<'one_time_code' | 'recovery_code' | null> {
  const code = typed.replaceAll(/[\s-]/g, '').toLowerCase();
  if (RECOVERY_CODE_FORM.test(code)) {
    const used = await tx.query(USE_RECOVERY_CODE, [userId, hashSecret(code), timestamp(now)]);
    return used.length > 0 ? 'recovery_code' : null;
  }
  const [row] = await tx.query<{ sealed_secret: Buffer; last_step: number }>(FIND_SECRET, [userId]);
  if (!row) return null;
  const secret = sealer.open(row.sealed_secret, useOfSecret(userId));
  const step = findStep(secret, code, machineNow, row.last_step);
  if (step === null) return null;
  return (await tx.query(USE_STEP, [userId, step])).length > 0 ? 'one_time_code' : null;
}

/** A request of a session that proves the second factor of its user. */
export type FactorAttempt = {
  readonly session: { readonly id: string; readonly userId: string; readonly pending: SessionPending | null };
  readonly code: string;
  readonly client: ClientContext;
  readonly times: Times;
};

const attemptOrigin = ({ session, client: { device } }: FactorAttempt, user: UserRow) =>
  ({
    kind: 'code',
    sessionId: session.id,
    userId: user.id,
    deviceId: device?.knows(deviceCredential(user)) ? device.id : null,
  }) as const;

/**
 * Does the work in the transaction that uses up the code, so that a code is used only if the work succeeds. The lock of the
 * user makes one of two concurrent requests with the same code fail.
 */
export async function withSecondFactor<T>(
  db: Database,
  sealer: Sealer,
  attempt: FactorAttempt,
  work: (tx: Tx, user: UserRow) => Promise<T>,
): Promise<T> {
  const { session, code, client, times } = attempt;
  const origin = attemptOrigin(attempt, await getUser(db, session.userId));
  await countAttempt(db, origin, times.machineNow);
  const done = await db.transaction(async (tx) => {
    const user = await lockUserById(tx, session.userId);
    const used = await useCode(tx, sealer, user.id, code, times);
    if (used === null) return null;
    await resetAttempts(tx, origin, times.machineNow);
    if (used === 'recovery_code')
      await recordOwnAction(tx, 'user.recovery_code_used', user, client, times.now);
    return { result: await work(tx, user) };
  });
  if (done !== null) return done.result;
  const failure = { userId: session.userId, result: 'second_factor_failed', client } as const;
  await recordFailedSignIn(db, failure, times);
  throw wrongCode();
}

export const wrongCode = () => fieldProblem('code', 'validation_failed', { key: 'field.code_wrong' });

const DELETE_RECOVERY_CODES = statement(
  'delete_recovery_codes',
  'delete from recovery_code where user_id = $1',
);
const INSERT_RECOVERY_CODES = statement(
  'insert_recovery_codes',
  'insert into recovery_code (user_id, hash) select $1, unnest($2::bytea[])',
);

/** Replaces the user's recovery codes and returns the new ones, in groups of four characters. */
export async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => base32(randomBytes(RECOVERY_CODE_BYTES)));
  await tx.query(DELETE_RECOVERY_CODES, [userId]);
  await tx.query(INSERT_RECOVERY_CODES, [userId, codes.map(hashSecret)]);
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'));
}

const READ_ONE_TIME_CODE = statement(
  'read_one_time_code',
  `select confirmed_at,
     (select count(*)::int from recovery_code r where r.user_id = c.user_id and r.used_at is null) as recovery_codes
   from one_time_code c where user_id = $1`,
);

export type OneTimeCodeRow = { readonly confirmed_at: number; readonly recovery_codes: number };

export async function findOneTimeCode(db: Db, userId: string): Promise<OneTimeCodeRow | null> {
  const [row] = await db.query<OneTimeCodeRow>(READ_ONE_TIME_CODE, [userId]);
  return row ?? null;
}

const DELETE_ONE_TIME_CODE = statement(
  'delete_one_time_code',
  'delete from one_time_code where user_id = $1',
);

export async function deleteOneTimeCode(tx: Tx, userId: string): Promise<void> {
  await tx.query(DELETE_RECOVERY_CODES, [userId]);
  await tx.query(DELETE_ONE_TIME_CODE, [userId]);
}

/** Deletes everything that counts as a second factor. */
export async function deleteFactors(tx: Tx, userId: string): Promise<void> {
  await deleteOneTimeCode(tx, userId);
  await deletePasskeys(tx, userId);
}
