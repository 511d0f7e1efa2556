/** Parsing of the page request and formatting of the response. */

export const PAGE = 100;

/** The last record of the previous page. */
export type Place = {
  readonly day: string;
  readonly contractNo: number;
  readonly slot: number;
  readonly version: number;
};

const cursorOf = ({ day, contractNo, slot, version }: Place): string =>
  Buffer.from(JSON.stringify([day, contractNo, slot, version])).toString('base64url');

export function placeOf(cursor: string): Place {
  const [day, contractNo, slot, version] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  return { day, contractNo, slot, version };
}

export type Row = Place & {
  readonly id: string;
  readonly contractId: string;
  readonly status: string;
  readonly previousId: string | null;
  readonly senderEic: string;
  readonly senderTso: string;
  readonly receiverEic: string;
  readonly receiverTso: string;
  readonly assetId: string | null;
  readonly deliveryStart: Date;
  readonly deliveryEnd: Date;
  readonly volumeKwh: number;
  readonly createdAt: Date;
};

const instant = (date: Date) => `${date.toISOString().slice(0, 19)}Z`;

const transactionOf = (row: Row) => ({
  id: row.id,
  type: 'ppa',
  contract_id: row.contractId,
  status: row.status,
  version: row.version,
  previous_transaction_id: row.previousId,
  sender: { eic: row.senderEic, asset_id: row.assetId, tso: row.senderTso },
  receiver: { eic: row.receiverEic, tso: row.receiverTso },
  delivery_start: instant(row.deliveryStart),
  delivery_end: instant(row.deliveryEnd),
  slot_number: row.slot,
  volume: row.volumeKwh / 1000,
  created_at: instant(row.createdAt),
});

/** One row more than the page is read, to detect a next page. */
export function pageOf(rows: readonly Row[]) {
  const hasMore = rows.length > PAGE;
  const shown = hasMore ? rows.slice(0, PAGE) : rows;
  const last = shown.at(-1);
  return {
    transactions: shown.map(transactionOf),
    pagination: { limit: PAGE, has_more: hasMore, next_cursor: hasMore && last ? cursorOf(last) : null },
  };
}
