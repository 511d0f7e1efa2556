import { assert } from './assert.ts';
import { MAX_SLOTS } from './delivery-day.ts';

export const ID_PREFIX = {
  contract: 'con',
  transaction: 'txn',
  nomination: 'nom',
  customer: 'cust',
  asset: 'ast',
  brp: 'brp',
  account: 'acc',
  key: 'key',
  user: 'user',
  passkey: 'pkey',
  session: 'ses',
  demand: 'dem',
  inquiry: 'inq',
  message: 'msg',
  alarm: 'alm',
  event: 'evt',
  feedPlace: 'feed',
  webhookEndpoint: 'whe',
  webhookDelivery: 'whd',
  series: 'ser',
  interchange: 'icg',
} as const;

export type IdPrefix = (typeof ID_PREFIX)[keyof typeof ID_PREFIX];

/** Crockford's base32: sorts like the bytes and has no letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX_FORM = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const HYPHEN = 45;
const LAST_BYTE_AT = 34;
const MAX_UUID_MS = 2 ** 48 - 1;
const MAX_UUID_COUNTER = 2 ** 12 - 1;

/** Value of a base32 digit by character code. Hex digits are the first sixteen. */
const DIGIT_VALUE = new Uint8Array(128).fill(ALPHABET.length);
for (let value = 0; value < ALPHABET.length; value++) DIGIT_VALUE[ALPHABET.charCodeAt(value)] = value;
/** Two characters for each ten bits, which halves the steps of encoding. */
const PAIRS = Array.from(
  { length: 1024 },
  (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31),
);
const BYTE_HEX = Array.from({ length: 256 }, (_, byte) => hexText(byte, 2));

export function encodeId(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${suffixOf(uuid)}`;
}

/** Null for every text that `encodeId` does not produce, so that each record has exactly one id. */
export function decodeId(prefix: IdPrefix, text: string): string | null {
  if (!text.startsWith(`${prefix}_`)) return null;
  const suffix = text.slice(prefix.length + 1);
  if (!SUFFIX_FORM.test(suffix)) return null;
  // 26 characters have 130 bits; the first two are zero and are dropped.
  let hex = '';
  let bits = 0;
  let bitCount = -2;
  for (let at = 0; at < suffix.length; at++) {
    bits = ((bits & 0xff) << 5) | digitValue(suffix, at);
    bitCount += 5;
    if (bitCount < 8) continue;
    bitCount -= 8;
    hex += BYTE_HEX[(bits >> bitCount) & 0xff]!;
  }
  return hyphenated(hex);
}

/** Common start of the ids of a sheet's transactions. They differ in the last pair, whose lower eight bits are the slot. */
function transactionStem(sheetId: string): { stem: string; sheetBits: number } {
  assert(sheetId.endsWith('00'), 'the last byte of a sheet id is zero');
  const id = encodeId(ID_PREFIX.transaction, sheetId);
  const stem = id.slice(0, -2);
  return { stem, sheetBits: digitValue(id, stem.length) << 5 };
}

export function transactionIdWriter(sheetId: string): (slot: number) => string {
  const { stem, sheetBits } = transactionStem(sheetId);
  return (slot) => {
    assertSlot(slot);
    return stem + PAIRS[sheetBits | slot]!;
  };
}

/** The same for ids that are written as bytes: the stem once, and for each slot the pair after it. */
export class TransactionIdBytes {
  readonly stem: string;
  private readonly sheetBits: number;

  constructor(sheetId: string) {
    const { stem, sheetBits } = transactionStem(sheetId);
    this.stem = stem;
    this.sheetBits = sheetBits;
  }

  writePair(bytes: Uint8Array, at: number, slot: number): void {
    assertSlot(slot);
    const pair = this.sheetBits | slot;
    bytes[at] = ALPHABET.charCodeAt(pair >> 5);
    bytes[at + 1] = ALPHABET.charCodeAt(pair & 31);
  }
}

export function transactionUuid(sheetId: string, slot: number): string {
  assertSlot(slot);
  return sheetId.slice(0, LAST_BYTE_AT) + BYTE_HEX[slot]!;
}

/** Null if the last byte is not a slot: no transaction has such an id. */
export function splitTransactionUuid(uuid: string): { sheetId: string; slot: number } | null {
  const slot = Number.parseInt(uuid.slice(LAST_BYTE_AT), 16);
  return slot >= 1 && slot <= MAX_SLOTS ? { sheetId: sheetUuid(uuid), slot } : null;
}

/** Clears the last byte, which holds the slot number in the ids of transactions. */
export function sheetUuid(uuid: string): string {
  return `${uuid.slice(0, LAST_BYTE_AT)}00`;
}

/** Time first, then the counter: ids created in the same millisecond stay in order. */
export function uuidV7(ms: number, counter12: number, random: Uint8Array): string {
  assert(Number.isInteger(ms) && ms >= 0 && ms <= MAX_UUID_MS, 'a UUIDv7 holds 48 bits of milliseconds');
  assert(
    Number.isInteger(counter12) && counter12 >= 0 && counter12 <= MAX_UUID_COUNTER,
    'the counter has 12 bits',
  );
  assert(random.length === 8, 'a UUIDv7 takes eight random bytes');
  let hex = `${hexText(ms, 12)}7${hexText(counter12, 3)}`;
  for (let at = 0; at < random.length; at++) {
    const byte = random[at]!;
    hex += BYTE_HEX[at === 0 ? (byte & 0x3f) | 0x80 : byte]!;
  }
  return hyphenated(hex);
}

/** Checks the form while encoding: a regular expression would double the time. */
function suffixOf(uuid: string): string {
  let suffix = '';
  let bits = 0;
  // Two zero bits in front make 26 characters of the 128 bits.
  let bitCount = 2;
  let allDigits = 0;
  for (let at = 0; at < uuid.length; at++) {
    if (uuid.charCodeAt(at) === HYPHEN) continue;
    const digit = digitValue(uuid, at);
    allDigits |= digit;
    bits = ((bits & 0x3ff) << 4) | digit;
    bitCount += 4;
    if (bitCount < 10) continue;
    bitCount -= 10;
    suffix += PAIRS[(bits >> bitCount) & 0x3ff]!;
  }
  const isUuid = uuid.length === 36 && suffix.length === 26 && bitCount === 0 && allDigits < 16;
  assert(isUuid, 'a UUID is written in lower case, with hyphens');
  return suffix;
}

function digitValue(text: string, at: number): number {
  return DIGIT_VALUE[text.charCodeAt(at)] ?? ALPHABET.length;
}

function hyphenated(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function hexText(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}

function assertSlot(slot: number): void {
  assert(
    Number.isInteger(slot) && slot >= 1 && slot <= MAX_SLOTS,
    'a slot number is a whole number from 1 to 100',
  );
}
