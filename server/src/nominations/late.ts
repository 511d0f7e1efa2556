import type { LatePositionDay, Tso } from '@saldo/api';
import { type DeliveryDay, formatInstant, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { formatMwh, mwhNumber } from '@saldo/core/energy.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { LateSlot } from '@saldo/core/nominations/nomination.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList } from '../platform/db/filtered-list.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** A position-day that was netted, with its late slots. */
type NettedLate = {
  positionDay: { position_no: number; brp_no: number; delivery_day: DeliveryDay };
  next: { late: readonly LateSlot[] };
};

const DELETE_AGREEING = statement(
  'delete_late_position_days',
  `delete from late_position_day l using unnest($1::int[], $2::date[]) as n (position_no, delivery_day)
   where l.position_no = n.position_no and l.delivery_day = n.delivery_day`,
);

/** Arrays are passed as text, because `unnest` would flatten them. */
const UPSERT = statement(
  'upsert_late_position_days',
  `insert into late_position_day (delivery_day, position_no, brp_no, slots, nominated, transactions, since)
   select n.delivery_day, n.position_no, n.brp_no, n.slots::smallint[], n.nominated::bigint[],
     n.transactions::bigint[], $7
   from unnest($1::date[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[])
     as n (delivery_day, position_no, brp_no, slots, nominated, transactions)
   on conflict (delivery_day, position_no) do update
     set slots = excluded.slots, nominated = excluded.nominated, transactions = excluded.transactions`,
);

/** Stores the differences of netted position-days, and deletes those of position-days that agree again. */
export async function saveLate(tx: Tx, netted: readonly NettedLate[], now: number): Promise<void> {
  const agreeing = netted.filter(({ next }) => next.late.length === 0);
  if (agreeing.length > 0) {
    await tx.query(DELETE_AGREEING, [
      agreeing.map(({ positionDay }) => positionDay.position_no),
      agreeing.map(({ positionDay }) => positionDay.delivery_day),
    ]);
  }
  const differing = netted.filter(({ next }) => next.late.length > 0);
  if (differing.length === 0) return;
  const texts = (value: (slot: LateSlot) => number) =>
    differing.map(({ next }) => `{${next.late.map(value).join(',')}}`);
  await tx.query(UPSERT, [
    differing.map(({ positionDay }) => positionDay.delivery_day),
    differing.map(({ positionDay }) => positionDay.position_no),
    differing.map(({ positionDay }) => positionDay.brp_no),
    texts(({ slot }) => slot),
    texts(({ nominatedKwh }) => nominatedKwh),
    texts(({ transactionsKwh }) => transactionsKwh),
    timestamp(now),
  ]);
}

/**
 * $1 day, $2 nominations of the newest schedules, $3 closing, $4 whether only changes after the newest of these nominations
 * are read. The changes before the closing that none of the nominations counted, of contract-days with transactions
 * between control areas. A change is in the schedules if a nomination of either side counted it.
 */
const LATE_CHANGES = `scheduled as (
     select b.contract_no, max(b.revision) as revision, max(b.invalidations) as invalidations
     from nomination n,
       unnest(n.basis_contracts, n.basis_revisions, n.basis_invalidations) as b (contract_no, revision, invalidations)
     where n.id = any($2::uuid[])
     group by b.contract_no),
   newest as (
     select coalesce(max(created_at) filter (where $4::boolean), '-infinity') as created_at
     from nomination where id = any($2::uuid[])),
   between_areas as (
     select distinct s.contract_no from sheet s
     join position sender on sender.no = s.sender_position
     join position receiver on receiver.no = s.receiver_position
     where s.delivery_day = $1 and sender.tso <> receiver.tso),
   late_sheet as (
     select s.contract_no, s.revision from sheet s
     join between_areas using (contract_no) left join scheduled k using (contract_no)
     where s.delivery_day = $1 and coalesce(s.late_at, s.created_at) < $3
       and s.created_at > (select created_at from newest)
       and s.revision > coalesce(k.revision, 0)),
   late_invalidation as (
     select i.contract_no, i.number from invalidation i
     join between_areas using (contract_no) left join scheduled k using (contract_no)
     where i.delivery_day = $1 and coalesce(i.late_at, i.invalidated_at) < $3
       and i.invalidated_at > (select created_at from newest)
       and i.number > coalesce(k.invalidations, 0)),
   late_contract as (
     select contract_no from late_sheet union select contract_no from late_invalidation)`;

/** Like every writer of volumes, `MARK_LATE` needs the contract rows locked, in the order of imports. */
const LOCK_LATE_CONTRACTS = statement(
  'lock_contracts_of_late_changes',
  `with ${LATE_CHANGES}
   select no from contract where no in (select contract_no from late_contract) order by no for no key update`,
);

/**
 * Parameters as above, and $5 now. All positions of the contract-days become dirty: those of the marked changes, and
 * those of the earlier transactions that count again in closed slots, which are others after a move.
 */
const MARK_LATE = statement(
  'mark_late_changes',
  `with ${LATE_CHANGES},
   marked_sheet as (
     update sheet s set late_at = $5 from late_sheet l
     where s.contract_no = l.contract_no and s.delivery_day = $1 and s.revision = l.revision),
   marked_invalidation as (
     update invalidation i set late_at = $5 from late_invalidation l
     where i.contract_no = l.contract_no and i.delivery_day = $1 and i.number = l.number)
   insert into changed_position (position_no, delivery_day)
   select distinct of_sheet.position_no, $1::date
   from sheet s join late_contract using (contract_no),
     lateral (values (s.sender_position), (s.receiver_position)) as of_sheet (position_no)
   where s.delivery_day = $1
   order by position_no
   on conflict (position_no, delivery_day) do update set touched_at = clock_timestamp()
   returning position_no`,
);

export type Unscheduled = {
  day: DeliveryDay;
  /** The nominations in the newest schedules of the day. */
  scheduledIds: readonly string[];
  /** When the last slot closed. */
  closedAt: number;
};

/**
 * Marks changes of contracts between control areas as late that are in no schedule although slots have closed. For closed
 * slots they count from now on, not from their creation, so that netting them again takes them out of the nominations.
 * Returns whether any was marked.
 *
 * A change that no nomination counted is not always missing in the schedules: changes that cancel out in a position make no
 * version of its nomination, as when a customer moves that sells as much as it buys. Changes before the newest of the
 * nominations are therefore marked only when no later one is left.
 */
export async function markLateChanges(
  tx: Tx,
  { day, scheduledIds, closedAt }: Unscheduled,
  now: number,
): Promise<boolean> {
  for (const isNewer of [true, false]) {
    const values = [day, scheduledIds, timestamp(closedAt), isNewer];
    if ((await tx.query(LOCK_LATE_CONTRACTS, values)).length === 0) continue;
    if ((await tx.query(MARK_LATE, [...values, timestamp(now)])).length > 0) return true;
  }
  return false;
}

export type LateRow = {
  delivery_day: DeliveryDay;
  position_no: number;
  brp_id: string;
  eic: string;
  tso: Tso;
  slots: number[];
  nominated: number[];
  transactions: number[];
  since: number;
};

/** $1 and $2 day and position of the last row on the previous page, $3 row limit. */
const LIST = filteredList({
  make: statement,
  name: 'list_late_position_days',
  ownParameters: 3,
  filters: {
    brpNo: { type: 'int', condition: (brpNo: string) => `l.brp_no = ${brpNo}` },
    day: { type: 'date', condition: (day: string) => `l.delivery_day = ${day}` },
  },
  leads: ['day', 'brpNo'],
  text: (where) => `select l.delivery_day, l.position_no, b.id as brp_id, p.eic, p.tso, l.slots, l.nominated,
     l.transactions, l.since
   from (
     select * from late_position_day l
     where (l.delivery_day, l.position_no) > ($1::date, $2::int)${where === '' ? '' : ` and ${where}`}
     order by l.delivery_day, l.position_no limit $3
   ) l
   join position p on p.no = l.position_no
   join brp b on b.no = l.brp_no
   order by l.delivery_day, l.position_no`,
});

export type LateFilter = { day: DeliveryDay | null; brpNo: number | null };
export type LatePage = { after: { day: DeliveryDay; positionNo: number }; count: number };

/** Lists position-days whose transactions differ from what is nominated, by day and position. */
export async function listLate(db: Db, filter: LateFilter, { after, count }: LatePage): Promise<LateRow[]> {
  return db.query<LateRow>(...LIST([after.day, after.positionNo, count], filter));
}

export const wireLate = (row: LateRow): LatePositionDay => ({
  delivery_date: row.delivery_day,
  brp_id: encodeId(ID_PREFIX.brp, row.brp_id),
  eic: row.eic,
  tso: row.tso,
  slots: lateSlotsOf(row).map(({ slot, nominatedKwh, transactionsKwh }) => ({
    slot_number: slot,
    nominated: mwhNumber(nominatedKwh),
    transactions: mwhNumber(transactionsKwh),
    difference: mwhNumber(nominatedKwh - transactionsKwh),
  })),
  since: formatInstant(row.since),
});

const lateSlotsOf = ({ slots, nominated, transactions }: LateRow): LateSlot[] =>
  slots.map((slot, at) => ({
    slot,
    nominatedKwh: nominated[at] ?? 0,
    transactionsKwh: transactions[at] ?? 0,
  }));

export const LATE_CSV_HEADER =
  'delivery_date,brp_id,eic,tso,slot_number,delivery_start,delivery_end,nominated_mwh,transactions_mwh,difference_mwh,since\n';

/** Formats a position-day as CSV with one line per slot. No value needs quotes: ids, codes, times and numbers. */
export function lateCsv(row: LateRow): string {
  const { delivery_day: day } = row;
  const head = `${day},${encodeId(ID_PREFIX.brp, row.brp_id)},${row.eic},${row.tso}`;
  const since = formatInstant(row.since);
  let csv = '';
  for (const { slot, nominatedKwh, transactionsKwh } of lateSlotsOf(row)) {
    const start = slotStart(day, slot);
    const times = `${formatInstant(start)},${formatInstant(start + SLOT_MS)}`;
    const amounts = [nominatedKwh, transactionsKwh, nominatedKwh - transactionsKwh].map(formatMwh);
    csv += `${head},${slot},${times},${amounts.join(',')},${since}\n`;
  }
  return csv;
}
