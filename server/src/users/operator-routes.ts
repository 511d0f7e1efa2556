import { type BodyOf, operatorUserEndpoints as endpoints, type QueryOf } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { recordAudit } from '../audit/store.ts';
import { findAccount, findBrp } from '../parties/store.ts';
import type { CredentialCache } from '../platform/auth/credential-cache.ts';
import type { Owner } from '../platform/auth/principal.ts';
import type { MovableClock } from '../platform/clock.ts';
import type { Database, Db } from '../platform/db/database.ts';
import { pageById, paginate } from '../platform/http/paging.ts';
import { answerChanged, answerTagged, ifMatch } from '../platform/http/preconditions.ts';
import { fieldProblem, problem, validationProblem } from '../platform/http/problem.ts';
import { type Route, route, writeRoute } from '../platform/http/routes.ts';
import { createUser, invitationLink, inviteUser, resetFactors, updateUser } from './actions.ts';
import { findUser, listUsers, type UserFilter } from './store.ts';
import { wireUser } from './wire.ts';

type Dependencies = {
  readonly db: Database;
  readonly clock: MovableClock;
  readonly sessions: CredentialCache;
  /** Public base URL of the platform. */
  readonly baseUrl: () => string;
};

export function operatorUserRoutes({ db, clock, sessions, baseUrl }: Dependencies): Route[] {
  return [
    writeRoute(endpoints.createUser, async (call, tx) => {
      const now = clock.now();
      const { email, name, permissions } = call.body;
      const owner = await findEmployer(tx, call.body);
      const after = wireUser(await createUser(tx, { email, name, permissions, owner }, now));
      await recordAudit(tx, call, { action: 'user.created', subject: after.id, after }, now);
      return after;
    }),
    route(endpoints.listUsers, async ({ query, page }) => {
      const filter = userFilter(query);
      const rows = filter === null ? [] : await listUsers(db, filter, pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { users: records.map(wireUser), pagination };
    }),
    route(endpoints.getUser, async (call) => {
      const row = await findUser(db, call.params.user_id);
      if (row === null) throw problem('user_not_found');
      return answerTagged(call, wireUser(row));
    }),
    route(endpoints.updateUser, async (call) => {
      const now = clock.now();
      const changed = await db.transaction(async (tx) => {
        const { actor, params, body, request } = call;
        const change = await updateUser(tx, actor, params.user_id, body, ifMatch(request, wireUser), now);
        const [before, after] = [wireUser(change.before), wireUser(change.after)];
        await recordAudit(tx, call, { action: 'user.updated', subject: after.id, before, after }, now);
        return after;
      });
      // Clear the session cache after the commit: before it, a concurrent request could cache the old state again.
      sessions.forget();
      return answerChanged(call, changed);
    }),
    route(endpoints.resetFactors, async (call) => {
      await db.transaction(async (tx) => {
        const { id } = await resetFactors(tx, call.actor, call.params.user_id);
        const subject = encodeId(ID_PREFIX.user, id);
        await recordAudit(tx, call, { action: 'user.factors_reset', subject }, clock.now());
      });
      sessions.forget();
      return {};
    }),
    writeRoute(endpoints.inviteUser, async (call, tx) => {
      const invited = await inviteUser(tx, call.params.user_id, clock.machineNow());
      const [before, after] = [wireUser(invited.before), wireUser(invited.after)];
      await recordAudit(tx, call, { action: 'user.invited', subject: after.id, before, after }, clock.now());
      const link = invitationLink(baseUrl(), invited.token);
      return { link, expires_at: formatInstant(invited.expiresAt) };
    }),
  ];
}

type UserBody = BodyOf<typeof endpoints.createUser>;

/** Finds the owner of a new user. Reports all field errors together. */
async function findEmployer(db: Db, { role, brp_id, account_id }: UserBody): Promise<Owner> {
  const surplus = [
    { field: 'brp_id', isGiven: brp_id !== undefined, isFor: 'brp' },
    { field: 'account_id', isGiven: account_id !== undefined, isFor: 'account' },
  ].filter(({ isGiven, isFor }) => isGiven && isFor !== role);
  if (surplus.length > 0) {
    const code = 'validation_failed' as const;
    throw validationProblem(
      surplus.map(({ field, isFor }) => ({ field, code, message: { key: 'field.for_role', role: isFor } })),
    );
  }
  if (role === 'operator') return { type: role };
  const [field, id] = role === 'brp' ? ['brp_id', brp_id] : ['account_id', account_id];
  if (id === undefined) throw fieldProblem(field, 'required', { key: 'field.required_for_role', role });
  const found = role === 'brp' ? await findBrp(db, id) : await findAccount(db, id);
  if (found === null)
    throw fieldProblem(field, 'validation_failed', {
      key: role === 'brp' ? 'field.unknown_brp' : 'field.unknown_account',
    });
  return role === 'brp' ? { type: role, brpNo: found.no } : { type: role, accountNo: found.no };
}

/** Returns null when the filter cannot match any user. */
function userFilter(query: QueryOf<typeof endpoints.listUsers>): UserFilter | null {
  const idOf = (prefix: 'brp' | 'acc', text: string | undefined) =>
    text === undefined ? null : (decodeId(prefix, text) ?? 'malformed');
  const [brpId, accountId] = [idOf(ID_PREFIX.brp, query.brp_id), idOf(ID_PREFIX.account, query.account_id)];
  if (brpId === 'malformed' || accountId === 'malformed') return null;
  return { role: query.role ?? null, email: query.email ?? null, brpId, accountId };
}
