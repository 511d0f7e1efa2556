import { operatorCustomerEndpoints as endpoints } from '@saldo/api';
import { recordAudit } from '../audit/store.ts';
import { findBrp } from '../parties/store.ts';
import type { Clock } from '../platform/clock.ts';
import { paginate } from '../platform/http/paging.ts';
import { type Route, replicaRoute, writeRoute } from '../platform/http/routes.ts';
import { createCustomer } from './actions.ts';
import { answerCustomer, answerCustomers, answerPlacements } from './routes.ts';
import { wireOperatorCustomer } from './wire.ts';

export function operatorCustomerRoutes(clock: Clock): Route[] {
  return [
    writeRoute(endpoints.operatorCreateCustomer, async (call, tx) => {
      const now = clock.now();
      const after = wireOperatorCustomer(await createCustomer(tx, call.viewer, call.body, now));
      await recordAudit(tx, call, { action: 'customer.created', subject: after.id, after }, now);
      return after;
    }),

    replicaRoute(
      endpoints.operatorListCustomers,
      async ({ viewer, query: { brp_id, ...query }, page }, db) => {
        if (brp_id === undefined) return answerCustomers(db, { viewer, query, page }, wireOperatorCustomer);
        const brp = await findBrp(db, brp_id);
        if (brp === null) return { customers: [], pagination: paginate(page, [], () => []).pagination };
        // A filter by BRP lists exactly the customers that the BRP sees, so its viewer is used.
        const seen = { kind: 'brp' as const, brpNo: brp.no };
        return answerCustomers(db, { viewer: seen, query, page }, wireOperatorCustomer);
      },
    ),

    replicaRoute(endpoints.operatorGetCustomer, (call, db) => answerCustomer(db, call, wireOperatorCustomer)),

    replicaRoute(endpoints.operatorListPlacements, (call, db) => answerPlacements(db, call)),
  ];
}
