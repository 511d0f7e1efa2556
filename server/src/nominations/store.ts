import type { Nomination, Tso } from '@saldo/api';
import { type DeliveryDay, MAX_SLOTS, MIN_SLOTS } from '@saldo/core/delivery-day.ts';
import type { Direction } from '@saldo/core/enums.ts';
import { forEachViewer, perViewer, tenantValues, type Viewer, viewedBy } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { type FilterValues, filteredList } from '../platform/db/filtered-list.ts';
import { hotStatement, statement } from '../platform/db/statement.ts';
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

const FILTERS = {
  eic: { type: 'text', condition: (eic: string) => `eic = ${eic}` },
  status: { type: 'nomination_status', condition: (status: string) => `status = ${status}` },
  tso: { type: 'tso', condition: (tso: string) => `tso = ${tso}` },
  direction: { type: 'direction', condition: (direction: string) => `direction = ${direction}` },
};
const INDEXED = ['eic', 'status'] as const;

/** Filters have the names of the query parameters. */
export type NominationFilter = FilterValues<keyof typeof FILTERS> & {
  readonly delivery: InstantRange;
  readonly slotFrom: number;
};

/**
 * $1 and $2 day and id of the last row before the page, $3 last day, $4 minimum number of slots of the day, $5 row limit,
 * $6 the viewer's BRP. All nominations of a balance group belong to its BRP, so the operator's filter by EIC can use the
 * index by BRP.
 */
function nominationList(kind: Viewer['kind'], columns: string, name: string) {
  return filteredList({
    make: hotStatement,
    name: viewedBy(kind, name),
    ownParameters: kind === 'brp' ? 6 : 5,
    filters: FILTERS,
    leads: INDEXED,
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
      return `select ${columns} from nomination where ${conditions.join(' and ')} order by delivery_day, id limit $5`;
    },
  });
}
const LISTS = forEachViewer((kind) => nominationList(kind, HEAD, 'list_nominations'));
const LISTS_WITH_SLOTS = forEachViewer((kind) => nominationList(kind, WHOLE, 'list_nominations_slots'));

/**
 * A filter without an index may skip many rows before a page is full, so such a query is not hot. The filter by slot is
 * cheap as long as every day has the slot.
 */
function isHot({ kind }: Viewer, filter: NominationFilter): boolean {
  const names = Object.keys(FILTERS) as (keyof typeof FILTERS)[];
  const given = names.filter((name) => (filter[name] ?? null) !== null);
  const isIndexed = given.length === 0 || (given.length === 1 && INDEXED.some((name) => name === given[0]));
  return kind === 'brp' && isIndexed && filter.slotFrom <= MIN_SLOTS;
}

export async function listNominations(
  db: Db,
  viewer: Viewer,
  filter: NominationFilter,
  page: { after: { day: DeliveryDay; id: string }; count: number },
  withSlots: boolean,
): Promise<NominationRow[]> {
  const { first, last } = wholeDays(filter.delivery);
  const slots = Math.min(filter.slotFrom, MAX_SLOTS);
  // Not as a condition of its own: an index scan starts at the cursor, and would read all entries up to the first day.
  const after = page.after.day < first ? { day: first, id: FIRST_ID } : page.after;
  const own = [after.day, after.id, last, slots, page.count, ...tenantValues(viewer)];
  const query = (withSlots ? LISTS_WITH_SLOTS : LISTS)[viewer.kind](own, filter);
  return (isHot(viewer, filter) ? db.hot : db).query<NominationRow>(...query);
}

const FIND = perViewer(
  hotStatement,
  'find_nominations',
  'brp_no = $2',
  (andTenant) => `select ${WHOLE} from nomination where id = any($1::uuid[])${andTenant}`,
);

/** Returns the nominations that the viewer may see, in the order of `ids`. */
export async function findNominations(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
): Promise<NominationRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.hot.query<NominationRow>(FIND[viewer.kind], [ids, ...tenantValues(viewer)]);
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

const FIND_HISTORY = perViewer(
  statement,
  'find_nomination_history',
  'brp_no = $2',
  (andTenant) => `select ${WHOLE} from nomination
   where (position_no, delivery_day, direction) = (
     select position_no, delivery_day, direction from nomination where id = $1)${andTenant}
   order by version desc`,
);

/** Returns all versions, newest first. Empty when the nomination does not exist or the viewer may not see it. */
export async function findNominationHistory(db: Db, viewer: Viewer, id: string): Promise<NominationRow[]> {
  return db.query<NominationRow>(FIND_HISTORY[viewer.kind], [id, ...tenantValues(viewer)]);
}
