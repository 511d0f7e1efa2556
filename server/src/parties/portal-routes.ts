import { portalOwnEndpoints as endpoints, SCOPES } from '@saldo/api';
import type { Owner } from '../platform/auth/principal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { pageById, paginate } from '../platform/http/paging.ts';
import { validationProblem } from '../platform/http/problem.ts';
import { type Call, type Route, route, writeRoute } from '../platform/http/routes.ts';
import { answerCreate, answerRevoke, answerRotate, keyFaults, keyOf } from './key-answers.ts';
import { listOwnKeys } from './store.ts';
import { wireKey } from './wire.ts';

type OwnCall = Pick<Call<(typeof endpoints)[keyof typeof endpoints]>, 'owner' | 'request'>;

/** Keys of the BRP or account that the signed-in user belongs to. */
export function ownPartyRoutes(db: Db, clock: Clock): Route[] {
  return [
    route(endpoints.listOwnApiKeys, async (call) => {
      const { page } = call;
      const rows = await listOwnKeys(db, ownerOf(call), pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { api_keys: records.map(wireKey), pagination };
    }),
    writeRoute(endpoints.createOwnApiKey, async (call, tx) => {
      const now = clock.now();
      const owner = ownerOf(call);
      // Users can grant only scopes that they have themselves.
      const allowed = SCOPES.filter((scope) => call.request.principal?.scopes.has(scope));
      const faults = keyFaults(owner.type, allowed, call.body, now);
      if (faults.length > 0) throw validationProblem(faults);
      return answerCreate(tx, call, keyOf(owner, allowed, call.body), now);
    }),
    writeRoute(endpoints.revokeOwnApiKey, (call, tx) =>
      answerRevoke(tx, call, ownerOf(call), call.params.key_id, clock.now()),
    ),
    writeRoute(endpoints.rotateOwnApiKey, (call, tx) =>
      answerRotate(tx, call, ownerOf(call), call.params.key_id, call.body, clock.now()),
    ),
  ];
}

function ownerOf({ owner }: OwnCall): Owner {
  if (owner === null) throw new Error('the signed-in user has no BRP or account');
  return owner;
}
