import type { Nomination, Tso } from '@saldo/api';
import { type DeliveryDay, MAX_SLOTS, MIN_SLOTS } from '@saldo/core/delivery-day.ts';
import type { Direction } from '@saldo/core/enums.ts';
import type { LedgerConfirmation } from '@saldo/core/ledger/entries.ts';
import { forEachViewer, perViewer, tenantValues, type Viewer, viewedBy } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { type FilterValues, filteredList } from '../platform/db/filtered-list.ts';
import { hotStatement, statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { AsOf } from '../platform/http/as-of.ts';
import { FIRST_ID } from '../platform/http/paging.ts';
import { type InstantRange, wholeDays } from '../platform/http/time-filter.ts';

type NominationStatus = Nomination['status'];

export type NominationRow = {
  id: string;
  delivery_day: DeliveryDay;
  direction: Direction;
  version: number;
  previous_id: string | null;
  status: NominationStatus;
  eic: string;
  tso: Tso;
  gate_closure: number;
  sent_at: number | null;
  confirmed_at: number | null;
  created_at: number;
  /** kWh per slot; absent when the query did not request the slots. */
  amounts?: number[];
  /** kW per slot as confirmed by the TSO; null before the confirmation. */
  matched?: number[] | null;
};

const HEAD = `id, delivery_day, direction, version, previous_id, status, eic, tso, gate_closure, sent_at, confirmed_at,
  created_at`;
const WHOLE = `${HEAD}, amounts, matched`;

/**
 * The nominations as they were at an instant. Only a superseded one can have a next version, and only one that has a
 * matched amount has confirmations, so all others need no further look-up.
 */
const nominationsAsOf = (at: string) => `(
  select n.id, n.position_no, n.brp_no, n.delivery_day, n.direction, n.version, n.previous_id,
    case when n.status = 'superseded' and (
        select next.created_at <= ${at} from nomination next
        where next.position_no = n.position_no and next.delivery_day = n.delivery_day
          and next.direction = n.direction and next.version = n.version + 1)
      then 'superseded' else coalesce(c.status, 'pending') end as status,
    n.eic, n.tso, n.gate_closure, case when n.sent_at <= ${at} then n.sent_at end as sent_at, c.confirmed_at,
    n.created_at, n.amounts, c.matched
  from nomination n
  left join lateral (
    select status, matched, confirmed_at from nomination_confirmation
    where n.matched is not null and nomination_id = n.id and recorded_at <= ${at}
    order by number desc limit 1) as c on true
  where n.created_at <= ${at}) as nomination`;

const FILTERS = {
  eic: { type: 'text', condition: (eic: string) => `eic = ${eic}` },
  status: { type: 'nomination_status', condition: (status: string) => `status = ${status}` },
  tso: { type: 'tso', condition: (tso: string) => `tso = ${tso}` },
  direction: { type: 'direction', condition: (direction: string) => `direction = ${direction}` },
};
const INDEXED = ['eic', 'status'] as const;
/** The status at an instant is derived, so no index has it. */
const INDEXED_AS_OF = ['eic'] as const;

/** Filters have the names of the query parameters. */
export type NominationFilter = FilterValues<keyof typeof FILTERS> & {
  readonly delivery: InstantRange;
  readonly slotFrom: number;
};

/**
 * $1 and $2 day and id of the last row before the page, $3 last day, $4 minimum number of slots of the day, $5 row limit,
 * then the viewer's BRP, then the instant of a list as of one. All nominations of a balance group belong to its BRP, so the operator's filter by EIC can use the
 * index by BRP.
 */
function nominationList(kind: Viewer['kind'], columns: string, name: string, isAsOf: boolean) {
  const tenants = kind === 'brp' ? 1 : 0;
  const source = isAsOf ? nominationsAsOf(`$${6 + tenants}::timestamptz`) : 'nomination';
  return filteredList({
    make: hotStatement,
    name: viewedBy(kind, isAsOf ? `${name}_as_of` : name),
    ownParameters: 5 + tenants + (isAsOf ? 1 : 0),
    filters: FILTERS,
    leads: isAsOf ? INDEXED_AS_OF : INDEXED,
    text: (where, lead, parameterOf) => {
      const owner =
        lead === 'eic'
          ? [`brp_no = (select brp_no from balance_group where eic = ${parameterOf('eic')})`]
          : [];
      const conditions = [
        ...(kind === 'brp' ? ['brp_no = $6'] : owner),
        '(delivery_day, id) > ($1::date, $2::uuid)',
        'delivery_day <= $3::date',
        'cardinality(amounts) >= $4',
        where,
      ];
      return `select ${columns} from ${source} where ${conditions.join(' and ')} order by delivery_day, id limit $5`;
    },
  });
}
const listsOf = (columns: string, name: string) => ({
  now: forEachViewer((kind) => nominationList(kind, columns, name, false)),
  asOf: forEachViewer((kind) => nominationList(kind, columns, name, true)),
});
const LISTS = listsOf(HEAD, 'list_nominations');
const LISTS_WITH_SLOTS = listsOf(WHOLE, 'list_nominations_slots');

/**
 * A filter without an index may skip many rows before a page is full, so such a query is not hot. The filter by slot is
 * cheap as long as every day has the slot.
 */
function isHot({ kind }: Viewer, filter: NominationFilter, asOf: AsOf): boolean {
  const names = Object.keys(FILTERS) as (keyof typeof FILTERS)[];
  const given = names.filter((name) => (filter[name] ?? null) !== null);
  const indexed: readonly string[] = asOf === null ? INDEXED : INDEXED_AS_OF;
  const isIndexed = given.length === 0 || (given.length === 1 && indexed.includes(given[0]!));
  return kind === 'brp' && isIndexed && filter.slotFrom <= MIN_SLOTS;
}

export async function listNominations(
  db: Db,
  viewer: Viewer,
  filter: NominationFilter,
  page: { after: { day: DeliveryDay; id: string }; count: number },
  withSlots: boolean,
  asOf: AsOf = null,
): Promise<NominationRow[]> {
  const { first, last } = wholeDays(filter.delivery);
  const slots = Math.min(filter.slotFrom, MAX_SLOTS);
  // Not as a condition of its own: an index scan starts at the cursor, and would read all entries up to the first day.
  const after = page.after.day < first ? { day: first, id: FIRST_ID } : page.after;
  const own = [after.day, after.id, last, slots, page.count, ...tenantValues(viewer), ...asOfValues(asOf)];
  const lists = withSlots ? LISTS_WITH_SLOTS : LISTS;
  const query = lists[asOf === null ? 'now' : 'asOf'][viewer.kind](own, filter);
  return (isHot(viewer, filter, asOf) ? db.hot : db).query<NominationRow>(...query);
}

const asOfValues = (asOf: AsOf): readonly string[] => (asOf === null ? [] : [timestamp(asOf)]);

const FIND = perViewer(
  hotStatement,
  'find_nominations',
  'brp_no = $2',
  (andTenant) => `select ${WHOLE} from nomination where id = any($1::uuid[])${andTenant}`,
);
const FIND_AS_OF = perViewer(
  hotStatement,
  'find_nominations_as_of',
  'brp_no = $3',
  (andTenant) =>
    `select ${WHOLE} from ${nominationsAsOf('$2::timestamptz')} where id = any($1::uuid[])${andTenant}`,
);

/** Returns the nominations that the viewer may see, in the order of `ids`. */
export async function findNominations(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
  asOf: AsOf = null,
): Promise<NominationRow[]> {
  if (ids.length === 0) return [];
  const find = (asOf === null ? FIND : FIND_AS_OF)[viewer.kind];
  const rows = await db.hot.query<NominationRow>(find, [ids, ...asOfValues(asOf), ...tenantValues(viewer)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Collation "C" makes the order independent of the database's locale, and keeps the planner from preferring an index by
 * EIC to the index by day.
 */
const FIND_CURRENT = perViewer(
  statement,
  'find_current_nominations',
  'brp_no = $2',
  (andTenant) => `select ${WHOLE} from nomination
   where delivery_day = $1 and status <> 'superseded'${andTenant}
   order by eic collate "C", tso, direction`,
);

/** Returns the newest version of every nomination of a day, without paging. */
export async function findCurrentNominations(
  db: Db,
  viewer: Viewer,
  day: DeliveryDay,
): Promise<NominationRow[]> {
  return db.query<NominationRow>(FIND_CURRENT[viewer.kind], [day, ...tenantValues(viewer)]);
}

const historyText = (source: string, made: string) => (andTenant: string) =>
  `select ${WHOLE} from ${source}
   where (position_no, delivery_day, direction) = (
     select position_no, delivery_day, direction from nomination where id = $1${made})${andTenant}
   order by version desc`;
const FIND_HISTORY = perViewer(
  statement,
  'find_nomination_history',
  'brp_no = $2',
  historyText('nomination', ''),
);
const FIND_HISTORY_AS_OF = perViewer(
  statement,
  'find_nomination_history_as_of',
  'brp_no = $3',
  historyText(nominationsAsOf('$2::timestamptz'), ' and created_at <= $2::timestamptz'),
);

/** Returns all versions, newest first. Empty when the nomination does not exist or the viewer may not see it. */
export async function findNominationHistory(
  db: Db,
  viewer: Viewer,
  id: string,
  asOf: AsOf = null,
): Promise<NominationRow[]> {
  const find = (asOf === null ? FIND_HISTORY : FIND_HISTORY_AS_OF)[viewer.kind];
  return db.query<NominationRow>(find, [id, ...asOfValues(asOf), ...tenantValues(viewer)]);
}

const LIST_CONFIRMATIONS = statement(
  'list_confirmations',
  `select number, status, matched, confirmed_at, recorded_at from nomination_confirmation
   where nomination_id = $1 order by number`,
);
type ConfirmationRow = Pick<LedgerConfirmation, 'number' | 'status' | 'matched'> & {
  confirmed_at: number | null;
  recorded_at: number;
};

/** Returns all confirmations of a nomination version, in the order in which they were stored. */
export async function listConfirmations(db: Db, nominationUuid: string): Promise<LedgerConfirmation[]> {
  const rows = await db.query<ConfirmationRow>(LIST_CONFIRMATIONS, [nominationUuid]);
  return rows.map(({ confirmed_at: confirmedAt, recorded_at: committedAt, ...row }) => {
    return { nominationUuid, ...row, confirmedAt, committedAt };
  });
}
