import {
  contractEndpoints,
  type operatorContractEndpoints,
  portalContractEndpoints,
  type QueryOf,
} from '@saldo/api';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { searchValue } from '../platform/db/search.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';
import { type PageRequest, readPage } from '../platform/http/paging.ts';
import { type Route, replicaRoute } from '../platform/http/routes.ts';
import { deliveryRange, instantOf, startOf } from '../platform/http/time-filter.ts';
import { contractNotFound } from './actions.ts';
import { CONTRACT_SORTINGS, type ContractRow, findContract, listContracts } from './store.ts';
import { wireContract, wireOperatorContract } from './wire.ts';

/** Same 404 for an unknown contract and for one of another BRP, so that ids cannot be probed. */
export async function getContract(db: Db, viewer: Viewer, id: string): Promise<ContractRow> {
  const uuid = decodeId(ID_PREFIX.contract, id);
  const row = uuid === null ? null : await findContract(db, viewer, uuid);
  if (row === null) throw contractNotFound();
  return row;
}

type ListQuery = QueryOf<typeof operatorContractEndpoints.operatorListContracts>;
type ListCall = { viewer: Viewer; query: ListQuery; page: PageRequest };

/** Answers a page of the contracts that the viewer may see. The BRP API has no `external_id`, `search` and `sort`. */
export async function answerContracts(
  db: Db,
  { viewer, query, page }: ListCall,
  now: number,
): Promise<object> {
  const day = query.active_on;
  const active = day === undefined ? null : deliveryRange({ delivery_date: day });
  const filter = {
    ...query,
    delivery_start: timestampOrNull(startOf(query.delivery_start)),
    delivery_end: timestampOrNull(instantOf(query.delivery_end)),
    active_from: active && timestamp(active.start),
    active_until: active && timestamp(active.end),
    search: searchValue(query.search),
  };
  const sort = viewer.kind === 'operator' ? query.sort : undefined;
  const { records, pagination } = await readPage(page, sort && CONTRACT_SORTINGS[sort], (start) =>
    listContracts(db, viewer, filter, start, now, sort),
  );
  const wire = viewer.kind === 'operator' ? wireOperatorContract : wireContract;
  return { contracts: records.map((row) => wire(row, now)), pagination };
}

/** For users of a BRP: the list of the BRP API with the parameters that only the portal needs. */
export const portalContractRoutes = (clock: Clock): Route[] => [
  replicaRoute(portalContractEndpoints.searchOwnContracts, (call, db) =>
    answerContracts(db, call, clock.now()),
  ),
];

export function contractRoutes(clock: Clock): Route[] {
  return [
    replicaRoute(contractEndpoints.listContracts, (call, db) => answerContracts(db, call, clock.now())),

    replicaRoute(contractEndpoints.getContract, async ({ viewer, params }, db) =>
      wireContract(await getContract(db, viewer, params.contract_id), clock.now()),
    ),
  ];
}
