import { type BodyOf, operatorUserEndpoints as endpoints, type QueryOf } from '@saldo/api';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { recordAudit } from '../audit/store.ts';
import { findAccount, findBrp } from '../parties/store.ts';
import type { Owner } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/database.ts';
import { requireRightsOfUser } from '../platform/http/grants.ts';
import { pageById, paginate } from '../platform/http/paging.ts';
import { answerChanged, answerTagged } from '../platform/http/preconditions.ts';
import { fieldProblem, problem, validationProblem } from '../platform/http/problem.ts';
import { type Route, route, writeRoute } from '../platform/http/routes.ts';
import { resetFactors } from './actions.ts';
import { endSessions } from './sessions.ts';
import { findUser, listUsers, type UserFilter } from './store.ts';
import { answerCreate, answerInvite, answerUpdate, type UserDependencies } from './user-answers.ts';
import { wireUser } from './wire.ts';

export function operatorUserRoutes(dependencies: UserDependencies): Route[] {
  const { db, clock, sessions } = dependencies;
  return [
    writeRoute(endpoints.createUser, async (call, tx) => {
      const { email, name, permissions } = call.body;
      const owner = await findEmployer(tx, call.body);
      return answerCreate(tx, call, { email, name, permissions, owner }, clock.now());
    }),
    route(endpoints.listUsers, async ({ query, page }) => {
      const filter = userFilter(query);
      const rows = filter === null ? [] : await listUsers(db, filter, pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { users: records.map(wireUser), pagination };
    }),
    route(endpoints.getUser, async (call) => {
      const row = await findUser(db, 'all', call.params.user_id);
      if (row === null) throw problem('user_not_found');
      return answerTagged(call, wireUser(row));
    }),
    route(endpoints.updateUser, async (call) =>
      answerChanged(call, await answerUpdate(dependencies, call, 'all')),
    ),
    writeRoute(endpoints.inviteUser, (call, tx) =>
      answerInvite(tx, call, 'all', call.params.user_id, dependencies),
    ),
    route(endpoints.endUserSessions, async (call) => {
      await db.transaction(async (tx) => {
        const user = await findUser(tx, 'all', call.params.user_id);
        if (user === null) throw problem('user_not_found');
        await endSessions(tx, user.id);
        const after = { name: user.name };
        const event = { action: 'user.sessions_ended', subject: call.params.user_id, after } as const;
        await recordAudit(tx, call, event, clock.now());
      });
      sessions.forget();
      return {};
    }),
    route(endpoints.resetFactors, async (call) => {
      await db.transaction(async (tx) => {
        const { id, name, role, permissions } = await resetFactors(tx, call.actor, call.params.user_id);
        // The transaction of a refused request is rolled back.
        requireRightsOfUser(call.request, role, permissions);
        const subject = encodeId(ID_PREFIX.user, id);
        const event = { action: 'user.factors_reset', subject, after: { name } } as const;
        await recordAudit(tx, call, event, clock.now());
      });
      sessions.forget();
      return {};
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
