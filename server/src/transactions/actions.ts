import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import {
  invalidate,
  invalidateCell,
  packVolumes,
  type Sheet,
  STATUS_BIT,
  type StatusChange,
  unfold,
  unpackVolumes,
  writeDay,
} from '@saldo/core/transactions/sheet.ts';
import { appendEvents, type NewEvent } from '../events/store.ts';
import type { Tx } from '../platform/db/database.ts';
import { newSheetId } from '../platform/db/new-id.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { type EventContract, transactionEvents } from './events.ts';

/** Every writer of volumes locks the contract row first, for a single day as well as for an import. */
const LOCK_CONTRACT = statement(
  'lock_contract_for_volumes',
  `select id, seller_brp as "sellerBrp", buyer_brp as "buyerBrp" from contract where no = $1 for no key update`,
);

const HISTORY = statement(
  'sheets_of_contract_day',
  `select id, created_at, revision, volumes, statuses, versions, previous
   from sheet where contract_no = $1 and delivery_day = $2 order by revision`,
);

type SheetColumns = {
  id: string;
  created_at: number;
  revision: number;
  volumes: Uint8Array;
  statuses: number[] | null;
  versions: number[] | null;
  previous: (number | null)[] | null;
};

async function lockContract(tx: Tx, contractNo: number): Promise<EventContract> {
  const [contract] = await tx.query<EventContract>(LOCK_CONTRACT, [contractNo]);
  if (!contract) throw new Error('volumes are written for a contract that exists');
  return contract;
}

/** Precondition: the contract is locked. */
async function readHistory(tx: Tx, contractNo: number, day: DeliveryDay): Promise<Sheet[]> {
  const rows = await tx.query<SheetColumns>(HISTORY, [contractNo, day]);
  return rows.map(({ created_at, volumes, ...sheet }) => ({
    ...sheet,
    createdAt: created_at,
    volumes: unpackVolumes(volumes),
  }));
}

const INSERT_SHEET = statement(
  'insert_sheet',
  `insert into sheet (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position,
     sender_brp, receiver_brp, status_mask, volumes, versions, previous)
   select $1, $2, no, $4, $5, seller_position, buyer_position, seller_brp, buyer_brp, ${STATUS_BIT.valid}, $6, $7, $8
   from contract where no = $3`,
);

const SET_STATUSES = statement(
  'set_sheet_statuses',
  `update sheet set statuses = $4, status_mask = $5
   where contract_no = $1 and delivery_day = $2 and revision = $3`,
);

async function saveStatuses(
  tx: Tx,
  contractNo: number,
  day: DeliveryDay,
  changes: StatusChange[],
): Promise<void> {
  for (const { revision, statuses, statusMask } of changes) {
    await tx.query(SET_STATUSES, [contractNo, day, revision, statuses, statusMask]);
  }
}

/**
 * Sets the dirty flags of both positions, in a fixed order to avoid deadlocks. A contract between a position and itself
 * does not change the saldo, so its position-day stays clean.
 */
const MARK_DIRTY = statement(
  'mark_positions',
  `insert into changed_position (position_no, delivery_day)
   select position_no, $2
   from contract, lateral (values (seller_position), (buyer_position)) as of_contract (position_no)
   where no = $1 and seller_position <> buyer_position
   order by position_no
   on conflict (position_no, delivery_day) do update set touched_at = clock_timestamp()`,
);

export type DayResult = { created: number; corrected: number; unchanged: number; revision: number | null };

/**
 * Writes the volumes of a contract-day: new cells, corrections, or nothing if all are stored already. The new sheet,
 * the statuses of superseded cells and the dirty flags are committed together.
 */
export async function writeContractDay(
  tx: Tx,
  contractNo: number,
  day: DeliveryDay,
  volumes: readonly (number | null)[],
  now: number,
): Promise<DayResult> {
  if (volumes.length !== slotCount(day))
    throw new Error(`${day} has ${slotCount(day)} slots, not ${volumes.length}`);
  const contract = await lockContract(tx, contractNo);
  const history = await readHistory(tx, contractNo, day);
  const { created, corrected, unchanged, sheet, superseded } = writeDay(history, volumes);
  if (sheet === null) return { created, corrected, unchanged, revision: history.length || null };
  await tx.query(INSERT_SHEET, [
    newSheetId(),
    timestamp(now),
    contractNo,
    day,
    sheet.revision,
    packVolumes(sheet.volumes),
    sheet.versions,
    sheet.previous,
  ]);
  await saveStatuses(tx, contractNo, day, superseded);
  await tx.query(MARK_DIRTY, [contractNo, day]);
  await appendEvents(tx, transactionEvents(contract, day, { created, corrected }), now);
  return { created, corrected, unchanged, revision: sheet.revision };
}

const LOCATE_SHEET = statement(
  'locate_sheet',
  'select contract_no, delivery_day, revision from sheet where id = $1',
);
const INSERT_INVALIDATION = statement(
  'insert_invalidation',
  `insert into invalidation (contract_no, delivery_day, number, revision, slot, reason, invalidated_at)
   select $1, $2, count(*) + 1, $3, $4, $5, $6 from invalidation where contract_no = $1 and delivery_day = $2`,
);

/** Invalidates one transaction, so that it no longer counts towards any saldo. */
export async function invalidateTransaction(
  tx: Tx,
  key: { sheetId: string; slot: number },
  reason: string,
  now: number,
): Promise<'invalidated' | 'not_found' | 'not_valid'> {
  const [place] = await tx.query<{ contract_no: number; delivery_day: DeliveryDay; revision: number }>(
    LOCATE_SHEET,
    [key.sheetId],
  );
  if (!place) return 'not_found';
  const { contract_no: contractNo, delivery_day: day, revision } = place;
  const contract = await lockContract(tx, contractNo);
  const history = await readHistory(tx, contractNo, day);
  if ((history[revision - 1]?.volumes[key.slot - 1] ?? null) === null) return 'not_found';
  const decision = invalidateCell(history, revision, key.slot);
  if (decision.kind === 'not_valid') return 'not_valid';
  await saveStatuses(tx, contractNo, day, decision.changed);
  await tx.query(INSERT_INVALIDATION, [contractNo, day, revision, key.slot, reason, timestamp(now)]);
  await tx.query(MARK_DIRTY, [contractNo, day]);
  await appendEvents(tx, transactionEvents(contract, day, { invalidated: 1 }), now);
  return 'invalidated';
}

const DAYS_FROM = statement(
  'valid_days_from',
  `select distinct delivery_day from sheet
   where contract_no = $1 and delivery_day >= $2 and status_mask & ${STATUS_BIT.valid} <> 0
   order by delivery_day`,
);
/** The numbers continue after those of the contract-day's earlier invalidations. */
const INSERT_INVALIDATIONS = statement(
  'insert_invalidations',
  `insert into invalidation (contract_no, delivery_day, number, revision, slot, reason, invalidated_at)
   select $1, $2, (select count(*) from invalidation where contract_no = $1 and delivery_day = $2) + cell.at,
     cell.revision, cell.slot, $5, $6
   from unnest($3::int[], $4::smallint[]) with ordinality as cell (revision, slot, at)`,
);

/** Invalidates all valid transactions of a contract from this day on and returns their number. */
export async function invalidateFrom(
  tx: Tx,
  contractNo: number,
  first: DeliveryDay,
  reason: string,
  now: number,
): Promise<number> {
  const contract = await lockContract(tx, contractNo);
  const events: NewEvent[] = [];
  const days = await tx.query<{ delivery_day: DeliveryDay }>(DAYS_FROM, [contractNo, first]);
  let count = 0;
  for (const { delivery_day: day } of days) {
    const history = await readHistory(tx, contractNo, day);
    const cells = unfold(history).filter((cell) => cell.status === 'valid');
    if (cells.length === 0) continue;
    const slots = cells.map((cell) => cell.slot);
    await saveStatuses(tx, contractNo, day, invalidate(history, slots).changed);
    const revisions = cells.map((cell) => cell.revision);
    await tx.query(INSERT_INVALIDATIONS, [contractNo, day, revisions, slots, reason, timestamp(now)]);
    await tx.query(MARK_DIRTY, [contractNo, day]);
    events.push(...transactionEvents(contract, day, { invalidated: cells.length }));
    count += cells.length;
  }
  await appendEvents(tx, events, now);
  return count;
}
