import { operatorContractEndpoints as endpoints } from '@saldo/api';
import type { Clock } from '../platform/clock.ts';
import { answerTagged } from '../platform/http/preconditions.ts';
import { type Route, replicaRoute } from '../platform/http/routes.ts';
import { answerContracts, getContract } from './routes.ts';
import { wireOperatorContract } from './wire.ts';

/** Creation and change of contracts are in sources/operator-contracts.ts, because volumes follow from them. */
export function operatorContractRoutes(clock: Clock): Route[] {
  return [
    replicaRoute(endpoints.operatorListContracts, (call, db) => answerContracts(db, call, clock.now())),

    replicaRoute(endpoints.operatorGetContract, async (call, db) => {
      const row = await getContract(db, call.viewer, call.params.contract_id);
      return answerTagged(call, wireOperatorContract(row, clock.now()));
    }),
  ];
}
