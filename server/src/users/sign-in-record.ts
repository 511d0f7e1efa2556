import { hash } from 'node:crypto';
import { type SignInResult as AnyResult, SIGN_IN_RESULTS } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { networkOf } from '@saldo/core/users/network.ts';
import { recordAudit } from '../audit/store.ts';
import { ANONYMOUS } from '../platform/auth/principal.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { type ClientContext, requestOf, type Times } from './session-start.ts';

/** How a sign-in failed. */
export type SignInResult = Exclude<AnyResult, 'succeeded'>;

/** Counts the results of sign-ins. */
export function signInCounter(metrics: Metrics): (result: AnyResult) => void {
  const increment = metrics.addCounts(
    'saldo_sign_ins_total',
    'Sign-ins to the portal by result.',
    SIGN_IN_RESULTS.map((result) => ({ result })),
  );
  return (result) => increment({ result });
}

/** Audit events of one network about one user, or about all unknown ones, within a window. */
const EVENTS_PER_NETWORK = 10;
/** Audit events of the whole platform within a window: an attack from many networks must not fill the audit trail. */
const EVENTS = 250;
const WINDOW_MS = 15 * 60_000;

/** The subject of an event about an email that no user has. What was typed is not stored: it may be a password. */
const UNKNOWN_USER = 'unknown';

const COUNT = statement(
  'count_failed_sign_in',
  `insert into sign_in_try (subject, count, ends_at) values ($1, 1, $2)
   on conflict (subject) do update set
     count = case when sign_in_try.ends_at > $3 then sign_in_try.count + 1 else 1 end,
     ends_at = case when sign_in_try.ends_at > $3 then sign_in_try.ends_at else $2 end
   returning count`,
);
/** Whether the event that $1 newer ones follow is in the window, which begins at $2. */
const IS_FULL = statement(
  'has_many_failed_sign_ins',
  `select at > $2 as found from audit where action = 'user.sign_in_failed' order by no desc offset $1 limit 1`,
);

async function isWithinLimits(tx: Tx, subject: string, network: string, { now, machineNow }: Times) {
  const key = hash('sha256', `failed:${subject} ${network}`, 'buffer');
  const values = [key, timestamp(machineNow + WINDOW_MS), timestamp(machineNow)];
  const [counted] = await tx.query<{ count: number }>(COUNT, values);
  if ((counted?.count ?? 0) > EVENTS_PER_NETWORK) return false;
  const [oldest] = await tx.query<{ found: boolean }>(IS_FULL, [EVENTS - 1, timestamp(now - WINDOW_MS)]);
  return oldest?.found !== true;
}

/**
 * Counts a failed sign-in and adds it to the audit trail, within limits. It always writes once, whether or not the user
 * exists and whether or not a limit is reached, so that the time of the answer tells nothing. An attempt that was limited
 * is counted only: it must cost no write.
 */
export async function recordFailedSignIn(
  db: Database,
  { userId, result, client }: { userId: string | null; result: SignInResult; client: ClientContext },
  times: Times,
): Promise<void> {
  client.countSignIn(result);
  if (result === 'limited') return;
  const subject = userId === null ? UNKNOWN_USER : encodeId(ID_PREFIX.user, userId);
  await db.transaction(async (tx) => {
    if (!(await isWithinLimits(tx, subject, networkOf(client.address), times))) return;
    const event = { action: 'user.sign_in_failed', subject, after: { result } } as const;
    await recordAudit(tx, { actor: ANONYMOUS.actor, request: requestOf(client) }, event, times.now);
  });
}
