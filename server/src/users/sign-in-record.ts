import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { recordAudit } from '../audit/store.ts';
import type { Database } from '../platform/db/database.ts';
import type { ClientContext, Times } from './session-start.ts';

/** Why a sign-in failed. */
export type SignInResult = 'second_factor_failed';

/** Records a failed sign-in. Attempts are limited before they fail, which bounds the number of entries. */
export async function recordFailedSignIn(
  db: Database,
  failure: { userId: string | null; result: SignInResult; client: ClientContext },
  { now }: Times,
): Promise<void> {
  const { userId, result, client } = failure;
  if (userId === null) return;
  const id = encodeId(ID_PREFIX.user, userId);
  const by = { actor: id, request: { id: client.requestId } };
  const event = { action: 'user.sign_in_failed', subject: id, after: { result } } as const;
  await db.transaction((tx) => recordAudit(tx, by, event, now));
}
