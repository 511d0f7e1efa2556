import { addDays, type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import type { SeriesKind, TransactionStatus } from '@saldo/core/enums.ts';
import { type Cell, cellAt, chain } from '@saldo/core/transactions/sheet.ts';
import { perViewer, tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { type HotStatement, hotStatement, type Statement, statement } from '../platform/db/statement.ts';
import type { AsOf } from '../platform/http/as-of.ts';
import { type InstantRange, slotsWithin, touchedDays } from '../platform/http/time-filter.ts';
import { listStatement } from './list-statements.ts';
import { rowOf, SHEET_COLUMNS, type SheetColumns, type SheetRow } from './sheet-rows.ts';

export type TransactionRecord = {
  readonly row: SheetRow;
  readonly cell: Cell;
  /** Set for the operator only: see `withOperatorMembers`. */
  readonly invalidReason?: string | null;
  readonly source?: SeriesKind | null;
};

export type TransactionFilter = {
  readonly status: TransactionStatus | null;
  readonly senderEic: string | null;
  readonly receiverEic: string | null;
  readonly contractId: string | null;
  readonly delivery: InstantRange;
  readonly slotFrom: number;
  readonly slotTo: number;
};

/** Pagination cursor: the last transaction of the previous page. */
export type TransactionPosition = { day: DeliveryDay; contractId: string; slot: number; version: number };

/** First contract-day of a batch of sheets; a null contract means the first contract of the day. */
type Begin = { readonly day: DeliveryDay; readonly contractId: string | null };

const listStatements = new Map<string, HotStatement | Statement>();

function listStatementOf(viewer: Viewer, filter: TransactionFilter): HotStatement | Statement {
  const shape = {
    viewer: viewer.kind,
    // Nearly every sheet has valid cells, so that an index for this status would not be selective.
    status: filter.status === 'valid' ? null : filter.status,
    sender: filter.senderEic !== null,
    receiver: filter.receiverEic !== null,
    contract: filter.contractId !== null,
  };
  const key = `${shape.viewer} ${shape.status} ${shape.sender} ${shape.receiver} ${shape.contract}`;
  return listStatements.getOrInsertComputed(key, () => listStatement(shape));
}

/** Upper bound for the sheets of one query, however few of their transactions pass the filter. */
const MAX_BATCH = 400;
const USUAL_CELLS = 96;

/** Estimates how many sheets contain `count` matching transactions, plus one to detect the end of a contract-day. */
function firstBatch(filter: TransactionFilter, count: number, goesOn: boolean): number {
  const width = Math.min(USUAL_CELLS, filter.slotTo - filter.slotFrom + 1);
  const perSheet = filter.status === null || filter.status === 'valid' ? Math.max(1, width) : 1;
  return Math.min(MAX_BATCH, Math.ceil(count / perSheet) + (goesOn ? 2 : 1));
}

/**
 * Lists the next `count` transactions by delivery day, contract, slot and version. All sheets of a contract-day are read
 * together, because a correction is listed directly after the version that it corrects.
 */
export async function listTransactions(
  db: Db,
  viewer: Viewer,
  filter: TransactionFilter,
  after: TransactionPosition | null,
  count: number,
  _asOf: AsOf = null,
): Promise<TransactionRecord[]> {
  const { first, last } = touchedDays(filter.delivery);
  const found: TransactionRecord[] = [];
  const list = listStatementOf(viewer, filter);
  let begin: Begin = after ?? { day: first, contractId: null };
  let batch = firstBatch(filter, count, after !== null);
  for (;;) {
    const values = [
      begin.day,
      last,
      batch,
      filter.contractId ?? begin.contractId,
      ...tenantValues(viewer),
      ...[filter.senderEic, filter.receiverEic].filter((eic) => eic !== null),
    ];
    const rows =
      'isHot' in list
        ? await db.hot.arrays<SheetColumns>(list, values)
        : await db.arrays<SheetColumns>(list, values);
    const isEnd = rows.length < batch;
    const days = groupByContractDay(rows);
    // A full batch may have cut off its last contract-day, which the next batch reads again from its start.
    const cut = isEnd ? null : (days.pop() ?? null);
    for (const sheets of days)
      if (found.length < count) collect(found, sheets.map(rowOf), filter, after, count);
    if (isEnd || found.length >= count) return found;
    // One contract-day that exceeds the batch is read again with a larger batch. Factor 4 keeps the repetitions few.
    batch = days.length === 0 ? batch * 4 : Math.min(MAX_BATCH, batch * 2);
    if (cut?.[0]) begin = beginAt(rowOf(cut[0]), filter);
  }
}

const DAYS_OF_YEAR = 366;

/**
 * The next batch begins at this contract-day, or at the next day that has the requested slots. Only one day a year has
 * more than 96 slots, so reading the days in between would be wasted.
 */
function beginAt({ day, contractId }: SheetRow, filter: TransactionFilter): Begin {
  if (slotCount(day) >= filter.slotFrom) return { day, contractId };
  let next = day;
  for (let days = 0; days < DAYS_OF_YEAR && slotCount(next) < filter.slotFrom; days++)
    next = addDays(next, 1);
  return { day: next, contractId: null };
}

/** Works on raw columns, so that only the sheets of the page are unpacked. */
function groupByContractDay(rows: readonly SheetColumns[]): SheetColumns[][] {
  const days: SheetColumns[][] = [];
  for (const row of rows) {
    const current = days.at(-1);
    if (current?.[0]?.[2] === row[2] && current[0][3] === row[3]) current.push(row);
    else days.push([row]);
  }
  return days;
}

/** Adds the transactions of a contract-day by slot, then version, until there are `count`. */
function collect(
  found: TransactionRecord[],
  rows: readonly SheetRow[],
  filter: TransactionFilter,
  after: TransactionPosition | null,
  count: number,
): void {
  const [head] = rows;
  if (!head) return;
  const inRange = slotsWithin(head.day, filter.delivery);
  const goesOnHere = after !== null && after.day === head.day && after.contractId === head.contractId;
  const from = Math.max(filter.slotFrom, inRange.from, goesOnHere ? after.slot : 1);
  const to = Math.min(filter.slotTo, inRange.to);
  for (let slot = from; slot <= to; slot++) {
    for (const row of rows) {
      if (found.length >= count) return;
      const cell = cellAt(row.sheet, slot);
      if (cell === null || (filter.status !== null && cell.status !== filter.status)) continue;
      if (goesOnHere && slot === after.slot && cell.version <= after.version) continue;
      found.push({ row, cell });
    }
  }
}

const FIND_SHEETS = perViewer(
  hotStatement,
  'find_sheets',
  's.sender_brp = $2 or s.receiver_brp = $2',
  (andTenant) => `select ${SHEET_COLUMNS} from sheet s join contract c on c.no = s.contract_no
   where s.id = any($1::uuid[])${andTenant}`,
);

export type TransactionKey = { sheetId: string; slot: number };

/** Returns the transactions that the viewer may see, in the order of `keys`. */
export async function findTransactions(
  db: Db,
  viewer: Viewer,
  keys: readonly TransactionKey[],
): Promise<TransactionRecord[]> {
  if (keys.length === 0) return [];
  const ids = [...new Set(keys.map((key) => key.sheetId))];
  const rows = await db.hot.arrays<SheetColumns>(FIND_SHEETS[viewer.kind], [ids, ...tenantValues(viewer)]);
  const byId = new Map(rows.map((columns) => [columns[0], rowOf(columns)]));
  return keys.flatMap(({ sheetId, slot }) => {
    const row = byId.get(sheetId);
    const cell = row && cellAt(row.sheet, slot);
    return row && cell ? [{ row, cell }] : [];
  });
}

/** Reads only sheets with a volume for the slot: a handful, even on a day with hundreds of corrections. */
const FIND_HISTORY = perViewer(
  statement,
  'find_transaction_history',
  's.sender_brp = $3 or s.receiver_brp = $3',
  (andTenant) => `select ${SHEET_COLUMNS} from sheet s join contract c on c.no = s.contract_no
   where (s.contract_no, s.delivery_day) = (select contract_no, delivery_day from sheet where id = $1)
     and sheet_volume(s.volumes, $2) is not null${andTenant}
   order by s.revision`,
);

/** Returns all versions, newest first. Empty when the transaction does not exist or the viewer may not see it. */
export async function findTransactionHistory(
  db: Db,
  viewer: Viewer,
  key: TransactionKey,
): Promise<TransactionRecord[]> {
  const values = [key.sheetId, key.slot, ...tenantValues(viewer)];
  const columns = await db.arrays<SheetColumns>(FIND_HISTORY[viewer.kind], values);
  const rows = columns.map(rowOf);
  if (!rows.some((row) => row.sheet.id === key.sheetId)) return [];
  const sheets = rows.map((row) => row.sheet);
  return chain(sheets, key.slot).flatMap((cell) => {
    const row = rows.find(({ sheet }) => sheet.revision === cell.revision);
    return row ? [{ row, cell }] : [];
  });
}
