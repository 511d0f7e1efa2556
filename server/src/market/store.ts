import type { Asset, OfferPpaType, Tso } from '@saldo/api';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList } from '../platform/db/filtered-list.ts';
import { newId } from '../platform/db/new-id.ts';
import { searchFilter, searchPage } from '../platform/db/search.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';

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

/** Finds assets in the order of `ids`. No check of the viewer: the caller has found the ids in visible records. */
export async function findAssets(db: Db, ids: readonly string[]): Promise<AssetRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<AssetRow>(FIND_ASSETS, [ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const OFFER_OF_ASSET = '(select o.published_no from offer o where o.asset_id = a.id)';

/** $1 id of the last row on the previous page, $2 row limit. Offered assets are found through the table of offers. */
const LIST_ASSETS = filteredList({
  make: statement,
  name: 'list_assets',
  ownParameters: 2,
  filters: {
    technology: { type: 'technology', condition: (technology) => `a.technology = ${technology}` },
    tso: { type: 'tso', condition: (tso) => `a.tso = ${tso}` },
    isOffered: { type: 'boolean', condition: (yes) => `(${yes} and ${OFFER_OF_ASSET} is not null)` },
    isNotOffered: { type: 'boolean', condition: (yes) => `(${yes} and ${OFFER_OF_ASSET} is null)` },
    search: searchFilter('a.search_text'),
  },
  leads: ['search', 'technology', 'tso', 'isOffered'],
  text: (where, lead, parameterOf) => {
    if (lead === 'search') {
      return `select a.id, a.name, a.nominal_power_kw, a.technology, a.tso
        from ${searchPage('asset', 'a', parameterOf('search'), where)} a order by a.id limit $2`;
    }
    const [from, id] =
      lead === 'isOffered'
        ? ['offer f join asset a on a.id = f.asset_id', 'f.asset_id']
        : ['asset a', 'a.id'];
    return `select a.id, a.name, a.nominal_power_kw, a.technology, a.tso
      from ${from} where ${id} > $1 and ${where} order by ${id} limit $2`;
  },
});
const LOCK_ASSET = statement('lock_asset', `select ${COLUMNS} from asset where id = $1 for update`);
const UPDATE_ASSET = statement(
  'update_asset',
  'update asset set name = $2, nominal_power_kw = $3, technology = $4, tso = $5 where id = $1',
);

export type AssetFilter = {
  technology: Asset['technology'] | null;
  tso: Tso | null;
  offered: boolean | null;
  search: string | null;
};
type Page = { after: string; count: number };

export const listAssets = (db: Db, filter: AssetFilter, page: Page): Promise<AssetRow[]> =>
  db.query<AssetRow>(
    ...LIST_ASSETS([page.after, page.count], {
      technology: filter.technology,
      tso: filter.tso,
      isOffered: filter.offered === true ? true : null,
      isNotOffered: filter.offered === false ? true : null,
      search: filter.search,
    }),
  );

/** Locks the asset for this transaction, so that concurrent changes are serialised. */
export async function lockAsset(tx: Tx, id: string): Promise<AssetRow | null> {
  const [row] = await tx.query<AssetRow>(LOCK_ASSET, [id]);
  return row ?? null;
}

export async function saveAsset(tx: Tx, row: AssetRow): Promise<void> {
  await tx.query(UPDATE_ASSET, [row.id, row.name, row.nominal_power_kw, row.technology, row.tso]);
}

/** The content of an offer, without its place and date in the list. */
export type OfferContent = {
  ppa_type: OfferPpaType;
  average_annual_kwh: number | null;
  delivery_start: number;
  additional_info: string | null;
  state: string | null;
  country: string;
  /** A stored cover or an external URL; at most one of them is set. */
  cover_name: string | null;
  cover_url: string | null;
  price_years: number[];
  price_cents: number[];
};
export type OfferRow = OfferContent & { published_no: number; asset_id: string; published_at: number };

const OFFER_CONTENT =
  'ppa_type, average_annual_kwh, delivery_start, additional_info, state, country, cover_name, cover_url, ' +
  'price_years, price_cents';
const contentValues = (offer: OfferContent) => [
  offer.ppa_type,
  offer.average_annual_kwh,
  timestamp(offer.delivery_start),
  offer.additional_info,
  offer.state,
  offer.country,
  offer.cover_name,
  offer.cover_url,
  offer.price_years,
  offer.price_cents,
];

const FIND_OFFERS = statement(
  'find_offers',
  `select published_no, asset_id, published_at, ${OFFER_CONTENT} from offer where asset_id = any($1::uuid[])`,
);
const INSERT_OFFER = statement(
  'insert_offer',
  `insert into offer (published_no, asset_id, published_at, ${OFFER_CONTENT})
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);
const UPDATE_OFFER = statement(
  'update_offer',
  `update offer set (${OFFER_CONTENT}) = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11) where asset_id = $1`,
);
const DELETE_OFFER = statement('delete_offer', 'delete from offer where published_no = $1');

/** Finds the offers of these assets, by asset id. Assets without an offer have no entry. */
export async function findOffers(db: Db, assetIds: readonly string[]): Promise<Map<string, OfferRow>> {
  const rows = await db.query<OfferRow>(FIND_OFFERS, [assetIds]);
  return new Map(rows.map((row) => [row.asset_id, row]));
}

export async function insertOffer(tx: Tx, offer: OfferRow): Promise<void> {
  const { published_no, asset_id, published_at } = offer;
  await tx.query(INSERT_OFFER, [published_no, asset_id, timestamp(published_at), ...contentValues(offer)]);
}

export async function saveOffer(tx: Tx, offer: OfferRow): Promise<void> {
  await tx.query(UPDATE_OFFER, [offer.asset_id, ...contentValues(offer)]);
}

export async function deleteOffer(tx: Tx, publishedNo: number): Promise<void> {
  await tx.query(DELETE_OFFER, [publishedNo]);
}

export type DemandContent = {
  contract_years: number;
  annual_kwh: number;
  additional_info: string | null;
  country: string;
  state: string | null;
  delivery_start: number | null;
};
export type DemandRow = DemandContent & { published_no: number; id: string; published_at: number };

const DEMAND_CONTENT = 'contract_years, annual_kwh, additional_info, country, state, delivery_start';
const DEMAND_COLUMNS = `published_no, id, published_at, ${DEMAND_CONTENT}`;
const demandValues = (demand: DemandContent) => [
  demand.contract_years,
  demand.annual_kwh,
  demand.additional_info,
  demand.country,
  demand.state,
  timestampOrNull(demand.delivery_start),
];

const FIND_DEMAND = statement('find_demand', `select ${DEMAND_COLUMNS} from demand where id = $1`);
const LOCK_DEMAND = statement('lock_demand', `select ${DEMAND_COLUMNS} from demand where id = $1 for update`);
/** $1 id of the last row on the previous page, $2 row limit. */
const LIST_DEMANDS = filteredList({
  make: statement,
  name: 'list_demands',
  ownParameters: 2,
  filters: { country: { type: 'text', condition: (country) => `country = ${country}` } },
  leads: ['country'],
  text: (where) => `select ${DEMAND_COLUMNS} from demand where id > $1 and ${where} order by id limit $2`,
});
const INSERT_DEMAND = statement(
  'insert_demand',
  `insert into demand (${DEMAND_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const UPDATE_DEMAND = statement(
  'update_demand',
  `update demand set (${DEMAND_CONTENT}) = ($2, $3, $4, $5, $6, $7) where id = $1`,
);
const DELETE_DEMAND = statement('delete_demand', 'delete from demand where published_no = $1');

export async function findDemand(db: Db, id: string): Promise<DemandRow | null> {
  const [row] = await db.query<DemandRow>(FIND_DEMAND, [id]);
  return row ?? null;
}

export async function lockDemand(tx: Tx, id: string): Promise<DemandRow | null> {
  const [row] = await tx.query<DemandRow>(LOCK_DEMAND, [id]);
  return row ?? null;
}

export const listDemands = (db: Db, country: string | null, page: Page): Promise<DemandRow[]> =>
  db.query<DemandRow>(...LIST_DEMANDS([page.after, page.count], { country }));

export async function insertDemand(tx: Tx, demand: DemandRow): Promise<void> {
  const { published_no, id, published_at } = demand;
  await tx.query(INSERT_DEMAND, [published_no, id, timestamp(published_at), ...demandValues(demand)]);
}

export async function saveDemand(tx: Tx, demand: DemandRow): Promise<void> {
  await tx.query(UPDATE_DEMAND, [demand.id, ...demandValues(demand)]);
}

export async function deleteDemand(tx: Tx, publishedNo: number): Promise<void> {
  await tx.query(DELETE_DEMAND, [publishedNo]);
}
