import type { Asset, Tso } from '@saldo/api';
import { type Db, statement, type Tx } from '../../db/database.ts';
import { newId } from '../../db/new-id.ts';
import { timestamp } from '../../db/wire-types.ts';
import { encodeId, ID_PREFIX } from '../../domain/id.ts';

export type AssetRow = {
  id: string;
  name: string;
  nominal_power_kw: number;
  technology: Asset['technology'];
  tso: Tso;
};

const INSERT_ASSET = statement(
  'insert_asset',
  'insert into asset (id, name, nominal_power_kw, technology, tso, created_at) values ($1, $2, $3, $4, $5, $6)',
);

export async function insertAsset(tx: Tx, asset: Omit<AssetRow, 'id'>, now: number): Promise<string> {
  const id = newId();
  await tx.query(INSERT_ASSET, [
    id,
    asset.name,
    asset.nominal_power_kw,
    asset.technology,
    asset.tso,
    timestamp(now),
  ]);
  return id;
}

const FIND_ASSETS = statement(
  'find_assets',
  'select id, name, nominal_power_kw, technology, tso from asset where id = any($1::uuid[])',
);

/** Assets by their ids, in the order of the ids. Who may see a contract or transaction may see its asset. */
export async function findAssets(db: Db, ids: readonly string[]): Promise<AssetRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<AssetRow>(FIND_ASSETS, [ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export const wireAsset = (row: AssetRow): Asset => ({
  id: encodeId(ID_PREFIX.asset, row.id),
  name: row.name,
  nominal_power: row.nominal_power_kw / 1000,
  technology: row.technology,
  tso: row.tso,
});
