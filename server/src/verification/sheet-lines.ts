import { hash } from 'node:crypto';
import { type LedgerParty, sheetEntry } from '@saldo/core/ledger/entries.ts';
import { HASH_BYTES } from '@saldo/core/ledger/tree.ts';
import { RECORD_BYTES } from '../ledger/append.ts';
import type { Parties } from './parties.ts';
import { binaryFields, binaryInstant, POSTGRES_EPOCH_MS, type Row, type RowStream } from './row-stream.ts';

/**
 * Most entries are those of sheets without corrections, and texts of their fields would take most of the time of a verification.
 * So the bytes of these entries are made of the bytes of their rows. An entry that does not agree here, or has another form, is
 * compared by way of texts, which also names it.
 */

/** The entries of a row of `ledger_batch`. */
export type Batch = { readonly committedAt: number; readonly records: Buffer; readonly hashes: Buffer };

const [QUOTE, BRACE] = [34, 125];
const UUID_AT = 1;
const UUID_BYTES = 16;
const [INSTANT_LENGTH, DAY_LENGTH] = [24, 10];
/** A date of Postgres is a number of days in UTC, which has no clock changes. */
const UTC_DAY_MS = 86_400_000;
const BASE32 = Buffer.from('0123456789abcdefghjkmnpqrstvwxyz');
/** Both hexadecimal digits of a byte, as they are in memory: two digits at once take half of the time. */
const HEX = new Uint16Array(
  Uint8Array.from(Buffer.from(Array.from({ length: 256 }, (_, byte) => hexByte(byte)).join(''))).buffer,
);

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** The places of the columns in the binary format of COPY: no column up to the volumes can be null. */
const ID_COLUMN = 6;
const [CREATED_AT, CONTRACT, DAY, REVISION, SENDER, RECEIVER, VOLUMES] = [26, 38, 46, 54, 62, 70, 78];
/** The last three columns are null: versions, previous versions and their sheets. */
const NULLS_LENGTH = 12;
const [DATE_INFINITY, DATE_MINUS_INFINITY] = [2 ** 31 - 1, -(2 ** 31)];

function dayText(day: number): string {
  if (day === DATE_INFINITY) return 'infinity';
  if (day === DATE_MINUS_INFINITY) return '-infinity';
  const start = new Date(POSTGRES_EPOCH_MS + day * UTC_DAY_MS);
  // Postgres has years that a Date has not.
  return Number.isNaN(start.getTime()) ? `day ${day}` : start.toISOString().split('T', 1)[0]!;
}

const integerOf = (field: Buffer): number | null => (field.length === 4 ? field.readInt32BE() : null);
const textOf = (value: number | null): string => (value === null ? '' : String(value));

/** The texts of the columns, for `entries`. */
export function sheetFields(bytes: Buffer, start: number): Row {
  const [id, createdAt, contract, day, revision, sender, receiver, volumes, ...texts] = binaryFields(
    bytes,
    start,
  ) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, ...Buffer[]];
  const dayNumber = integerOf(day);
  return [
    id.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    createdAt.length === 8 ? String(binaryInstant(createdAt)) : '',
    textOf(integerOf(contract)),
    dayNumber === null ? '' : dayText(dayNumber),
    ...[revision, sender, receiver].map((field) => textOf(integerOf(field))),
    volumes.toString('hex'),
    ...texts.map((text) => text.toString()),
  ];
}

type Head = {
  readonly revision: number;
  readonly sender: number;
  readonly receiver: number;
  readonly bytes: Buffer;
};

/** An entry up to its volumes, after the byte of a leaf. Its instant, day and id are to be replaced. */
function headBytes(contractUuid: string, revision: number, sender: LedgerParty, receiver: LedgerParty) {
  const { text } = sheetEntry({
    uuid: NO_UUID,
    contractUuid,
    day: '0000-00-00',
    revision,
    sender,
    receiver,
    volumesHex: '',
    versions: null,
    previous: null,
    committedAt: 0,
  });
  return Buffer.from(`\0${text.slice(0, -'"}'.length)}`);
}

const NO_UUID = '00000000-0000-0000-0000-000000000000';
const NO_PARTY: LedgerParty = { eic: '', tso: 'DE_AMPRION' };
const ANY_HEAD = headBytes(NO_UUID, 1, NO_PARTY, NO_PARTY);
const placeAfter = (text: string) => ANY_HEAD.indexOf(text) + text.length;
/** The members before these have the same length in all entries. */
const INSTANT_AT = placeAfter('"committed_at":"');
const DAY_AT = placeAfter('"delivery_date":"');
const ID_AT = placeAfter('"id":"txn_');

export class SheetLines {
  /** As in `ledger_batch.records`. */
  readonly record = Buffer.alloc(RECORD_BYTES);
  instant = Number.NaN;
  private readonly parties: Parties;
  /** By contract. */
  private readonly heads = new Map<number, Head>();
  private instantBytes = Buffer.alloc(0);
  /** By the number of the day. */
  private readonly days = new Map<number, Buffer>();
  private entry = new EntryBuffer(2048);

  constructor(parties: Parties) {
    this.parties = parties;
  }

  /** The leaf hash (latin1) of the current row, whose record and instant are set. Null if it needs `entries`. */
  read({ bytes, start, end }: RowStream): string | null {
    const volumesEnd = end - NULLS_LENGTH;
    if (start + VOLUMES > volumesEnd) return null;
    if (start + VOLUMES + bytes.readInt32BE(start + VOLUMES - 4) !== volumesEnd) return null;
    for (let at = volumesEnd; at < end; at++) if (bytes[at] !== 0xff) return null;
    if (!this.readInstant(bytes, start + CREATED_AT)) return null;
    const dayBytes = this.dayBytes(bytes.readInt32BE(start + DAY));
    const revision = bytes.readInt32BE(start + REVISION);
    const head = this.headOf(
      bytes.readInt32BE(start + CONTRACT),
      revision,
      bytes.readInt32BE(start + SENDER),
      bytes.readInt32BE(start + RECEIVER),
    );
    if (head === null || dayBytes === null) return null;
    for (let at = 0; at < UUID_BYTES; at++) this.record[UUID_AT + at] = bytes[start + ID_COLUMN + at]!;
    this.record.writeInt32BE(revision, RECORD_BYTES - 4);
    return this.hashEntry(head, dayBytes, bytes, start + VOLUMES, volumesEnd);
  }

  /** False if the instant is not of whole milliseconds, or too far from 2000 to be exact: about 285 years. */
  private readInstant(bytes: Buffer, at: number): boolean {
    const microseconds = bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
    const instant = microseconds / 1000 + POSTGRES_EPOCH_MS;
    if (instant === this.instant) return true;
    if (microseconds % 1000 !== 0 || !Number.isSafeInteger(microseconds)) return false;
    this.instant = instant;
    this.instantBytes = Buffer.from(new Date(instant).toISOString());
    return true;
  }

  /** Null if the text of the day has another length. */
  private dayBytes(day: number): Buffer | null {
    let bytes = this.days.get(day);
    if (bytes === undefined) this.days.set(day, (bytes = Buffer.from(dayText(day))));
    return bytes.length === DAY_LENGTH ? bytes : null;
  }

  /** Whether the row that was read is the record of the entry at `index`. */
  isOf({ records }: Batch, index: number): boolean {
    const start = index * RECORD_BYTES;
    // From the end: records of a batch begin alike.
    for (let at = RECORD_BYTES - 1; at >= 0; at--) if (this.record[at] !== records[start + at]) return false;
    return true;
  }

  private hashEntry(head: Buffer, day: Buffer, bytes: Buffer, volumesAt: number, volumesEnd: number): string {
    const length = head.length + 2 * (volumesEnd - volumesAt) + 2;
    if (length >= this.entry.bytes.length) this.entry = new EntryBuffer(2 * length);
    const { bytes: entry, pairs } = this.entry;
    // The volumes begin at an even place.
    const start = head.length % 2;
    entry.set(head, start);
    for (let at = 0; at < INSTANT_LENGTH; at++) entry[start + INSTANT_AT + at] = this.instantBytes[at]!;
    for (let at = 0; at < DAY_LENGTH; at++) entry[start + DAY_AT + at] = day[at]!;
    writeBase32(this.record, entry, start + ID_AT);
    let to = (start + head.length) / 2;
    for (let at = volumesAt; at < volumesEnd; at++) pairs[to++] = HEX[bytes[at]!]!;
    entry[2 * to] = QUOTE;
    entry[2 * to + 1] = BRACE;
    return hash('sha256', this.entry.view(start, length), 'latin1');
  }

  private headOf(contract: number, revision: number, sender: number, receiver: number): Buffer | null {
    const last = this.heads.get(contract);
    if (last?.revision === revision && last.sender === sender && last.receiver === receiver)
      return last.bytes;
    const contractUuid = this.parties.contracts.get(String(contract));
    const sending = this.parties.positions.get(String(sender));
    const receiving = this.parties.positions.get(String(receiver));
    if (contractUuid === undefined || sending === undefined || receiving === undefined) return null;
    const bytes = headBytes(contractUuid, revision, sending, receiving);
    this.heads.set(contract, { revision, sender, receiver, bytes });
    return bytes;
  }
}

/** The bytes of an entry. Its views are kept, because there are few lengths, and a new view takes a fifth of the time of a hash. */
class EntryBuffer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly pairs: Uint16Array;
  private readonly views = new Map<number, Uint8Array>();

  constructor(length: number) {
    this.bytes = new Uint8Array(length + (length % 2));
    this.pairs = new Uint16Array(this.bytes.buffer);
  }

  view(start: number, length: number): Uint8Array {
    const key = 2 * length + start;
    let view = this.views.get(key);
    if (view === undefined) this.views.set(key, (view = this.bytes.subarray(start, start + length)));
    return view;
  }
}

/** The digits of the id of a record. */
function writeBase32(record: Uint8Array, into: Uint8Array, start: number): void {
  let bits = 0;
  // Two zero bits in front make 26 digits of the 128 bits.
  let bitCount = 2;
  let to = start;
  for (let at = UUID_AT; at < UUID_AT + UUID_BYTES; at++) {
    bits = ((bits & 0x1f) << 8) | record[at]!;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      into[to++] = BASE32[(bits >> bitCount) & 31]!;
    }
  }
}

/** Whether the leaf hash (latin1) is that of the entry at `index`. */
export function isHashAt({ hashes }: Batch, index: number, leafHash: string): boolean {
  const start = index * HASH_BYTES;
  for (let at = 0; at < HASH_BYTES; at++) if (leafHash.charCodeAt(at) !== hashes[start + at]) return false;
  return true;
}
