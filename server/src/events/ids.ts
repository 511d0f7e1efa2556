import { createCipheriv, hkdfSync } from 'node:crypto';
import { decodeId, encodeId, ID_PREFIX, type IdPrefix } from '@saldo/core/id.ts';
import type { Tenant } from './store.ts';

/** A place in the log, and the time of the event there; 0 for a place between events. */
type EventPlace = { readonly sequence: number; readonly occurredAt: number };

/**
 * The ids of events and the cursors of feeds. Both are places in the log, encrypted for their reader, because the log
 * counts the events of all tenants. An id needs no column and no index of its own.
 */
export type EventIds = {
  idOf(reader: Tenant, event: EventPlace): string;
  cursorOf(reader: Tenant, sequence: number): string;
  /** Null for a text that this platform has not given to this reader. */
  placeOf(reader: Tenant, text: string): EventPlace | null;
};

/** Whether a text has the form of a cursor or an id. */
export const isPlaceForm = (text: string): boolean => uuidOf(text) !== null;

const uuidOf = (text: string): string | null =>
  decodeId(ID_PREFIX.event, text) ?? decodeId(ID_PREFIX.feedPlace, text);

const BLOCK_BYTES = 16;
const [VECTOR_AT, PLACE_AT, PLACE_BYTES] = [6, 10, 6];
const KINDS = ['operator', 'brp', 'account', 'accounts'];

/** Kind and number of a tenant in 32 bits. */
function codeOf(tenant: Tenant): number {
  const [kind = '', number = '0'] = tenant.split('/');
  return KINDS.indexOf(kind) * 2 ** 30 + Number(number);
}

/** AES of single blocks: a pseudorandom function. */
function blockCipher(secret: Uint8Array, purpose: string): (block: Buffer) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, BLOCK_BYTES));
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  return (block) => cipher.update(block);
}

/**
 * A UUIDv7 whose random bits are a synthetic initialisation vector, which also authenticates the place (26 bits), and the
 * encrypted place (48 bits).
 */
export function createEventIds(secret: Uint8Array): EventIds {
  const authenticate = blockCipher(secret, 'event place: authenticate');
  const encrypt = blockCipher(secret, 'event place: encrypt');
  // Reused, because allocations would be most of the cost: the reader, the time, and six bytes.
  const block = Buffer.alloc(BLOCK_BYTES);
  const uuid = Buffer.alloc(BLOCK_BYTES);
  const start = (reader: Tenant, ms: number) => {
    block.writeUInt32BE(codeOf(reader), 0);
    block.writeUIntBE(ms, 4, 6);
  };
  /** The version, the variant and the vector: 32 bits of the UUID. */
  const vectorOf = (reader: Tenant, ms: number, sequence: number): number => {
    start(reader, ms);
    block.writeUIntBE(sequence, 10, 6);
    return ((authenticate(block).readUInt32BE(0) & 0x0fff_3fff) | 0x7000_8000) >>> 0;
  };
  /** Six bytes that encrypt the place, and decrypt it. */
  const maskOf = (reader: Tenant, ms: number, vector: number): Buffer => {
    start(reader, ms);
    block.writeUIntBE(vector, 10, 6);
    return encrypt(block);
  };
  const applyMask = (mask: Buffer) => {
    for (let at = 0; at < PLACE_BYTES; at++) uuid[PLACE_AT + at]! ^= mask[at]!;
  };
  const seal = (prefix: IdPrefix, reader: Tenant, ms: number, sequence: number): string => {
    const vector = vectorOf(reader, ms, sequence);
    uuid.writeUIntBE(ms, 0, 6);
    uuid.writeUInt32BE(vector, VECTOR_AT);
    uuid.writeUIntBE(sequence, PLACE_AT, PLACE_BYTES);
    applyMask(maskOf(reader, ms, vector));
    return encodeId(prefix, hyphenated(uuid.toString('hex')));
  };
  return {
    idOf: (reader, { occurredAt, sequence }) => seal(ID_PREFIX.event, reader, occurredAt, sequence),
    cursorOf: (reader, sequence) => seal(ID_PREFIX.feedPlace, reader, 0, sequence),
    placeOf(reader, text) {
      const given = uuidOf(text);
      if (given === null) return null;
      uuid.write(given.replaceAll('-', ''), 'hex');
      const [occurredAt, vector] = [uuid.readUIntBE(0, 6), uuid.readUInt32BE(VECTOR_AT)];
      applyMask(maskOf(reader, occurredAt, vector));
      const sequence = uuid.readUIntBE(PLACE_AT, PLACE_BYTES);
      const isOurs = vectorOf(reader, occurredAt, sequence) === vector;
      const isOfKind = text.startsWith(ID_PREFIX.event) === occurredAt > 0;
      return isOurs && isOfKind ? { sequence, occurredAt } : null;
    },
  };
}

const hyphenated = (hex: string) =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
