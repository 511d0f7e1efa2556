import type { Nomination, Tso } from '@saldo/api';
import type { Viewer } from '../../auth/principal.ts';
import { type Db, type HotStatement, hotStatement, statement } from '../../db/database.ts';
import { type DeliveryDay, MAX_SLOTS } from '../../domain/delivery-day.ts';
import type { Direction } from '../../domain/nomination.ts';
import { type InstantRange, wholeDays } from '../../http/time-filter.ts';

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
  /** kWh per slot; missing when the slots were not asked for. */
  amounts?: number[];
  /** kW per slot as the TSO confirmed them, null until then. */
  matched?: number[] | null;
};

export type NominationFilter = {
  status: NominationStatus | null;
  eic: string | null;
  tso: Tso | null;
  direction: Direction | null;
  delivery: InstantRange;
  slotFrom: number;
};

const HEAD = `id, delivery_day, direction, version, previous_id, status, eic, tso, gate_closure, sent_at, confirmed_at,
  created_at`;
const WHOLE = `${HEAD}, amounts, matched`;

/** Status and EIC each have an index that keeps the order; each combination is a statement with its own plan. */
function listStatement(all: boolean, withSlots: boolean, byStatus: boolean, byEic: boolean): HotStatement {
  return hotStatement(
    `list_nominations${all ? '_all' : ''}${withSlots ? '_slots' : ''}${byStatus ? '_status' : ''}${byEic ? '_eic' : ''}`,
    `select ${withSlots ? WHOLE : HEAD}
     from nomination
     where ${all ? '$1::int is null' : 'brp_no = $1'}
       and (delivery_day, id) > ($2::date, $3::uuid)
       and delivery_day >= $4::date and delivery_day <= $5::date
       and cardinality(amounts) >= $6
       and ($8::tso is null or tso = $8)
       and ($9::direction is null or direction = $9)
       and ${byStatus ? 'status = $10' : '$10::nomination_status is null'}
       and ${byEic ? 'eic = $11' : '$11::text is null'}
     order by delivery_day, id
     limit $7`,
  );
}

const LISTS = Array.from({ length: 16 }, (_, bits) =>
  listStatement((bits & 8) !== 0, (bits & 4) !== 0, (bits & 2) !== 0, (bits & 1) !== 0),
);

export async function listNominations(
  db: Db,
  viewer: Viewer,
  filter: NominationFilter,
  page: { after: { day: DeliveryDay; id: string }; count: number },
  withSlots: boolean,
): Promise<NominationRow[]> {
  const { first, last } = wholeDays(filter.delivery);
  const shape =
    (viewer.brpNo === null ? 8 : 0) +
    (withSlots ? 4 : 0) +
    (filter.status === null ? 0 : 2) +
    (filter.eic === null ? 0 : 1);
  return db.hot.query<NominationRow>(LISTS[shape] as HotStatement, [
    viewer.brpNo,
    page.after.day,
    page.after.id,
    first,
    last,
    Math.min(filter.slotFrom, MAX_SLOTS),
    page.count,
    filter.tso,
    filter.direction,
    filter.status,
    filter.eic,
  ]);
}

const FIND = hotStatement(
  'find_nominations',
  `select ${WHOLE} from nomination where ($1::int is null or brp_no = $1) and id = any($2::uuid[])`,
);

/** The visible ones of these nominations, in the order asked. */
export async function findNominations(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
): Promise<NominationRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.hot.query<NominationRow>(FIND, [viewer.brpNo, ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const FIND_CURRENT = statement(
  'find_current_nominations',
  `select ${WHOLE} from nomination
   where ($1::int is null or brp_no = $1) and delivery_day = $2 and status <> 'superseded'
   order by eic, tso, direction`,
);

/** The newest version of each nomination of a day, all of them. */
export async function findCurrentNominations(
  db: Db,
  viewer: Viewer,
  day: DeliveryDay,
): Promise<NominationRow[]> {
  return db.query<NominationRow>(FIND_CURRENT, [viewer.brpNo, day]);
}

const FIND_HISTORY = statement(
  'find_nomination_history',
  `select ${WHOLE} from nomination
   where ($1::int is null or brp_no = $1) and (position_no, delivery_day, direction) = (
     select position_no, delivery_day, direction from nomination where id = $2)
   order by version desc`,
);

/** All versions, newest first; empty when the nomination does not exist or is not the viewer's to see. */
export async function findNominationHistory(db: Db, viewer: Viewer, id: string): Promise<NominationRow[]> {
  return db.query<NominationRow>(FIND_HISTORY, [viewer.brpNo, id]);
}
