import { type Customer, customerEndpoints, portalCustomerEndpoints, type QueryOf } from '@saldo/api';
import { ID_PREFIX } from '@saldo/core/id.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { searchValue } from '../platform/db/search.ts';
import { type PageRequest, readPage } from '../platform/http/paging.ts';
import { answerTagged } from '../platform/http/preconditions.ts';
import { getUuid } from '../platform/http/problem.ts';
import { type Call, type Route, replicaRoute } from '../platform/http/routes.ts';
import { customerNotFound } from './actions.ts';
import { listPlacements, wirePlacement } from './placements.ts';
import { CUSTOMER_SORTINGS, type CustomerRow, findCustomer, listCustomers } from './store.ts';
import { wireCustomer } from './wire.ts';

/** `updateCustomer` and its preview are in customer-changes/routes.ts, because a change corrects transactions. */
export function customerRoutes(): Route[] {
  return [
    replicaRoute(customerEndpoints.listCustomers, (call, db) => answerCustomers(db, call, wireCustomer)),

    replicaRoute(customerEndpoints.getCustomer, (call, db) => answerCustomer(db, call, wireCustomer)),

    replicaRoute(customerEndpoints.listPlacements, (call, db) => answerPlacements(db, call)),
  ];
}

/** For users of a BRP: the list of the BRP API with an order. */
export const portalCustomerRoutes = (): Route[] => [
  replicaRoute(portalCustomerEndpoints.listOwnCustomers, (call, db) =>
    answerCustomers(db, call, wireCustomer),
  ),
];

type ListQuery = QueryOf<typeof portalCustomerEndpoints.listOwnCustomers>;
type ListCall = { readonly viewer: Viewer; readonly query: ListQuery; readonly page: PageRequest };

/** Answers a page of the customers that the viewer may see. The BRP API has no `sort`. */
export async function answerCustomers(
  db: Db,
  { viewer, query, page }: ListCall,
  wire: Wire,
): Promise<object> {
  const { sort } = query;
  const filter = { ...query, search: searchValue(query.search) };
  const { records, pagination } = await readPage(page, sort && CUSTOMER_SORTINGS[sort], (start) =>
    listCustomers(db, viewer, filter, start, sort),
  );
  return { customers: records.map(wire), pagination };
}

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

export const customerUuid = (id: string) => getUuid(ID_PREFIX.customer, id, customerNotFound);
