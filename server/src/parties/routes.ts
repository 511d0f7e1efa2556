import { balanceGroupEndpoints as endpoints } from '@saldo/api';
import { recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { searchValue } from '../platform/db/search.ts';
import { pageByEic, paginate } from '../platform/http/paging.ts';
import { answerChanged, answerTagged, ifMatch } from '../platform/http/preconditions.ts';
import { type Call, type Route, replicaRoute, writeRoute } from '../platform/http/routes.ts';
import { type BalanceGroupUpdate, getBalanceGroup, updateBalanceGroup } from './actions.ts';
import { type BalanceGroupRow, listBalanceGroups } from './store.ts';
import { wireBalanceGroup, wireOwnBalanceGroup } from './wire.ts';

export function balanceGroupRoutes(clock: Clock): Route[] {
  return [
    replicaRoute(endpoints.listOwnBalanceGroups, async ({ viewer, query, page }, db) => {
      const filter = { tso: null, search: searchValue(query.search) };
      const rows = await listBalanceGroups(db, viewer, filter, pageByEic(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.eic]);
      return { balance_groups: records.map(wireOwnBalanceGroup), pagination };
    }),

    replicaRoute(endpoints.getOwnBalanceGroup, (call, db) =>
      answerBalanceGroup(db, call, wireOwnBalanceGroup),
    ),

    writeRoute(endpoints.updateOwnBalanceGroup, (call, tx) =>
      changeBalanceGroup(tx, call, { tsos: call.body.enabled_tsos }, wireOwnBalanceGroup, clock.now()),
    ),
  ];
}

/** BRP and operator share the record and the actions, but not the JSON representation. */
type Wire = (row: BalanceGroupRow) => object;
type GroupCall = Pick<
  Call<typeof endpoints.getOwnBalanceGroup>,
  'viewer' | 'actor' | 'params' | 'request' | 'reply'
>;

export async function answerBalanceGroup(db: Db, call: GroupCall, wire: Wire): Promise<object> {
  return answerTagged(call, wire(await getBalanceGroup(db, call.viewer, call.params.eic)));
}

export async function changeBalanceGroup(
  tx: Tx,
  call: GroupCall,
  update: BalanceGroupUpdate,
  wire: Wire,
  now: number,
): Promise<object> {
  const { viewer, params, request } = call;
  const change = await updateBalanceGroup(tx, viewer, params.eic, update, ifMatch(request, wire), now);
  const [before, after] = [wireBalanceGroup(change.before), wireBalanceGroup(change.after)];
  await recordAudit(tx, call, { action: 'balance_group.updated', subject: after.eic, before, after }, now);
  return answerChanged(call, wire(change.after));
}
