import { type Customer, customerEndpoints, type OperatorCustomerUpdate, type QueryOf } from '@saldo/api';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { pageById, paginate } from '../platform/http/paging.ts';
import { answerTagged, contentTag, meetsIfMatch } from '../platform/http/preconditions.ts';
import { type Call, type Route, route, writeRoute } from '../platform/http/routes.ts';
import { customerNotFound, updateCustomer } from './actions.ts';
import { type CustomerFilter, type CustomerRow, findCustomer, listCustomers } from './store.ts';
import { wireCustomer, wireOperatorCustomer } from './wire.ts';

export function customerRoutes(db: Db, clock: Clock): Route[] {
  return [
    route(customerEndpoints.listCustomers, async ({ viewer, query, page }) => {
      const rows = await listCustomers(db, viewer, customerFilter(query), pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { customers: records.map(wireCustomer), pagination };
    }),

    route(customerEndpoints.getCustomer, (call) => answerCustomer(db, call, wireCustomer)),

    writeRoute(customerEndpoints.updateCustomer, (call, tx) =>
      changeCustomer(tx, call, wireCustomer, clock.now()),
    ),
  ];
}

export const customerFilter = (query: QueryOf<typeof customerEndpoints.listCustomers>): CustomerFilter => ({
  status: query.status ?? null,
  eic: query.eic ?? null,
  tso: query.tso ?? null,
  search: query.search ?? null,
});

/** BRP and operator share the record and the actions, but not the JSON representation. */
type Wire = (row: CustomerRow) => Customer;
type CustomerCall = Pick<
  Call<typeof customerEndpoints.getCustomer>,
  'viewer' | 'params' | 'request' | 'reply'
>;
type ChangeCall = CustomerCall & { readonly actor: string; readonly body: OperatorCustomerUpdate };

export async function answerCustomer(db: Db, call: CustomerCall, wire: Wire): Promise<object> {
  const row = await findCustomer(db, call.viewer, customerUuid(call.params.customer_id));
  if (row === null) throw customerNotFound();
  return answerTagged(call, wire(row));
}

export async function changeCustomer(tx: Tx, call: ChangeCall, wire: Wire, now: number): Promise<Customer> {
  const { viewer, params, body, request, reply } = call;
  const id = customerUuid(params.customer_id);
  const holds = (current: CustomerRow) =>
    meetsIfMatch(request.headers['if-match'], contentTag(wire(current)));
  const change = await updateCustomer(tx, viewer, id, body, holds, now);
  const [before, after] = [wireOperatorCustomer(change.before), wireOperatorCustomer(change.after)];
  await recordAudit(tx, call, { action: 'customer.updated', subject: after.id, before, after }, now);
  const customer = wire(change.after);
  reply.header('etag', contentTag(customer));
  return customer;
}

function customerUuid(id: string): string {
  const uuid = decodeId(ID_PREFIX.customer, id);
  if (uuid === null) throw customerNotFound();
  return uuid;
}
