import type { Asset, Pagination } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX, TransactionIdBytes } from '@saldo/core/id.ts';
import type { Cell } from '@saldo/core/transactions/sheet.ts';
import { ByteWriter } from '../platform/bytes/byte-writer.ts';
import { SlotJson, type SlotsOfDay } from '../platform/bytes/slot-json.ts';
import type { SheetRow, TransactionRecord } from './store.ts';

const slotsWithVolume = new SlotJson('', ',"volume":');

/** JSON text shared by all transactions of a sheet, built once per sheet. */
type SheetBytes = {
  readonly ids: TransactionIdBytes;
  readonly slots: SlotsOfDay;
  /** Text from the volume to the end of the transaction. */
  readonly end: string;
  readonly versions: VersionBytes[];
};

/**
 * JSON text shared by the transactions of a sheet with equal status and version, which differ only in slot and volume.
 */
type VersionBytes = Pick<Cell, 'status' | 'version' | 'previousRevision'> & {
  /** End of a transaction and start of the next one of the same sheet, so that the common case is a single copy. */
  readonly next: Buffer;
  /** Views of `next` for a transaction that follows another sheet. They share its memory, so a write changes both. */
  readonly end: Uint8Array;
  readonly begin: Uint8Array;
  /** Offset in `next` of the two characters of the id that encode the slot. */
  readonly pairAt: number;
  readonly previous: { readonly ids: TransactionIdBytes; readonly pairAt: number } | null;
};

const sheetBytes = ({ sheet, day }: SheetRow): SheetBytes => ({
  ids: new TransactionIdBytes(sheet.id),
  slots: slotsWithVolume.of(day),
  end: `,"created_at":"${formatInstant(sheet.createdAt)}"}`,
  versions: [],
});

/** Placeholder for the two characters of an id that encode the slot. */
const SLOT_PLACEHOLDER = '..';
const COMMA_BYTES = 1;

function versionBytes({ ids, end }: SheetBytes, row: SheetRow, cell: Cell): VersionBytes {
  const { status, version, previousRevision } = cell;
  const previousIds = previousRevision === null ? null : previousIdsOf(row, previousRevision);
  const idStem = `{"id":"${ids.stem}`;
  const untilPrevious =
    `${idStem}${SLOT_PLACEHOLDER}","type":"ppa","contract_id":"${encodeId(ID_PREFIX.contract, row.contractId)}"` +
    `,"status":"${status}","version":${version},"previous_transaction_id":`;
  const previousStem = previousIds === null ? 'null' : `"${previousIds.stem}`;
  const asset = row.assetId === null ? 'null' : `"${encodeId(ID_PREFIX.asset, row.assetId)}"`;
  const parties =
    `,"sender":{"eic":"${row.senderEic}","asset_id":${asset},"tso":"${row.senderTso}"}` +
    `,"receiver":{"eic":"${row.receiverEic}","tso":"${row.receiverTso}"},`;
  const begin = untilPrevious + previousStem + (previousIds === null ? '' : `${SLOT_PLACEHOLDER}"`) + parties;
  const next = Buffer.from(`${end},${begin}`, 'latin1');
  const beginAt = end.length + COMMA_BYTES;
  const previousPairAt = beginAt + untilPrevious.length + previousStem.length;
  return {
    status,
    version,
    previousRevision,
    next,
    end: next.subarray(0, end.length),
    begin: next.subarray(end.length),
    pairAt: beginAt + idStem.length,
    previous: previousIds && { ids: previousIds, pairAt: previousPairAt },
  };
}

function previousIdsOf({ correctedIds }: SheetRow, previousRevision: number): TransactionIdBytes {
  const previousId = correctedIds?.[previousRevision];
  if (previousId === undefined) throw new Error('a correction knows the sheet that it corrects');
  return new TransactionIdBytes(previousId);
}

/** Linear search, because a sheet mostly has a single combination of status and version. */
function versionOf(sheet: SheetBytes, { row, cell }: TransactionRecord): VersionBytes {
  for (const known of sheet.versions) {
    const isEqual = known.status === cell.status && known.version === cell.version;
    if (isEqual && known.previousRevision === cell.previousRevision) return known;
  }
  const made = versionBytes(sheet, row, cell);
  sheet.versions.push(made);
  return made;
}

/**
 * Writes transactions, separated by commas. All values are ASCII and need no escaping. The cost of a page is the number
 * of copies, so most transactions are written with two copies and a volume.
 */
function writeTransactions(text: ByteWriter, records: readonly TransactionRecord[]): void {
  const bytesOf = new Map<SheetRow, SheetBytes>();
  let [row, sheet, last]: [SheetRow | null, SheetBytes | null, VersionBytes | null] = [null, null, null];
  for (const record of records) {
    const { slot, volumeKwh } = record.cell;
    const isOfLastSheet = record.row === row;
    if (sheet === null || !isOfLastSheet) {
      row = record.row;
      sheet = bytesOf.get(row) ?? sheetBytes(row);
      bytesOf.set(row, sheet);
    }
    const version = versionOf(sheet, record);
    sheet.ids.writePair(version.next, version.pairAt, slot);
    version.previous?.ids.writePair(version.next, version.previous.pairAt, slot);
    if (isOfLastSheet) text.append(version.next);
    else writeBegin(text, last, version);
    text.append(slotsWithVolume.bytesAt(sheet.slots, slot));
    text.mwh(volumeKwh);
    last = version;
  }
  if (last !== null) text.append(last.end);
}

function writeBegin(text: ByteWriter, last: VersionBytes | null, version: VersionBytes): void {
  if (last === null) return text.append(version.begin.subarray(COMMA_BYTES));
  text.append(last.end);
  text.append(version.begin);
}

/** Slightly above the size of nearly every transaction; a larger estimate would waste memory on every page. */
const TRANSACTION_BYTES = 512;

export function transactionBytes(record: TransactionRecord): Buffer {
  const text = new ByteWriter(TRANSACTION_BYTES);
  writeTransactions(text, [record]);
  return text.written();
}

/** Writes the envelope of all transaction reads. Pagination and assets are optional members. */
export function transactionEnvelope(
  records: readonly TransactionRecord[],
  extra: { pagination?: Pagination; assets?: readonly Asset[] | null },
): Buffer {
  const text = new ByteWriter((records.length + 1) * TRANSACTION_BYTES);
  text.ascii('{"transactions":[');
  writeTransactions(text, records);
  text.ascii(']');
  if (extra.pagination) text.ascii(`,"pagination":${JSON.stringify(extra.pagination)}`);
  // The names of assets are the only values that can contain non-ASCII characters.
  if (extra.assets) text.append(Buffer.from(`,"assets":${JSON.stringify(extra.assets)}`));
  text.ascii('}');
  return text.written();
}
