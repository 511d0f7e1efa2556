import { hashSecret } from '../platform/auth/api-key.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import { newToken } from '../platform/auth/session-credentials.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** What a sign-in remembers between two requests. */
export type StepKind = 'passkey_registration' | 'passkey_sign_in' | 'provider';

/** Longer than a person needs, shorter than a link stays in a browser's history unnoticed. */
export const STEP_MS = 5 * 60 * 1000;

const INSERT = statement(
  'insert_sign_in_step',
  'insert into sign_in_step (hash, kind, sealed_data, expires_at) values ($1, $2, $3, $4)',
);
const TAKE = statement(
  'take_sign_in_step',
  'delete from sign_in_step where hash = $1 and kind = $2 returning sealed_data, expires_at',
);
/** Each step deletes up to 100 that have ended, so that abandoned sign-ins cannot fill the table. */
const DELETE_ENDED = statement(
  'delete_ended_sign_in_steps',
  `delete from sign_in_step where hash in
     (select hash from sign_in_step where expires_at <= $1 limit 100 for update skip locked)`,
);

const useOf = (kind: StepKind, hash: Buffer) => `sign_in_step ${kind} ${hash.toString('hex')}`;

/** Stores the data of a step and returns its token. `machineNow` ignores the sandbox clock. */
export async function beginStep(
  tx: Tx,
  sealer: Sealer,
  kind: StepKind,
  data: object,
  machineNow: number,
): Promise<string> {
  const token = newToken();
  const hash = hashSecret(token);
  const sealed = sealer.seal(Buffer.from(JSON.stringify(data)), useOf(kind, hash));
  await tx.query(DELETE_ENDED, [timestamp(machineNow)]);
  await tx.query(INSERT, [hash, kind, sealed, timestamp(machineNow + STEP_MS)]);
  return token;
}

/** Ends the step and returns its data. Null for an unknown, used or expired token. */
export async function takeStep(
  tx: Tx,
  sealer: Sealer,
  kind: StepKind,
  token: string,
  machineNow: number,
): Promise<unknown> {
  const hash = hashSecret(token);
  const [row] = await tx.query<{ sealed_data: Buffer; expires_at: number }>(TAKE, [hash, kind]);
  if (!row || row.expires_at <= machineNow) return null;
  return JSON.parse(sealer.open(row.sealed_data, useOf(kind, hash)).toString());
}
