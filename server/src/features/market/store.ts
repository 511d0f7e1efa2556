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

const COLUMNS = 'id, name, nominal_power_kw, technology, tso';

const FIND_ASSETS = statement('find_assets', `select ${COLUMNS} from asset where id = any($1::uuid[])`);

/** Assets by their ids, in the order of the ids. Who may see a contract or transaction may see its asset. */
export async function findAssets(db: Db, ids: readonly string[]): Promise<AssetRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<AssetRow>(FIND_ASSETS, [ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const LIST_ASSETS = statement(
  'list_assets',
  `select ${COLUMNS} from asset
   where id > $1 and ($3::technology is null or technology = $3) and ($4::tso is null or tso = $4)
   order by id
   limit $2`,
);
const LOCK_ASSET = statement('lock_asset', `select ${COLUMNS} from asset where id = $1 for update`);
const UPDATE_ASSET = statement(
  'update_asset',
  'update asset set name = $2, nominal_power_kw = $3, technology = $4, tso = $5 where id = $1',
);

export type AssetFilter = { technology: Asset['technology'] | null; tso: Tso | null };

export const listAssets = (
  db: Db,
  filter: AssetFilter,
  page: { after: string; count: number },
): Promise<AssetRow[]> =>
  db.query<AssetRow>(LIST_ASSETS, [page.after, page.count, filter.technology, filter.tso]);

/** Holds the asset for this transaction: of two changes at once, the second sees what the first one did. */
export async function lockAsset(tx: Tx, id: string): Promise<AssetRow | null> {
  const [row] = await tx.query<AssetRow>(LOCK_ASSET, [id]);
  return row ?? null;
}

export async function saveAsset(tx: Tx, row: AssetRow): Promise<void> {
  await tx.query(UPDATE_ASSET, [row.id, row.name, row.nominal_power_kw, row.technology, row.tso]);
}

export const wireAsset = (row: AssetRow): Asset => ({
  id: encodeId(ID_PREFIX.asset, row.id),
  name: row.name,
  nominal_power: row.nominal_power_kw / 1000,
  technology: row.technology,
  tso: row.tso,
});
