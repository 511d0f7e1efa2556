import {
  type Endpoint,
  type LoggedRequest,
  operatorRequestEndpoints,
  portalRequestEndpoints,
  requestEndpoints,
} from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { findActorNames } from '../audit/store.ts';
import { tenantsOf } from '../events/store.ts';
import { OPERATOR_VIEW } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { paginate } from '../platform/http/paging.ts';
import { problem } from '../platform/http/problem.ts';
import { type Call, getOwner, type Route, replicaRoute } from '../platform/http/routes.ts';
import { startOf } from '../platform/http/time-filter.ts';
import type { RequestRecord } from './batch.ts';
import { findRequest, listRequests } from './store.ts';

type AnyPath<E extends Endpoint> = Omit<E, 'path'> & { readonly path: string };
type ListEndpoint = AnyPath<typeof requestEndpoints.listRequests>;
type GetEndpoint = AnyPath<typeof requestEndpoints.getRequest>;

/** The log of one API. */
const routesOf = (list: ListEndpoint, get: GetEndpoint): Route[] => [
  replicaRoute(list, async (call, db) => {
    const { query, page } = call;
    const filter = {
      caller: query.caller ?? null,
      method: query.method ?? null,
      statusClass: query.status_class ?? null,
      route: query.route ?? null,
      since: startOf(query.since),
      until: startOf(query.until),
    };
    const [at, batchId, index] = page.after ?? [];
    const after =
      page.after === null ? null : { at: Number(at), batchId: String(batchId), index: Number(index) };
    const [tenant] = tenantsOf(getOwner(call));
    const rows = await listRequests(db, tenant, filter, { after, count: page.limit + 1 });
    const { records, pagination } = paginate(page, rows, (row) => [row.at, row.batchId, row.index]);
    return { requests: await wireRequests(db, call, records), pagination };
  }),
  replicaRoute(get, async (call, db) => {
    const { request_id: id } = call.params as { request_id: string };
    const found = await findRequest(db, tenantsOf(getOwner(call))[0], id);
    if (found === null) throw problem('request_not_found');
    const [wired] = await wireRequests(db, call, [found]);
    return wired!;
  }),
];

/** With the names of the callers, which are keys and users of the same owner. */
async function wireRequests(
  db: Db,
  call: Call<Endpoint>,
  records: readonly RequestRecord[],
): Promise<LoggedRequest[]> {
  const viewer = call.owner?.type === 'brp' ? call.viewer : OPERATOR_VIEW;
  const callers = records.map(({ caller }) => ({ actor: caller }));
  const names = await findActorNames(db, viewer, callers);
  return records.map((record) => ({
    request_id: record.requestId,
    at: formatInstant(record.at),
    method: record.method,
    route: record.route,
    path: record.path,
    status: record.status,
    duration_ms: record.ms,
    problem: record.problem,
    caller: record.caller,
    caller_name: names.get(record.caller) ?? null,
    address: record.address,
    user_agent: record.userAgent,
  }));
}

export const requestRoutes = () => routesOf(requestEndpoints.listRequests, requestEndpoints.getRequest);
export const operatorRequestRoutes = () =>
  routesOf(operatorRequestEndpoints.operatorListRequests, operatorRequestEndpoints.operatorGetRequest);
export const portalRequestRoutes = () =>
  routesOf(portalRequestEndpoints.listOwnRequests, portalRequestEndpoints.getOwnRequest);
