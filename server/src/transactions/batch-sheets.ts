import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { packVolumes, type SheetCells, STATUS_BIT, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import { CopyText } from '../platform/db/copy-text.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { joinStatus } from './sheet-status.ts';
import type { Party } from './volume-contracts.ts';

/** A sheet and the parties of its transactions. */
export type PlacedSheet = SheetCells & {
  readonly id: string;
  readonly sender: Party;
  readonly receiver: Party;
};

/** A contract-day in memory: its stored sheets, and those that a batch adds. */
export type DayHistory = {
  readonly contract: { readonly no: number };
  readonly day: DeliveryDay;
  readonly history: PlacedSheet[];
  /** Number of sheets at the start of `history` that are in the database. */
  stored: number;
};

type SheetColumns = [
  at: number,
  id: string,
  revision: number,
  packedVolumes: Uint8Array,
  statuses: number[] | null,
  versions: number[] | null,
  previous: (number | null)[] | null,
  senderPosition: number,
  senderBrp: number,
  receiverPosition: number,
  receiverBrp: number,
];

/**
 * One index lookup per contract-day, so that the planner cannot choose a full scan for a large batch. Sheets that are
 * superseded as a whole are left out, because no change concerns them.
 */
const historiesFrom = (source: string) =>
  `select asked.at::int, s.*
   from unnest($1::int[], $2::date[]) with ordinality as asked (contract_no, delivery_day, at)
   cross join lateral (
     select id, revision, volumes, status.statuses, versions, previous, sender_position, sender_brp, receiver_position,
       receiver_brp
     from ${source} as found ${joinStatus('found')}
     where found.contract_no = asked.contract_no and found.delivery_day = asked.delivery_day
       and status.mask is distinct from ${STATUS_BIT.superseded}
     order by revision offset 0
   ) as s`;

const HISTORIES = statement('sheets_of_batch', historiesFrom('sheet'));
const DRY_RUN_HISTORIES = statement(
  'presumed_sheets_of_batch',
  historiesFrom('(select * from sheet union all select * from pg_temp.presumed_sheet)'),
);

/**
 * Temporary table for the sheets of a dry run, so that a contract-day that occurs twice in the file sees its first
 * write.
 */
const CREATE_DRY_RUN_TABLE = statement(
  'make_presumed_sheets',
  'create temporary table presumed_sheet (like sheet) on commit drop',
);
const INDEX_DRY_RUN_TABLE = statement(
  'index_presumed_sheets',
  'create index on pg_temp.presumed_sheet (contract_no, delivery_day, revision)',
);

export async function prepareDryRun(tx: Tx): Promise<void> {
  await tx.query(CREATE_DRY_RUN_TABLE);
  await tx.query(INDEX_DRY_RUN_TABLE);
}

const copyInto = (table: string) =>
  `copy ${table} (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position,
     sender_brp, receiver_brp, volumes, versions, previous) from stdin`;
const COPY_SHEETS = copyInto('sheet');
const COPY_DRY_RUN_SHEETS = copyInto('pg_temp.presumed_sheet');

/** Adds the stored sheets of each day to its history. */
export async function readSheets(tx: Tx, days: readonly DayHistory[], isDryRun: boolean): Promise<void> {
  if (days.length === 0) return;
  const rows = await tx.arrays<SheetColumns>(isDryRun ? DRY_RUN_HISTORIES : HISTORIES, [
    days.map(({ contract }) => contract.no),
    days.map(({ day }) => day),
  ]);
  for (const row of rows) days[row[0] - 1]!.history.push(sheetOf(row));
  for (const day of days) day.stored = day.history.length;
}

/** A sheet that a batch adds, with its volumes as they are stored. */
export type NewSheet<Day extends DayHistory> = {
  readonly state: Day;
  readonly sheet: PlacedSheet;
  readonly packed: Uint8Array;
};

/** Stores the sheets that were added to the histories, and returns them. */
export async function writeSheets<Day extends DayHistory>(
  tx: Tx,
  days: readonly Day[],
  isDryRun: boolean,
  now: number,
): Promise<NewSheet<Day>[]> {
  const added: NewSheet<Day>[] = [];
  for (const state of days)
    for (let at = state.stored; at < state.history.length; at++) {
      const sheet = state.history[at]!;
      added.push({ state, sheet, packed: packVolumes(sheet.volumes) });
    }
  if (added.length > 0) await tx.copy(isDryRun ? COPY_DRY_RUN_SHEETS : COPY_SHEETS, sheetRows(added, now));
  return added;
}

const sheetOf = (columns: SheetColumns): PlacedSheet => ({
  id: columns[1],
  revision: columns[2],
  volumes: unpackVolumes(columns[3]),
  statuses: columns[4],
  versions: columns[5],
  previous: columns[6],
  sender: { positionNo: columns[7], brpNo: columns[8] },
  receiver: { positionNo: columns[9], brpNo: columns[10] },
});

function sheetRows(added: readonly NewSheet<DayHistory>[], now: number): Buffer {
  const rows = new CopyText();
  const createdAt = timestamp(now);
  for (const { state, sheet, packed } of added) {
    rows.field(sheet.id);
    rows.field(createdAt);
    rows.integer(state.contract.no);
    rows.field(state.day);
    rows.integer(sheet.revision);
    rows.integer(sheet.sender.positionNo);
    rows.integer(sheet.receiver.positionNo);
    rows.integer(sheet.sender.brpNo);
    rows.integer(sheet.receiver.brpNo);
    rows.binary(packed);
    rows.integers(sheet.versions);
    rows.integers(sheet.previous);
    rows.endRow();
  }
  return rows.written();
}
