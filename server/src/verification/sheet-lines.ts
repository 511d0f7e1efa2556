import { hash } from 'node:crypto';
import { type LedgerParty, sheetEntry } from '@saldo/core/ledger/entries.ts';
import { HASH_BYTES } from '@saldo/core/ledger/tree.ts';
import { RECORD_BYTES } from '../ledger/append.ts';
import type { Parties } from './parties.ts';
import type { RowStream } from './row-stream.ts';

/**
 * Most entries are those of sheets without corrections, and texts of their fields would take most of the time of a verification.
 * So the bytes of these entries are made of the bytes of their rows. An entry that does not agree here, or has another form, is
 * compared by way of texts, which also names it.
 */

/** The entries of a row of `ledger_batch`. */
export type Batch = { readonly committedAt: number; readonly records: Buffer; readonly hashes: Buffer };

const [TAB, ZERO, QUOTE, BRACE] = [9, 48, 34, 125];
const [UUID_LENGTH, DAY_LENGTH] = [36, 10];
/** A group of hexadecimal digits of a UUID follows a hyphen. */
const HYPHENS = [8, 13, 18, 23];
const HYPHEN = 45;
const UUID_AT = 1;
const UUID_BYTES = 16;
/** Numbers with more digits are not exact. */
const MAX_DIGITS = 15;
/** Later years have more than four digits. */
const MAX_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

const BASE32 = Buffer.from('0123456789abcdefghjkmnpqrstvwxyz');
/** The value of a hexadecimal digit by character code, 16 for other characters. */
const HEX_VALUE = new Uint8Array(256).fill(16);
for (let value = 0; value < 16; value++) HEX_VALUE[BASE32[value]!] = value;

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
  private isoInstant = { ms: Number.NaN, bytes: Buffer.alloc(0) };
  private entry = Buffer.alloc(16_384);
  /** The place after the number that was read last, and after its tab. */
  private at = 0;

  constructor(parties: Parties) {
    this.parties = parties;
  }

  /** The leaf hash (latin1) of the current row, whose record and instant are set. Null if it needs `entries`. */
  read({ bytes, start, end }: RowStream): string | null {
    if (!this.readUuid(bytes, start)) return null;
    this.instant = this.readNumber(bytes, start + UUID_LENGTH + 1);
    const contract = this.readNumber(bytes, this.at);
    const dayAt = this.at;
    const revision = this.readNumber(bytes, dayAt + DAY_LENGTH + 1);
    const sender = this.readNumber(bytes, this.at);
    const receiver = this.readNumber(bytes, this.at);
    // The last three columns are null: versions, previous versions and their sheets.
    const volumesEnd = end - 3;
    const isPlain = bytes[end - 1] === TAB && bytes[end - 2] === TAB && bytes[volumesEnd] === TAB;
    const isDay = bytes[dayAt + DAY_LENGTH] === TAB;
    if (!isPlain || !isDay || this.at > volumesEnd || !(this.instant <= MAX_INSTANT)) return null;
    const head = this.headOf(contract, revision, sender, receiver);
    if (head === null) return null;
    this.record.writeUInt32BE(revision, RECORD_BYTES - 4);
    const length = this.writeEntry(head, bytes, { dayAt, volumesAt: this.at, volumesEnd });
    return hash('sha256', this.entry.subarray(0, length), 'latin1');
  }

  /** Whether the row that was read is the record of the entry at `index`. */
  isOf({ records }: Batch, index: number): boolean {
    const start = index * RECORD_BYTES;
    // From the end: records of a batch begin alike.
    for (let at = RECORD_BYTES - 1; at >= 0; at--) if (this.record[at] !== records[start + at]) return false;
    return true;
  }

  private writeEntry(
    head: Buffer,
    bytes: Buffer,
    { dayAt, volumesAt, volumesEnd }: { dayAt: number; volumesAt: number; volumesEnd: number },
  ): number {
    const length = head.length + volumesEnd - volumesAt;
    if (length + 2 > this.entry.length) this.entry = Buffer.alloc(2 * length);
    const { entry } = this;
    if (this.isoInstant.ms !== this.instant)
      this.isoInstant = { ms: this.instant, bytes: Buffer.from(new Date(this.instant).toISOString()) };
    entry.set(head);
    entry.set(this.isoInstant.bytes, INSTANT_AT);
    for (let at = 0; at < DAY_LENGTH; at++) entry[DAY_AT + at] = bytes[dayAt + at]!;
    writeBase32(this.record, entry, ID_AT);
    bytes.copy(entry, head.length, volumesAt, volumesEnd);
    entry[length] = QUOTE;
    entry[length + 1] = BRACE;
    return length + 2;
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

  /** Into the record. False if the field is something else. */
  private readUuid(bytes: Buffer, start: number): boolean {
    let digits = 0;
    let from = start;
    for (let at = UUID_AT; at < UUID_AT + UUID_BYTES; at++) {
      if (bytes[from] === HYPHEN) from++;
      const [high, low] = [HEX_VALUE[bytes[from]!]!, HEX_VALUE[bytes[from + 1]!]!];
      digits |= high | low;
      this.record[at] = (high << 4) | low;
      from += 2;
    }
    const hasHyphens = HYPHENS.every((at) => bytes[start + at] === HYPHEN);
    return digits < 16 && hasHyphens && bytes[start + UUID_LENGTH] === TAB;
  }

  /** NaN if the field is something else. */
  private readNumber(bytes: Buffer, start: number): number {
    let value = 0;
    let at = start;
    for (; bytes[at] !== TAB; at++) {
      const digit = bytes[at]! - ZERO;
      if (!(digit >= 0 && digit <= 9) || at - start >= MAX_DIGITS) return Number.NaN;
      value = value * 10 + digit;
    }
    this.at = at + 1;
    return at > start ? value : Number.NaN;
  }
}

/** The digits of the id of a record. */
function writeBase32(record: Uint8Array, into: Buffer, start: number): void {
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
