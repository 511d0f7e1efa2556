import { operatorContractEndpoints as endpoints } from '@saldo/api';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/database.ts';
import { kwFromMw } from '../../domain/energy.ts';
import { decodeId, encodeId, ID_PREFIX } from '../../domain/id.ts';
import { pageById, paginate } from '../../http/paging.ts';
import { fieldProblem, problem } from '../../http/problem.ts';
import { type Route, route, writeRoute } from '../../http/routes.ts';
import { recordAudit } from '../audit/store.ts';
import {
  type AssetRow,
  findAssets,
  insertAsset,
  listAssets,
  lockAsset,
  saveAsset,
  wireAsset,
} from './store.ts';

export function operatorMarketRoutes(db: Db, clock: Clock): Route[] {
  return [
    writeRoute(endpoints.createAsset, async (call, tx) => {
      const now = clock.now();
      const { name, technology, nominal_power, tso } = call.body;
      const asset = { name, technology, tso, nominal_power_kw: wholeKw(nominal_power) };
      const after = wireAsset({ ...asset, id: await insertAsset(tx, asset, now) });
      await recordAudit(tx, call, { action: 'asset.created', subject: after.id, before: null, after }, now);
      return after;
    }),

    route(endpoints.listAssets, async ({ query, page }) => {
      const filter = { technology: query.technology ?? null, tso: query.tso ?? null };
      const rows = await listAssets(db, filter, pageById(page));
      const { records, pagination } = paginate(page, rows, (row) => [row.id]);
      return { assets: records.map(wireAsset), pagination };
    }),

    route(endpoints.getAsset, async ({ params }) => {
      const [row] = await findAssets(db, [assetUuid(params.asset_id)]);
      if (!row) throw assetNotFound();
      return wireAsset(row);
    }),

    writeRoute(endpoints.updateAsset, async (call, tx) => {
      const { nominal_power: power, ...rest } = call.body;
      const powerKw = power === undefined ? null : wholeKw(power);
      const row = await lockAsset(tx, assetUuid(call.params.asset_id));
      if (row === null) throw assetNotFound();
      const changed: AssetRow = { ...row, ...rest, nominal_power_kw: powerKw ?? row.nominal_power_kw };
      await saveAsset(tx, changed);
      const [before, after] = [wireAsset(row), wireAsset(changed)];
      const deed = { action: 'asset.updated', subject: encodeId(ID_PREFIX.asset, row.id), before, after };
      await recordAudit(tx, call, deed, clock.now());
      return after;
    }),
  ];
}

const assetNotFound = () => problem('asset_not_found', 'There is no such asset.');

function assetUuid(id: string): string {
  const uuid = decodeId(ID_PREFIX.asset, id);
  if (uuid === null) throw assetNotFound();
  return uuid;
}

function wholeKw(powerMw: number): number {
  const kw = kwFromMw(powerMw);
  if (kw === null) throw fieldProblem('nominal_power', 'invalid_format', 'must have at most 3 decimals');
  return kw;
}
