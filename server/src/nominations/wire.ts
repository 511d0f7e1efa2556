import type { Pagination } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { kwhFromMatchedKw } from '@saldo/core/energy.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { ByteWriter } from '../platform/bytes/byte-writer.ts';
import { CSV_FIELDS, SlotText } from '../platform/bytes/slot-text.ts';
import type { NominationRow } from './store.ts';

/** The platform operator, which is the counterparty of every nomination. */
export type Operator = { readonly name: string; readonly eic: string };

export type SlotRange = { readonly from: number; readonly to: number };

/** Typical size of a nomination and of each of its slots in JSON; used to size the buffer. */
const [NOMINATION_BYTES, SLOT_BYTES] = [640, 140];

const SLOT_END = '},';
/** Spans the end of one slot and the start of the next, so that a slot takes one copy instead of two. */
const slotsWithAmount = new SlotText(`${SLOT_END}{`, ',"amount":');
const MATCHED = Buffer.from(',"matched_amount":');
const NOT_MATCHED = Buffer.from(',"matched_amount":null');

const instantText = (instant: number | null) => (instant === null ? 'null' : `"${formatInstant(instant)}"`);

function writeSlots(
  text: ByteWriter,
  row: NominationRow,
  amounts: readonly number[],
  range: SlotRange,
): void {
  const slots = slotsWithAmount.of(row.delivery_day);
  text.ascii(',"slots":[');
  const matched = row.matched ?? null;
  const [first, end] = [range.from - 1, Math.min(range.to, amounts.length)];
  for (let at = first; at < end; at++) {
    const slot = slotsWithAmount.bytesAt(slots, at + 1);
    text.append(at === first ? slot.subarray(SLOT_END.length) : slot);
    text.mwh(amounts[at]!);
    if (matched === null) text.append(NOT_MATCHED);
    else {
      text.append(MATCHED);
      text.mwh(kwhFromMatchedKw(matched[at]!));
    }
  }
  text.ascii(first < end ? '}]' : ']');
}

const csvSlots = new SlotText('', ',', CSV_FIELDS);
const instantField = (instant: number | null) => (instant === null ? '' : formatInstant(instant));

/** Writes a line per slot, with the columns `NOMINATION_COLUMNS` of the API. No value needs quotes. */
function writeCsvLines(
  text: ByteWriter,
  row: NominationRow,
  counterpartyEic: string,
  range: SlotRange,
): void {
  const { amounts = [], matched = null } = row;
  const previous = row.previous_id === null ? '' : encodeId(ID_PREFIX.nomination, row.previous_id);
  const head = Buffer.from(
    `${encodeId(ID_PREFIX.nomination, row.id)},${row.status},${row.version},${previous}` +
      `,${instantField(row.gate_closure)},${instantField(row.confirmed_at)},${row.direction},${row.eic},${row.tso}` +
      `,${instantField(row.sent_at)},${counterpartyEic},${row.delivery_day},`,
    'latin1',
  );
  const end = `,${instantField(row.created_at)}\n`;
  const slots = csvSlots.of(row.delivery_day);
  for (let slot = range.from; slot <= Math.min(range.to, amounts.length); slot++) {
    text.append(head);
    text.append(csvSlots.bytesAt(slots, slot));
    text.mwh(amounts[slot - 1]!);
    text.ascii(',');
    if (matched !== null) text.mwh(kwhFromMatchedKw(matched[slot - 1]!));
    text.ascii(end);
  }
}

type Piece = { readonly row: NominationRow; readonly counterparty: Uint8Array; readonly range: SlotRange };

/** Appends few large parts instead of many small ones, because each append is a separate copy. */
function writeNomination(text: ByteWriter, { row, counterparty, range }: Piece, before: string): void {
  const previous = row.previous_id === null ? 'null' : `"${encodeId(ID_PREFIX.nomination, row.previous_id)}"`;
  text.ascii(
    `${before}{"id":"${encodeId(ID_PREFIX.nomination, row.id)}","status":"${row.status}","version":${row.version}` +
      `,"previous_nomination_id":${previous},"gate_closure":${instantText(row.gate_closure)}` +
      `,"confirmed_at":${instantText(row.confirmed_at)},"direction":"${row.direction}","eic":"${row.eic}"` +
      `,"tso":"${row.tso}","sent_at":${instantText(row.sent_at)}`,
  );
  text.append(counterparty);
  if (row.amounts) writeSlots(text, row, row.amounts, range);
  text.ascii(`,"created_at":${instantText(row.created_at)}}`);
}

const expectedBytes = (row: NominationRow | undefined) =>
  NOMINATION_BYTES + (row?.amounts?.length ?? 0) * SLOT_BYTES;

/**
 * Writes nominations as JSON bytes. A page of 100 with slots is 1.4 MB, most of it constant text, which is copied
 * instead of being serialised each time.
 */
export function nominationWriter(operator: Operator) {
  // The operator's name is the only value that can contain non-ASCII characters.
  const { name, eic } = operator;
  const counterparty = Buffer.from(`,"counterparty":${JSON.stringify({ name, eic })}`);
  return {
    one(row: NominationRow, range: SlotRange): Buffer {
      const text = new ByteWriter(expectedBytes(row));
      writeNomination(text, { row, counterparty, range }, '');
      return text.written();
    },
    list(rows: readonly NominationRow[], range: SlotRange, pagination: Pagination | null): Buffer {
      const text = new ByteWriter((rows.length + 1) * expectedBytes(rows[0]));
      text.ascii('{"nominations":[');
      for (let at = 0; at < rows.length; at++) {
        writeNomination(text, { row: rows[at]!, counterparty, range }, at === 0 ? '' : ',');
      }
      text.ascii(pagination === null ? ']}' : `],"pagination":${JSON.stringify(pagination)}}`);
      return text.written();
    },
    /** A line per nomination, each as a list has it. */
    jsonLines(rows: readonly NominationRow[], range: SlotRange): Buffer {
      const text = new ByteWriter((rows.length + 1) * expectedBytes(rows[0]));
      for (const row of rows) {
        writeNomination(text, { row, counterparty, range }, '');
        text.ascii('\n');
      }
      return text.written();
    },
    csvLines(rows: readonly NominationRow[], range: SlotRange): Buffer {
      const text = new ByteWriter((rows.length + 1) * expectedBytes(rows[0]));
      for (const row of rows) writeCsvLines(text, row, eic, range);
      return text.written();
    },
  };
}
