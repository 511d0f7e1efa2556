import { operatorCustomerEndpoints as endpoints } from '@saldo/api';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import { findBrp } from '../parties/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { readPage } from '../platform/http/paging.ts';
import { type Route, route, writeRoute } from '../platform/http/routes.ts';
import { createCustomer } from './actions.ts';
import { answerCustomer, answerPlacements, customerFilter } from './routes.ts';
import { CUSTOMER_SORTINGS, listCustomers } from './store.ts';
import { wireOperatorCustomer } from './wire.ts';

export function operatorCustomerRoutes(db: Db, clock: Clock): Route[] {
  return [
    writeRoute(endpoints.operatorCreateCustomer, async (call, tx) => {
      const now = clock.now();
      const after = wireOperatorCustomer(await createCustomer(tx, call.viewer, call.body, now));
      const event: AuditEvent = { action: 'customer.created', subject: after.id, before: null, after };
      await recordAudit(tx, call, event, now);
      return after;
    }),

    route(endpoints.operatorListCustomers, async ({ viewer, query, page }) => {
      const brp = query.brp_id === undefined ? null : await findBrp(db, query.brp_id);
      const findsNothing = query.brp_id !== undefined && brp === null;
      // A filter by BRP lists exactly the customers that the BRP sees, so its viewer is used.
      const seen = brp === null ? viewer : { kind: 'brp' as const, brpNo: brp.no };
      const { sort } = query;
      const { records, pagination } = await readPage(page, sort && CUSTOMER_SORTINGS[sort], async (start) =>
        findsNothing ? [] : listCustomers(db, seen, customerFilter(query), start, sort),
      );
      return { customers: records.map(wireOperatorCustomer), pagination };
    }),

    route(endpoints.operatorGetCustomer, (call) => answerCustomer(db, call, wireOperatorCustomer)),

    route(endpoints.operatorListPlacements, (call) => answerPlacements(db, call)),
  ];
}
