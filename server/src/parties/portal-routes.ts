import { portalOwnEndpoints as endpoints } from '@saldo/api';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { grantableScopes } from '../platform/http/grants.ts';
import { pageById, paginate } from '../platform/http/paging.ts';
import { validationProblem } from '../platform/http/problem.ts';
import { getOwner, type Route, route, writeRoute } from '../platform/http/routes.ts';
import { answerCreate, answerRevoke, answerRotate, keyFaults, keyOf } from './key-answers.ts';
import { listOwnKeys } from './store.ts';
import { wireKey } from './wire.ts';

/** Keys of the BRP or account that the signed-in user belongs to. */
export function ownPartyRoutes(db: Db, clock: Clock): Route[] {
  return [
    route(endpoints.listOwnApiKeys, async (call) => {
      const { page } = call;
      const rows = await listOwnKeys(db, getOwner(call), pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { api_keys: records.map(wireKey), pagination };
    }),
    writeRoute(endpoints.createOwnApiKey, async (call, tx) => {
      const now = clock.now();
      const owner = getOwner(call);
      const allowed = grantableScopes(call.request, owner.type);
      const faults = keyFaults(owner.type, allowed, call.body, now);
      if (faults.length > 0) throw validationProblem(faults);
      return answerCreate(tx, call, keyOf(owner, allowed, call.body), now);
    }),
    writeRoute(endpoints.revokeOwnApiKey, (call, tx) =>
      answerRevoke(tx, call, getOwner(call), call.params.key_id, clock.now()),
    ),
    writeRoute(endpoints.rotateOwnApiKey, (call, tx) =>
      answerRotate(tx, call, getOwner(call), call.params.key_id, call.body, clock.now()),
    ),
  ];
}
