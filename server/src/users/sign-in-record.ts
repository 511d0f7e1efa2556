import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { recordAudit } from '../audit/store.ts';
import { ANONYMOUS } from '../platform/auth/principal.ts';
import type { Database } from '../platform/db/database.ts';
import type { ClientContext, Times } from './session-start.ts';

/** How a sign-in failed. */
export type SignInResult = 'provider_failed';

/** Adds a failed sign-in to the audit trail. */
export async function recordFailedSignIn(
  db: Database,
  { userId, result, client }: { userId: string | null; result: SignInResult; client: ClientContext },
  { now }: Times,
): Promise<void> {
  const subject = userId === null ? 'unknown' : encodeId(ID_PREFIX.user, userId);
  const event = { action: 'user.sign_in_failed', subject, after: { result } } as const;
  await db.transaction((tx) =>
    recordAudit(tx, { actor: ANONYMOUS.actor, request: { id: client.requestId } }, event, now),
  );
}
