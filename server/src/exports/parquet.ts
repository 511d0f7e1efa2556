import { type DeliveryDay, dayNumber, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { kwhFromMatchedKw } from '@saldo/core/energy.ts';
import { encodeId, ID_PREFIX, transactionIdWriter } from '@saldo/core/id.ts';
import type { NominationRow } from '../nominations/store.ts';
import type { SlotRange } from '../nominations/wire.ts';
import {
  type Column,
  idColumn,
  numberColumn,
  sequenceColumn,
  textColumn,
} from '../platform/parquet/columns.ts';
import { ParquetFile } from '../platform/parquet/parquet-file.ts';
import type { SheetRow } from '../transactions/sheet-rows.ts';
import type { TransactionRecord } from '../transactions/store.ts';

/** Readers work on row groups in parallel, and each needs its own dictionaries. About 300 KB of a file. */
const ROW_GROUP_ROWS = 120_000;

/** Columns of a file, and how a batch of records is added to them. Returns the number of rows that were added. */
type Table<T> = { readonly columns: readonly Column<never>[]; add(batch: readonly T[]): number };

/** The parts of a file. Returns the number of its rows: lines of NDJSON, else quarter-hours. */
export type Chunks = AsyncGenerator<Buffer, number>;

/** Holds the row group in progress in its encoded form only. */
export async function* parquetChunks<T>(
  batches: AsyncIterable<readonly T[]>,
  { columns, add }: Table<T>,
): Chunks {
  const file = new ParquetFile(columns);
  let [head, rows, allRows] = [file.begin(), 0, 0];
  for await (const batch of batches) {
    rows += add(batch);
    if (rows < ROW_GROUP_ROWS) continue;
    yield Buffer.concat([head, await file.rowGroup(rows)]);
    allRows += rows;
    [head, rows] = [Buffer.alloc(0), 0];
  }
  yield Buffer.concat([head, ...(rows > 0 ? [await file.rowGroup(rows)] : []), file.end()]);
  return allRows + rows;
}

/** The API shows instants in whole seconds. */
const wholeSecond = (instant: number) => Math.floor(instant / 1000) * 1000;

/** The columns of a slot, which all slots of a day share. */
function slotColumns() {
  const date = numberColumn('delivery_date', 'date');
  const start = sequenceColumn('delivery_start', 'instant');
  const end = sequenceColumn('delivery_end', 'instant');
  const number = sequenceColumn('slot_number', 'integer');
  return {
    columns: [date, start, end, number],
    add(day: DeliveryDay, slot: number): void {
      const startsAt = slotStart(day, slot);
      date.add(dayNumber(day));
      start.add(startsAt);
      end.add(startsAt + SLOT_MS);
      number.add(slot);
    },
  };
}

/** Ids that the transactions of a sheet share. */
type SheetIds = {
  readonly idOf: (slot: number) => string;
  readonly previousIdOf: (revision: number) => (slot: number) => string;
  readonly contractId: string;
  readonly assetId: string | null;
  readonly createdAt: number;
};

function sheetIds({ sheet, contractId, assetId, correctedIds }: SheetRow): SheetIds {
  return {
    idOf: transactionIdWriter(sheet.id),
    previousIdOf: (revision) => {
      const id = correctedIds?.[revision];
      if (id === undefined) throw new Error('a correction knows the sheet that it corrects');
      return transactionIdWriter(id);
    },
    contractId: encodeId(ID_PREFIX.contract, contractId),
    assetId: assetId === null ? null : encodeId(ID_PREFIX.asset, assetId),
    createdAt: wholeSecond(sheet.createdAt),
  };
}

export function transactionTable(): Table<TransactionRecord> {
  const id = idColumn('id');
  const type = textColumn('type');
  const contract = textColumn('contract_id');
  const status = textColumn('status');
  const version = numberColumn('version', 'integer');
  const previous = idColumn('previous_transaction_id', true);
  const senderEic = textColumn('sender_eic');
  const asset = textColumn('sender_asset_id', true);
  const senderTso = textColumn('sender_tso');
  const receiverEic = textColumn('receiver_eic');
  const receiverTso = textColumn('receiver_tso');
  const slots = slotColumns();
  const volume = sequenceColumn('volume', 'decimal');
  const created = numberColumn('created_at', 'instant');
  const addRecord = ({ row, cell }: TransactionRecord, ids: SheetIds) => {
    const { slot, previousRevision } = cell;
    id.add(ids.idOf(slot));
    type.add('ppa');
    contract.add(ids.contractId);
    status.add(cell.status);
    version.add(cell.version);
    previous.add(previousRevision === null ? null : ids.previousIdOf(previousRevision)(slot));
    senderEic.add(row.senderEic);
    asset.add(ids.assetId);
    senderTso.add(row.senderTso);
    receiverEic.add(row.receiverEic);
    receiverTso.add(row.receiverTso);
    slots.add(row.day, slot);
    volume.add(cell.volumeKwh);
    created.add(ids.createdAt);
  };
  return {
    columns: [
      id,
      type,
      contract,
      status,
      version,
      previous,
      senderEic,
      asset,
      senderTso,
      receiverEic,
      receiverTso,
      ...slots.columns,
      volume,
      created,
    ],
    add(batch) {
      const idsOf = new Map<SheetRow, SheetIds>();
      for (const record of batch) {
        let ids = idsOf.get(record.row);
        if (ids === undefined) idsOf.set(record.row, (ids = sheetIds(record.row)));
        addRecord(record, ids);
      }
      return batch.length;
    },
  };
}

const secondOrNull = (instant: number | null) => (instant === null ? null : wholeSecond(instant));

export function nominationTable(counterpartyEic: string, range: SlotRange): Table<NominationRow> {
  const id = textColumn('id');
  const status = textColumn('status');
  const version = numberColumn('version', 'integer');
  const previous = textColumn('previous_nomination_id', true);
  const gate = numberColumn('gate_closure', 'instant', true);
  const confirmed = numberColumn('confirmed_at', 'instant', true);
  const direction = textColumn('direction');
  const eic = textColumn('eic');
  const tso = textColumn('tso');
  const sent = numberColumn('sent_at', 'instant', true);
  const counterparty = textColumn('counterparty_eic');
  const slots = slotColumns();
  const amount = sequenceColumn('amount', 'decimal');
  const matched = sequenceColumn('matched_amount', 'decimal', true);
  const created = numberColumn('created_at', 'instant');
  const addSlot = (row: NominationRow, slot: number, ids: { own: string; previous: string | null }) => {
    id.add(ids.own);
    status.add(row.status);
    version.add(row.version);
    previous.add(ids.previous);
    gate.add(secondOrNull(row.gate_closure));
    confirmed.add(secondOrNull(row.confirmed_at));
    direction.add(row.direction);
    eic.add(row.eic);
    tso.add(row.tso);
    sent.add(secondOrNull(row.sent_at));
    counterparty.add(counterpartyEic);
    slots.add(row.delivery_day, slot);
    amount.add(row.amounts![slot - 1]!);
    matched.add(row.matched ? kwhFromMatchedKw(row.matched[slot - 1]!) : null);
    created.add(wholeSecond(row.created_at));
  };
  return {
    columns: [
      id,
      status,
      version,
      previous,
      gate,
      confirmed,
      direction,
      eic,
      tso,
      sent,
      counterparty,
      ...slots.columns,
      amount,
      matched,
      created,
    ],
    add(batch) {
      let rows = 0;
      for (const row of batch) {
        const own = encodeId(ID_PREFIX.nomination, row.id);
        const before = row.previous_id === null ? null : encodeId(ID_PREFIX.nomination, row.previous_id);
        const last = Math.min(range.to, row.amounts?.length ?? 0);
        for (let slot = range.from; slot <= last; slot++, rows++)
          addSlot(row, slot, { own, previous: before });
      }
      return rows;
    },
  };
}
