import { customerEndpoints } from '@saldo/api';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/database.ts';
import { decodeId, ID_PREFIX } from '../../domain/id.ts';
import { pageById, paginate } from '../../http/paging.ts';
import { isFresh, meetsIfMatch } from '../../http/preconditions.ts';
import { type Route, route } from '../../http/routes.ts';
import { customerNotFound, updateCustomer } from './actions.ts';
import { findCustomer, listCustomers } from './store.ts';
import { customerTag, wireCustomer } from './wire.ts';

export function customerRoutes(db: Database, clock: Clock): Route[] {
  return [
    route(customerEndpoints.listCustomers, async ({ viewer, query, page }) => {
      const filter = {
        status: query.status ?? null,
        eic: query.eic ?? null,
        tso: query.tso ?? null,
        search: query.search ?? null,
      };
      const rows = await listCustomers(db, viewer, filter, pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { customers: records.map(wireCustomer), pagination };
    }),

    route(customerEndpoints.getCustomer, async ({ viewer, params, request, reply }) => {
      const row = await findCustomer(db, viewer, customerUuid(params.customer_id));
      if (row === null) throw customerNotFound();
      const tag = customerTag(row);
      reply.header('etag', tag);
      if (isFresh(request.headers['if-none-match'], tag)) return reply.code(304).send();
      return wireCustomer(row);
    }),

    route(customerEndpoints.updateCustomer, async ({ viewer, params, body, request, reply }) => {
      const id = customerUuid(params.customer_id);
      const ifMatch = request.headers['if-match'];
      const holds = (current: Parameters<typeof customerTag>[0]) =>
        meetsIfMatch(ifMatch, customerTag(current));
      const row = await updateCustomer(db, viewer, id, body, holds, clock.now());
      reply.header('etag', customerTag(row));
      return wireCustomer(row);
    }),
  ];
}

function customerUuid(id: string): string {
  const uuid = decodeId(ID_PREFIX.customer, id);
  if (uuid === null) throw customerNotFound();
  return uuid;
}
