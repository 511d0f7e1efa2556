import type { Placement, Tso } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { placementsEntry } from '@saldo/core/ledger/entries.ts';
import { appendEntries } from '../ledger/append.ts';
import { perViewer, tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

export type PlacementRow = {
  eic: string;
  tso: Tso;
  first_day: DeliveryDay | null;
  last_day: DeliveryDay | null;
};

const LIST = perViewer(
  statement,
  'list_placements',
  'c.brp_no = $2 and p.brp_no = $2',
  (andTenant) => `select p.eic, p.tso, nullif(l.first_day, '-infinity') as first_day,
     nullif(l.last_day, 'infinity') as last_day
   from customer c join placement l on l.customer_id = c.id join position p on p.no = l.position_no
   where c.id = $1${andTenant} order by l.first_day desc`,
);

/** The placements of a customer that the viewer may see, newest first: a BRP sees those in its own balance groups. */
export const listPlacements = (db: Db, viewer: Viewer, customerId: string): Promise<PlacementRow[]> =>
  db.query<PlacementRow>(LIST[viewer.kind], [customerId, ...tenantValues(viewer)]);

export const wirePlacement = ({ eic, tso, first_day, last_day }: PlacementRow): Placement => ({
  balance_group: { eic, tso },
  first_day,
  last_day,
});

/** Placements that have not begun are replaced, those in force end the day before. */
const END_PLACEMENTS = [
  statement('delete_coming_placements', 'delete from placement where customer_id = $1 and first_day >= $2'),
  statement(
    'end_placements',
    'update placement set last_day = $2::date - 1 where customer_id = $1 and last_day >= $2',
  ),
];
/** The first placement of a customer holds from the beginning. */
const PLACE = statement(
  'insert_placement',
  `insert into placement (customer_id, first_day, position_no)
   select $1, case when exists (select from placement where customer_id = $1) then $2::date else '-infinity' end, $3`,
);
const GO_ON = statement(
  'reopen_placement',
  `update placement set last_day = 'infinity' where customer_id = $1 and last_day = $2 and position_no = $3
   returning position_no`,
);

/** Places a customer from this day on, or nowhere if `positionNo` is null. Precondition: the customer is locked. */
export async function savePlacement(
  tx: Tx,
  customerId: string,
  positionNo: number | null,
  first: DeliveryDay,
  now: number,
): Promise<void> {
  for (const end of END_PLACEMENTS) await tx.query(end, [customerId, first]);
  if (positionNo !== null) {
    // A return to the balance group of the day before cancels the change that is replaced.
    const [isSame] = await tx.query(GO_ON, [customerId, addDays(first, -1), positionNo]);
    if (!isSame) await tx.query(PLACE, [customerId, first, positionNo]);
  }
  await recordPlacements(tx, customerId, now);
}

const CURRENT = statement(
  'current_placements',
  `select p.eic, p.tso, nullif(l.first_day, '-infinity') as first_day, nullif(l.last_day, 'infinity') as last_day
   from placement l join position p on p.no = l.position_no
   where l.customer_id = $1 order by l.first_day`,
);
const INSERT_CHANGE = statement(
  'insert_placement_change',
  `insert into placement_change (customer_id, number, placements, changed_at)
   select $1, coalesce(max(number), 0) + 1, $2, $3 from placement_change where customer_id = $1
   returning number`,
);

/** Records the placements of a customer after a change of them. Precondition: the customer is new or locked. */
export async function recordPlacements(tx: Tx, customerId: string, now: number): Promise<void> {
  const rows = await tx.query<PlacementRow>(CURRENT, [customerId]);
  const [change] = await tx.query<{ number: number }>(INSERT_CHANGE, [
    customerId,
    JSON.stringify(rows),
    timestamp(now),
  ]);
  const placements = rows.map(({ eic, tso, first_day, last_day }) => ({
    ...{ eic, tso, firstDay: first_day, lastDay: last_day },
  }));
  appendEntries(tx, [placementsEntry(customerId, change!.number, placements, now)], now);
}
