import type { Asset, Pagination } from '@saldo/api';
import { type DeliveryDay, formatInstant, SLOT_MS, slotCount, slotStart } from '../../domain/delivery-day.ts';
import { mwhText } from '../../domain/energy.ts';
import { encodeId, ID_PREFIX, transactionIdWriter } from '../../domain/id.ts';
import type { SheetRow, TransactionRecord } from './store.ts';

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
      return `"delivery_start":"${formatInstant(start)}","delivery_end":"${formatInstant(end)}","slot_number":${at + 1}`;
    });
    if (slotTextsByDay.size >= CACHED_DAYS) slotTextsByDay.clear();
    slotTextsByDay.set(day, texts);
  }
  return texts;
}

/** What all transactions of a sheet have in common, written once. */
type SheetText = {
  id: (slot: number) => string;
  contract: string;
  parties: string;
  slots: readonly string[];
  created: string;
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
    created: `,"created_at":"${formatInstant(row.sheet.createdAt)}"}`,
  };
}

function previousText({ row, cell }: TransactionRecord): string {
  if (cell.previousRevision === null) return 'null';
  const previousId = row.earlierIds?.[cell.previousRevision - 1];
  if (previousId === undefined) throw new Error('a correction knows the sheet that it corrects');
  return `"${transactionIdWriter(previousId)(cell.slot)}"`;
}

/**
 * Transactions as JSON text. No value in them needs to be escaped, and the parts that they share are written once a
 * sheet, which takes half the time of making objects and stringifying them.
 */
export function transactionTexts(records: readonly TransactionRecord[]): string {
  const texts = new Map<SheetRow, SheetText>();
  let json = '';
  for (const record of records) {
    const { row, cell } = record;
    let text = texts.get(row);
    if (!text) {
      text = sheetText(row);
      texts.set(row, text);
    }
    json +=
      `${json === '' ? '' : ','}{"id":"${text.id(cell.slot)}${text.contract}${cell.status}","version":${cell.version}` +
      `,"previous_transaction_id":${previousText(record)}${text.parties}${text.slots[cell.slot - 1]}` +
      `,"volume":${mwhText(cell.volumeKwh)}${text.created}`;
  }
  return json;
}

/** The envelope of all transaction reads; pagination and assets are there when they are given. */
export function transactionEnvelope(
  records: readonly TransactionRecord[],
  extra: { pagination?: Pagination; assets?: readonly Asset[] | null },
): string {
  const pagination = extra.pagination ? `,"pagination":${JSON.stringify(extra.pagination)}` : '';
  const assets = extra.assets ? `,"assets":${JSON.stringify(extra.assets)}` : '';
  return `{"transactions":[${transactionTexts(records)}]${pagination}${assets}}`;
}
