import type { Asset, AssetSort, DemandSort, OfferPpaType, Tso } from '@saldo/api';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList } from '../platform/db/filtered-list.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow, updateRow } from '../platform/db/rows.ts';
import { searchFilter, searchPage } from '../platform/db/search.ts';
import { BY_ID, type ListStart, type Sorting, sortedLists, textKey } from '../platform/db/sorted-list.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';

export type AssetRow = {
  id: string;
  name: string;
  nominal_power_kw: number;
  technology: Asset['technology'];
  tso: Tso;
};

export async function insertAsset(tx: Tx, asset: Omit<AssetRow, 'id'>, now: number): Promise<string> {
  const id = newId();
  await insertRow(tx, 'asset', { ...asset, id, created_at: timestamp(now) });
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

/** The bounds of the type int. */
const [MIN_INTEGER, MAX_INTEGER] = [-(2 ** 31), 2 ** 31 - 1];

const OFFER_OF_ASSET = '(select o.published_no from offer o where o.asset_id = a.id)';

/**
 * $1 id of the last row on the previous page, $2 row limit, $3 value of the sort key of a sorted list. Offered assets are
 * found through the table of offers.
 */
const assetList = (suffix = '', order = BY_ID) =>
  filteredList({
    make: statement,
    name: `list_assets${suffix}`,
    ownParameters: order === BY_ID ? 2 : 3,
    filters: {
      technology: { type: 'technology', condition: (technology) => `a.technology = ${technology}` },
      tso: { type: 'tso', condition: (tso) => `a.tso = ${tso}` },
      isOffered: { type: 'boolean', condition: (yes) => `(${yes} and ${OFFER_OF_ASSET} is not null)` },
      isNotOffered: { type: 'boolean', condition: (yes) => `(${yes} and ${OFFER_OF_ASSET} is null)` },
      search: searchFilter('a.search_text'),
    },
    leads: order === BY_ID ? ['search', 'technology', 'tso', 'isOffered'] : ['search'],
    text: (where, lead, parameterOf) => {
      const columns = 'a.id, a.name, a.nominal_power_kw, a.technology, a.tso';
      if (lead === 'search')
        return `select ${columns} from ${searchPage('asset', 'a', parameterOf('search'), where, order)} a
          order by ${order.by('a')} limit $2`;
      if (lead === 'isOffered')
        return `select ${columns} from offer f join asset a on a.id = f.asset_id
          where f.asset_id > $1 and ${where} order by f.asset_id limit $2`;
      return `select ${columns} from asset a
        where ${order.beyond('a')} and ${where} order by ${order.by('a')} limit $2`;
    },
  });
const LIST_ASSETS = assetList();
const SORTED_ASSETS = sortedLists(
  {
    name: textKey<AssetRow>('name', ({ name }) => name),
    nominal_power: {
      column: 'nominal_power_kw',
      expression: (value) => value,
      valueOf: ({ nominal_power_kw: power }) => power,
      bounds: [MIN_INTEGER, MAX_INTEGER],
    },
  },
  '$3',
  assetList,
);
export const ASSET_SORTINGS: Readonly<Record<AssetSort, Sorting<AssetRow>>> = SORTED_ASSETS;
const LOCK_ASSET = statement('lock_asset', `select ${COLUMNS} from asset where id = $1 for update`);

export type AssetFilter = {
  technology: Asset['technology'] | null;
  tso: Tso | null;
  offered: boolean | null;
  search: string | null;
};

export function listAssets(
  db: Db,
  filter: AssetFilter,
  { after, value, count }: ListStart,
  sort?: AssetSort,
): Promise<AssetRow[]> {
  const list = sort ? SORTED_ASSETS[sort].list : LIST_ASSETS;
  const { technology, tso, offered, search } = filter;
  return db.query<AssetRow>(
    ...list([after, count, ...(sort ? [value] : [])], {
      ...{ technology, tso, search },
      isOffered: offered === true ? true : null,
      isNotOffered: offered === false ? true : null,
    }),
  );
}

/** Locks the asset for this transaction, so that concurrent changes are serialised. */
export async function lockAsset(tx: Tx, id: string): Promise<AssetRow | null> {
  const [row] = await tx.query<AssetRow>(LOCK_ASSET, [id]);
  return row ?? null;
}

export async function saveAsset(tx: Tx, { id, ...asset }: AssetRow): Promise<void> {
  await updateRow(tx, 'asset', { id }, asset);
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

const FIND_OFFERS = statement(
  'find_offers',
  `select published_no, asset_id, published_at, ${OFFER_CONTENT} from offer where asset_id = any($1::uuid[])`,
);
const DELETE_OFFER = statement('delete_offer', 'delete from offer where published_no = $1');

/** Finds the offers of these assets, by asset id. Assets without an offer have no entry. */
export async function findOffers(db: Db, assetIds: readonly string[]): Promise<Map<string, OfferRow>> {
  const rows = await db.query<OfferRow>(FIND_OFFERS, [assetIds]);
  return new Map(rows.map((row) => [row.asset_id, row]));
}

const offerColumns = (offer: OfferRow) => ({
  ...offer,
  delivery_start: timestamp(offer.delivery_start),
  published_at: timestamp(offer.published_at),
});

export async function insertOffer(tx: Tx, offer: OfferRow): Promise<void> {
  await insertRow(tx, 'offer', offerColumns(offer));
}

export async function saveOffer(tx: Tx, offer: OfferRow): Promise<void> {
  await updateRow(tx, 'offer', { published_no: offer.published_no }, offerColumns(offer));
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

const DEMAND_COLUMNS =
  'published_no, id, published_at, contract_years, annual_kwh, additional_info, country, state, delivery_start';

const FIND_DEMAND = statement('find_demand', `select ${DEMAND_COLUMNS} from demand where id = $1`);
const LOCK_DEMAND = statement('lock_demand', `select ${DEMAND_COLUMNS} from demand where id = $1 for update`);
/** $1 id of the last row on the previous page, $2 row limit, $3 value of the sort key of a sorted list. */
const demandList = (suffix = '', order = BY_ID) =>
  filteredList({
    make: statement,
    name: `list_demands${suffix}`,
    ownParameters: order === BY_ID ? 2 : 3,
    filters: { country: { type: 'text', condition: (country) => `country = ${country}` } },
    leads: order === BY_ID ? ['country'] : [],
    text: (where) => `select ${DEMAND_COLUMNS} from demand
      where ${order.beyond('demand')} and ${where} order by ${order.by('demand')} limit $2`,
  });
const LIST_DEMANDS = demandList();
const SORTED_DEMANDS = sortedLists(
  {
    published_at: {
      column: 'published_no',
      expression: (value: string) => value,
      valueOf: ({ published_no }: DemandRow) => published_no,
      bounds: [MIN_INTEGER, MAX_INTEGER],
      isUnique: true,
    },
  },
  '$3',
  demandList,
);
export const DEMAND_SORTINGS: Readonly<Record<DemandSort, Sorting<DemandRow>>> = SORTED_DEMANDS;
const DELETE_DEMAND = statement('delete_demand', 'delete from demand where published_no = $1');

export async function findDemand(db: Db, id: string): Promise<DemandRow | null> {
  const [row] = await db.query<DemandRow>(FIND_DEMAND, [id]);
  return row ?? null;
}

export async function lockDemand(tx: Tx, id: string): Promise<DemandRow | null> {
  const [row] = await tx.query<DemandRow>(LOCK_DEMAND, [id]);
  return row ?? null;
}

export function listDemands(
  db: Db,
  country: string | null,
  { after, value, count }: ListStart,
  sort?: DemandSort,
): Promise<DemandRow[]> {
  const list = sort ? SORTED_DEMANDS[sort].list : LIST_DEMANDS;
  return db.query<DemandRow>(...list([after, count, ...(sort ? [value] : [])], { country }));
}

const demandColumns = (demand: DemandRow) => ({
  ...demand,
  delivery_start: timestampOrNull(demand.delivery_start),
  published_at: timestamp(demand.published_at),
});

export async function insertDemand(tx: Tx, demand: DemandRow): Promise<void> {
  await insertRow(tx, 'demand', demandColumns(demand));
}

export async function saveDemand(tx: Tx, demand: DemandRow): Promise<void> {
  await updateRow(tx, 'demand', { id: demand.id }, demandColumns(demand));
}

export async function deleteDemand(tx: Tx, publishedNo: number): Promise<void> {
  await tx.query(DELETE_DEMAND, [publishedNo]);
}
