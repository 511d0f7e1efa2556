import { type Customer, customerEndpoints, type QueryOf } from '@saldo/api';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Db } from '../platform/db/database.ts';
import { searchValue } from '../platform/db/search.ts';
import { readPage } from '../platform/http/paging.ts';
import { answerTagged } from '../platform/http/preconditions.ts';
import { type Call, type Route, route } from '../platform/http/routes.ts';
import { customerNotFound } from './actions.ts';
import { listPlacements, wirePlacement } from './placements.ts';
import { type CustomerFilter, type CustomerRow, findCustomer, listCustomers } from './store.ts';
import { wireCustomer } from './wire.ts';

/** `updateCustomer` and its preview are in customer-changes/routes.ts, because a change corrects transactions. */
export function customerRoutes(db: Db): Route[] {
  return [
    route(customerEndpoints.listCustomers, async ({ viewer, query, page }) => {
      const filter = customerFilter(query);
      const { records, pagination } = await readPage(page, undefined, (start) =>
        listCustomers(db, viewer, filter, start),
      );
      return { customers: records.map(wireCustomer), pagination };
    }),

    route(customerEndpoints.getCustomer, (call) => answerCustomer(db, call, wireCustomer)),

    route(customerEndpoints.listPlacements, (call) => answerPlacements(db, call)),
  ];
}

export const customerFilter = (query: QueryOf<typeof customerEndpoints.listCustomers>): CustomerFilter => ({
  status: query.status ?? null,
  eic: query.eic ?? null,
  tso: query.tso ?? null,
  search: searchValue(query.search),
});

/** BRP and operator share the record and the actions, but not the JSON representation. */
export type Wire = (row: CustomerRow) => Customer;
export type CustomerCall = Pick<
  Call<typeof customerEndpoints.getCustomer>,
  'viewer' | 'params' | 'request' | 'reply'
>;
export async function answerCustomer(db: Db, call: CustomerCall, wire: Wire): Promise<object> {
  const row = await findCustomer(db, call.viewer, customerUuid(call.params.customer_id));
  if (row === null) throw customerNotFound();
  return answerTagged(call, wire(row));
}

export async function answerPlacements(db: Db, { viewer, params }: CustomerCall): Promise<object> {
  const id = customerUuid(params.customer_id);
  if ((await findCustomer(db, viewer, id)) === null) throw customerNotFound();
  return { placements: (await listPlacements(db, viewer, id)).map(wirePlacement) };
}

export function customerUuid(id: string): string {
  const uuid = decodeId(ID_PREFIX.customer, id);
  if (uuid === null) throw customerNotFound();
  return uuid;
}
