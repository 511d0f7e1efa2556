import type { SeriesKind } from '@saldo/core/enums.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList } from '../platform/db/filtered-list.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow, updateRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** The owner is an asset or a customer: exactly one of the two ids is set. */
export type SeriesRow = {
  no: number;
  id: string;
  kind: SeriesKind;
  asset_id: string | null;
  customer_id: string | null;
  name: string;
  market_location: string | null;
  created_at: number;
};

const COLUMNS = 'no, id, kind, asset_id, customer_id, name, market_location, created_at';

/** $1 id of the last row on the previous page, $2 row limit. An owner or a market location has two series at most. */
const LIST = filteredList({
  make: statement,
  name: 'list_series',
  ownParameters: 2,
  filters: {
    asset: { type: 'uuid', condition: (asset) => `asset_id = ${asset}` },
    customer: { type: 'uuid', condition: (customer) => `customer_id = ${customer}` },
    location: { type: 'text', condition: (location) => `market_location = ${location}` },
    kind: { type: 'series_kind', condition: (kind) => `kind = ${kind}` },
  },
  leads: ['asset', 'customer', 'location', 'kind'],
  text: (where) => `select ${COLUMNS} from series where id > $1 and ${where} order by id limit $2`,
});

export type SeriesFilter = {
  readonly kind?: SeriesKind | undefined;
  readonly asset?: string;
  readonly customer?: string;
  readonly location?: string | undefined;
};

export const listSeries = (
  db: Db,
  filter: SeriesFilter,
  { after, count }: { after: string; count: number },
): Promise<SeriesRow[]> => db.query<SeriesRow>(...LIST([after, count], filter));

/** Series by id, by number, and by market location and kind. */
export type SeriesNames = {
  readonly ids?: readonly string[];
  readonly nos?: readonly number[];
  readonly locations?: readonly { readonly marketLocation: string; readonly kind: SeriesKind }[];
};

/** The numbers are found by index look-ups first: an OR of both conditions would read the whole table. */
const NAMED = `select ${COLUMNS} from series
   where no = any(array(
     select no from series where id = any($1::uuid[])
     union all
     select s.no from unnest($2::text[], $3::series_kind[]) as named (market_location, kind)
     join series s on s.market_location = named.market_location and s.kind = named.kind
     union all select unnest($4::int[])
   )) order by no`;
const READ_SERIES = statement('series_of_batch', NAMED);
/**
 * Every writer of values, and every change of a contract that takes a share, locks the series first and the contracts
 * after them, each with one statement and in the order of their numbers, so that two of them cannot deadlock.
 */
const LOCK_SERIES = statement('lock_series_of_batch', `${NAMED} for no key update`);

const namedValues = ({ ids = [], nos = [], locations = [] }: SeriesNames): unknown[] => [
  ids,
  locations.map(({ marketLocation }) => marketLocation),
  locations.map(({ kind }) => kind),
  nos,
];

/** In the order of their numbers; unknown names are left out. */
export const readSeries = (db: Db, names: SeriesNames): Promise<SeriesRow[]> =>
  db.query<SeriesRow>(READ_SERIES, namedValues(names));

/** Locks series for this transaction, in the order of their numbers. */
export const lockSeries = (tx: Tx, names: SeriesNames): Promise<SeriesRow[]> =>
  tx.query<SeriesRow>(LOCK_SERIES, namedValues(names));

const PAIR_OF = statement(
  'series_of_same_owner',
  `select s.* from series named join series s on s.asset_id = named.asset_id where named.id = $1
   union all
   select s.* from series named join series s on s.customer_id = named.customer_id where named.id = $1`,
);

/** All series of the owner of a series, itself included; none if the series does not exist. */
export const findSeriesOfOwner = (db: Db, id: string): Promise<SeriesRow[]> =>
  db.query<SeriesRow>(PAIR_OF, [id]);

const LOCK_RECORDS = statement(
  'lock_series_records',
  "select pg_advisory_xact_lock(hashtext('saldo series'))",
);

/**
 * Serialises the creation and change of series, so that a check for duplicates holds until the commit. Taken before any
 * other lock; writers of values do not take it.
 */
export async function lockSeriesRecords(tx: Tx): Promise<void> {
  await tx.query(LOCK_RECORDS);
}

const SAME_KIND = statement(
  'series_of_owner_or_location',
  `select ${COLUMNS} from series
   where no = any(array(
     select no from series where kind = $1 and asset_id = $2
     union all select no from series where kind = $1 and customer_id = $3
     union all select no from series where kind = $1 and market_location = $4
   )) order by no`,
);

/** The series of this kind that have the same owner or the same market location. */
export const findSeriesOfKind = (db: Db, series: NewSeries): Promise<SeriesRow[]> => {
  const { kind, asset_id, customer_id, market_location } = series;
  return db.query<SeriesRow>(SAME_KIND, [kind, asset_id, customer_id, market_location]);
};

export type NewSeries = Omit<SeriesRow, 'no' | 'id' | 'created_at'>;

export async function insertSeries(tx: Tx, series: NewSeries, now: number): Promise<SeriesRow> {
  const row = { ...series, id: newId(), created_at: timestamp(now) };
  const [made] = await insertRow<SeriesRow>(tx, 'series', row, `returning ${COLUMNS}`);
  return made!;
}

export async function saveSeries(
  tx: Tx,
  { no, name, market_location }: Pick<SeriesRow, 'no' | 'name' | 'market_location'>,
): Promise<void> {
  await updateRow(tx, 'series', { no }, { name, market_location });
}
