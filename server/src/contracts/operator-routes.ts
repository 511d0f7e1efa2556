import { operatorContractEndpoints as endpoints } from '@saldo/api';
import { recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import { answerTagged } from '../platform/http/preconditions.ts';
import { type Route, replicaRoute, writeRoute } from '../platform/http/routes.ts';
import { createContract } from './actions.ts';
import { answerContracts, getContract } from './routes.ts';
import { wireContract } from './wire.ts';

/** `updateContract` is in transactions/operator-routes.ts, because an early end invalidates transactions. */
export function operatorContractRoutes(clock: Clock): Route[] {
  return [
    writeRoute(endpoints.createContract, async (call, tx) => {
      const now = clock.now();
      const after = wireContract(await createContract(tx, call.body, now), now);
      await recordAudit(tx, call, { action: 'contract.created', subject: after.id, after }, now);
      return after;
    }),

    replicaRoute(endpoints.operatorListContracts, (call, db) => answerContracts(db, call, clock.now())),

    replicaRoute(endpoints.operatorGetContract, async (call, db) => {
      const row = await getContract(db, call.viewer, call.params.contract_id);
      return answerTagged(call, wireContract(row, clock.now()));
    }),
  ];
}
