import type { InvitationLink, User } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { type Actor, recordAudit } from '../audit/store.ts';
import type { CredentialCache } from '../platform/auth/credential-cache.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { requireRightsOfUser } from '../platform/http/grants.ts';
import { ifMatch } from '../platform/http/preconditions.ts';
import {
  createUser,
  invitationLink,
  inviteUser,
  type NewUser,
  type UserUpdate,
  updateUser,
} from './actions.ts';
import type { UsersOf } from './store.ts';
import { wireUser } from './wire.ts';

export type UserDependencies = {
  readonly db: Database;
  readonly clock: MovableClock;
  readonly sessions: CredentialCache;
  /** Public base URL of the platform. */
  readonly baseUrl: () => string;
};

type Caller = Actor & { readonly request: Parameters<typeof requireRightsOfUser>[0] };

/** Create, change and invite users for both APIs, the operator's and the owners'. Each writes an audit event. */
export async function answerCreate(tx: Tx, by: Caller, user: NewUser, now: number): Promise<User> {
  requireRightsOfUser(by.request, user.owner.type, user.permissions);
  const after = wireUser(await createUser(tx, user, now));
  await recordAudit(tx, by, { action: 'user.created', subject: after.id, after }, now);
  return after;
}

type Update = Caller & {
  readonly request: Parameters<typeof ifMatch>[0];
  readonly params: { readonly user_id: string };
  readonly body: UserUpdate;
};

export async function answerUpdate(
  { db, clock, sessions }: UserDependencies,
  call: Update,
  of: UsersOf,
): Promise<User> {
  const { actor, params, body, request } = call;
  const changed = await db.transaction(async (tx) => {
    const now = clock.now();
    const change = await updateUser(tx, actor, of, params.user_id, body, ifMatch(request, wireUser), now);
    const [before, after] = [wireUser(change.before), wireUser(change.after)];
    // The transaction of a refused request is rolled back.
    if (body.permissions !== undefined || body.disabled === false)
      requireRightsOfUser(request, after.role, after.permissions);
    await recordAudit(tx, call, { action: 'user.updated', subject: after.id, before, after }, now);
    return after;
  });
  // Clear the session cache after the commit: before it, a concurrent request could cache the old state again.
  sessions.forget();
  return changed;
}

export async function answerInvite(
  tx: Tx,
  by: Caller,
  of: UsersOf,
  userId: string,
  { clock, baseUrl }: UserDependencies,
): Promise<InvitationLink> {
  const invited = await inviteUser(tx, of, userId, clock.machineNow());
  const [before, after] = [wireUser(invited.before), wireUser(invited.after)];
  requireRightsOfUser(by.request, after.role, after.permissions);
  await recordAudit(tx, by, { action: 'user.invited', subject: after.id, before, after }, clock.now());
  return {
    link: invitationLink(baseUrl(), invited.token),
    expires_at: formatInstant(invited.expiresAt),
  };
}
