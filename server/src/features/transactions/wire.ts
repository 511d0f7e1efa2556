import type { Asset, Pagination } from '@saldo/api';
import { type DeliveryDay, formatInstant, SLOT_MS, slotCount, slotStart } from '../../domain/delivery-day.ts';
import { mwhText } from '../../domain/energy.ts';
import { encodeId, ID_PREFIX, transactionIdWriter } from '../../domain/id.ts';
import type { Cell, CellStatus } from '../../domain/sheet.ts';
import type { SheetRow, TransactionRecord } from './store.ts';

/**
 * A text in one piece. One that is put together with `+` stays a tree of its parts, and whoever writes it again and
 * again walks that tree each time; joining copies the parts once.
 */
const solid = (...parts: readonly string[]): string => parts.join('');

/** Days whose slots are kept as text; more than a year, and a few megabytes. */
const CACHED_DAYS = 400;
const slotTextsByDay = new Map<DeliveryDay, readonly string[]>();

/** The times and number of each slot of a day as JSON members: they are the same for all records of the day. */
export function slotTexts(day: DeliveryDay): readonly string[] {
  let texts = slotTextsByDay.get(day);
  if (!texts) {
    texts = Array.from({ length: slotCount(day) }, (_, at) => {
      const start = slotStart(day, at + 1);
      const end = start + SLOT_MS;
      return solid(
        `"delivery_start":"${formatInstant(start)}","delivery_end":"${formatInstant(end)}"`,
        `,"slot_number":${at + 1}`,
      );
    });
    if (slotTextsByDay.size >= CACHED_DAYS) slotTextsByDay.clear();
    slotTextsByDay.set(day, texts);
  }
  return texts;
}

/** What all transactions of a sheet have in common, written once. */
type SheetText = {
  readonly id: (slot: number) => string;
  readonly contract: string;
  readonly parties: string;
  readonly slots: readonly string[];
  readonly created: string;
  /** The members from `type` to the parties, of first versions by their status: nearly all are first versions. */
  readonly firstVersions: { [Status in CellStatus]?: string };
};

function sheetText(row: SheetRow): SheetText {
  const asset = row.assetId === null ? 'null' : `"${encodeId(ID_PREFIX.asset, row.assetId)}"`;
  return {
    id: transactionIdWriter(row.sheet.id),
    contract: `","type":"ppa","contract_id":"${encodeId(ID_PREFIX.contract, row.contractId)}","status":"`,
    parties:
      `,"sender":{"eic":"${row.senderEic}","asset_id":${asset},"tso":"${row.senderTso}"}` +
      `,"receiver":{"eic":"${row.receiverEic}","tso":"${row.receiverTso}"},`,
    slots: slotTexts(row.day),
    created: solid(',"created_at":"', formatInstant(row.sheet.createdAt), '"'),
    firstVersions: {},
  };
}

function versionText(text: SheetText, { status, version }: Cell, previous: string): string {
  const members = `${status}","version":${version},"previous_transaction_id":`;
  return solid(text.contract, members, previous, text.parties);
}

function previousText({ row, cell }: TransactionRecord, previousRevision: number): string {
  const previousId = row.correctedIds?.[previousRevision];
  if (previousId === undefined) throw new Error('a correction knows the sheet that it corrects');
  return `"${transactionIdWriter(previousId)(cell.slot)}"`;
}

/**
 * Transactions as JSON text, with what stands around them. No value in them needs to be escaped, and the parts that
 * they share are written once a sheet. What a page costs is the number of its parts, since each is copied by itself.
 */
export function transactionTexts(records: readonly TransactionRecord[], before = '', after = ''): string {
  if (records.length === 0) return before + after;
  const texts: string[] = [];
  const textOf = new Map<SheetRow, SheetText>();
  let [current, text]: [SheetRow | null, SheetText | undefined] = [null, undefined];
  for (const record of records) {
    const { row, cell } = record;
    if (row !== current || text === undefined) {
      text = textOf.get(row) ?? sheetText(row);
      textOf.set(row, text);
      current = row;
    }
    const members =
      cell.previousRevision === null
        ? (text.firstVersions[cell.status] ??= versionText(text, cell, 'null'))
        : versionText(text, cell, previousText(record, cell.previousRevision));
    const volume = `,"volume":${mwhText(cell.volumeKwh)}`;
    texts.push(text.id(cell.slot) + members + text.slots[cell.slot - 1] + volume + text.created);
  }
  // Part of the same joining: to put them around the result would copy all of it once more.
  texts[0] = `${before}{"id":"${texts[0]}`;
  texts.push(`${texts.pop()}}${after}`);
  return texts.join('},{"id":"');
}

/**
 * The envelope of all transaction reads; pagination and assets are there when they are given. Only the names of assets
 * can have other letters than ASCII: without them the bytes are the text's own and need not be encoded.
 */
export function transactionEnvelope(
  records: readonly TransactionRecord[],
  extra: { pagination?: Pagination; assets?: readonly Asset[] | null },
): Buffer {
  const pagination = extra.pagination ? `,"pagination":${JSON.stringify(extra.pagination)}` : '';
  const assets = extra.assets ? `,"assets":${JSON.stringify(extra.assets)}` : '';
  const text = transactionTexts(records, '{"transactions":[', `]${pagination}${assets}}`);
  return Buffer.from(text, extra.assets ? 'utf8' : 'latin1');
}
