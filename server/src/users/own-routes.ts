import { portalUserEndpoints as endpoints } from '@saldo/api';
import { pageById, paginate } from '../platform/http/paging.ts';
import { answerChanged, answerTagged } from '../platform/http/preconditions.ts';
import { problem } from '../platform/http/problem.ts';
import { getOwner, type Route, route, writeRoute } from '../platform/http/routes.ts';
import { findUser, listOwnUsers } from './store.ts';
import { answerCreate, answerInvite, answerUpdate, type UserDependencies } from './user-answers.ts';
import { wireUser } from './wire.ts';

/** Users of the BRP or account that the signed-in administrator belongs to. */
export function ownUserRoutes(dependencies: UserDependencies): Route[] {
  const { db, clock } = dependencies;
  return [
    route(endpoints.listOwnUsers, async (call) => {
      const { page } = call;
      const rows = await listOwnUsers(db, getOwner(call), pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { users: records.map(wireUser), pagination };
    }),
    writeRoute(endpoints.createOwnUser, (call, tx) =>
      answerCreate(tx, call, { ...call.body, owner: getOwner(call) }, clock.now()),
    ),
    route(endpoints.getOwnUser, async (call) => {
      const row = await findUser(db, getOwner(call), call.params.user_id);
      if (row === null) throw problem('user_not_found');
      return answerTagged(call, wireUser(row));
    }),
    route(endpoints.updateOwnUser, async (call) =>
      answerChanged(call, await answerUpdate(dependencies, call, getOwner(call))),
    ),
    writeRoute(endpoints.inviteOwnUser, (call, tx) =>
      answerInvite(tx, call, getOwner(call), call.params.user_id, dependencies),
    ),
  ];
}
