import type { Asset, Pagination } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { encodeId, ID_PREFIX, TransactionIdBytes } from '@saldo/core/id.ts';
import type { Cell } from '@saldo/core/transactions/sheet.ts';
import { ByteWriter } from '../platform/bytes/byte-writer.ts';
import { CSV_FIELDS, type SlotsOfDay, SlotText } from '../platform/bytes/slot-text.ts';
import type { SheetRow } from './sheet-rows.ts';
import type { TransactionRecord } from './store.ts';

/** What only the operator's records have, in ASCII, like all other values. */
const operatorMembers = ({ invalidReason: reason, source }: TransactionRecord) =>
  reason === undefined
    ? ''
    : `"invalid_reason":${JSON.stringify(reason).replaceAll(/[^ -~]/g, escaped)},"source":${JSON.stringify(source ?? null)},`;
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** How a transaction is written: the constant texts around its values. */
type Notation = {
  /** One byte between two transactions. */
  readonly separator: string;
  readonly slots: SlotText;
  readonly untilId: string;
  readonly untilPrevious: (contractId: string, record: TransactionRecord) => string;
  readonly quote: string;
  readonly nothing: string;
  readonly parties: (row: SheetRow, assetId: string) => string;
  readonly end: (createdAt: string) => string;
};

const JSON_LIST: Notation = {
  separator: ',',
  slots: new SlotText('', ',"volume":'),
  untilId: '{"id":"',
  untilPrevious: (contractId, record) =>
    `","type":"ppa","contract_id":"${contractId}","status":"${record.cell.status}",${operatorMembers(record)}` +
    `"version":${record.cell.version},"previous_transaction_id":`,
  quote: '"',
  nothing: 'null',
  parties: (row, assetId) =>
    `,"sender":{"eic":"${row.senderEic}","asset_id":${assetId},"tso":"${row.senderTso}"}` +
    `,"receiver":{"eic":"${row.receiverEic}","tso":"${row.receiverTso}"},`,
  end: (createdAt) => `,"created_at":"${createdAt}"}`,
};
const JSON_LINES: Notation = { ...JSON_LIST, separator: '\n' };

/** The order of the columns is that of the members in JSON, plus the delivery day. No value needs quotes. */
const CSV: Notation = {
  separator: '\n',
  slots: new SlotText('', ',', CSV_FIELDS),
  untilId: '',
  untilPrevious: (contractId, { cell: { status, version } }) => `,ppa,${contractId},${status},${version},`,
  quote: '',
  nothing: '',
  parties: (row, assetId) =>
    `,${row.senderEic},${assetId},${row.senderTso},${row.receiverEic},${row.receiverTso},${row.day},`,
  end: (createdAt) => `,${createdAt}`,
};

/** Text shared by all transactions of a sheet, built once per sheet. */
type SheetBytes = {
  readonly ids: TransactionIdBytes;
  readonly slots: SlotsOfDay;
  /** Text from the volume to the end of the transaction. */
  readonly end: string;
  readonly versions: VersionBytes[];
};

/**
 * Text shared by the transactions of a sheet with equal status, reason, source and version, which differ only in slot and volume.
 */
type VersionBytes = Pick<Cell, 'status' | 'version' | 'previousRevision'> & {
  readonly invalidReason: string | null | undefined;
  readonly source: SeriesKind | null | undefined;
  /** End of a transaction and start of the next one of the same sheet, so that the common case is a single copy. */
  readonly next: Buffer;
  /** Views of `next` for a transaction that follows another sheet. They share its memory, so a write changes both. */
  readonly end: Uint8Array;
  readonly begin: Uint8Array;
  /** Offset in `next` of the two characters of the id that encode the slot. */
  readonly pairAt: number;
  readonly previous: { readonly ids: TransactionIdBytes; readonly pairAt: number } | null;
};

const sheetBytes = ({ sheet, day }: SheetRow, notation: Notation): SheetBytes => ({
  ids: new TransactionIdBytes(sheet.id),
  slots: notation.slots.of(day),
  end: notation.end(formatInstant(sheet.createdAt)),
  versions: [],
});

/** Placeholder for the two characters of an id that encode the slot. */
const SLOT_PLACEHOLDER = '..';
const SEPARATOR_BYTES = 1;

function versionBytes({ ids, end }: SheetBytes, record: TransactionRecord, notation: Notation): VersionBytes {
  const { row, cell, invalidReason, source } = record;
  const { status, version, previousRevision } = cell;
  const { quote, nothing } = notation;
  const previousIds = previousRevision === null ? null : previousIdsOf(row, previousRevision);
  const idStem = notation.untilId + ids.stem;
  const contractId = encodeId(ID_PREFIX.contract, row.contractId);
  const untilPrevious = idStem + SLOT_PLACEHOLDER + notation.untilPrevious(contractId, record);
  const previousStem = previousIds === null ? nothing : quote + previousIds.stem;
  const assetId = row.assetId === null ? nothing : quote + encodeId(ID_PREFIX.asset, row.assetId) + quote;
  const previousEnd = previousIds === null ? '' : SLOT_PLACEHOLDER + quote;
  const begin = untilPrevious + previousStem + previousEnd + notation.parties(row, assetId);
  const next = Buffer.from(end + notation.separator + begin, 'latin1');
  const beginAt = end.length + SEPARATOR_BYTES;
  const previousPairAt = beginAt + untilPrevious.length + previousStem.length;
  return {
    status,
    version,
    previousRevision,
    invalidReason,
    source,
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
function versionOf(sheet: SheetBytes, record: TransactionRecord, notation: Notation): VersionBytes {
  const { cell, invalidReason, source } = record;
  for (const known of sheet.versions) {
    const isEqual = known.status === cell.status && known.version === cell.version;
    const isShownEqual = known.invalidReason === invalidReason && known.source === source;
    if (isEqual && isShownEqual && known.previousRevision === cell.previousRevision) return known;
  }
  const made = versionBytes(sheet, record, notation);
  sheet.versions.push(made);
  return made;
}

/**
 * Writes transactions with separators between them. All values are ASCII and need no escaping. The cost of a page is the number
 * of copies, so most transactions are written with two copies and a volume.
 */
function writeTransactions(
  text: ByteWriter,
  records: readonly TransactionRecord[],
  notation: Notation = JSON_LIST,
): void {
  const bytesOf = new Map<SheetRow, SheetBytes>();
  let [row, sheet, last]: [SheetRow | null, SheetBytes | null, VersionBytes | null] = [null, null, null];
  for (const record of records) {
    const { slot, volumeKwh } = record.cell;
    const isOfLastSheet = record.row === row;
    if (sheet === null || !isOfLastSheet) {
      row = record.row;
      sheet = bytesOf.get(row) ?? sheetBytes(row, notation);
      bytesOf.set(row, sheet);
    }
    const version = versionOf(sheet, record, notation);
    sheet.ids.writePair(version.next, version.pairAt, slot);
    version.previous?.ids.writePair(version.next, version.previous.pairAt, slot);
    if (isOfLastSheet) text.append(version.next);
    else writeBegin(text, last, version);
    text.append(notation.slots.bytesAt(sheet.slots, slot));
    text.mwh(volumeKwh);
    last = version;
  }
  if (last !== null) text.append(last.end);
}

function writeBegin(text: ByteWriter, last: VersionBytes | null, version: VersionBytes): void {
  if (last === null) return text.append(version.begin.subarray(SEPARATOR_BYTES));
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

/** Writes a line per transaction, each as a list has it in JSON. */
export const transactionJsonLines = (records: readonly TransactionRecord[]): Buffer =>
  linesOf(records, JSON_LINES);

/** Writes a line per transaction, with the columns `TRANSACTION_COLUMNS` of the API. */
export const transactionCsvLines = (records: readonly TransactionRecord[]): Buffer => linesOf(records, CSV);

function linesOf(records: readonly TransactionRecord[], notation: Notation): Buffer {
  const text = new ByteWriter(records.length * TRANSACTION_BYTES);
  writeTransactions(text, records, notation);
  text.ascii('\n');
  return text.written();
}
