import { randomFillSync } from 'node:crypto';
import { sheetUuid, uuidV7 } from '@saldo/core/id.ts';

const COUNTER_VALUES = 4096;
const RANDOM_BYTES = 8;
/** Random bytes are generated in bulk, because the call costs more than the bytes. */
const POOL = new Uint8Array(RANDOM_BYTES * 512);
let poolAt = POOL.length;

function randomBytes(): Uint8Array {
  if (poolAt === POOL.length) {
    randomFillSync(POOL);
    poolAt = 0;
  }
  poolAt += RANDOM_BYTES;
  return POOL.subarray(poolAt - RANDOM_BYTES, poolAt);
}

let lastMs = 0;
let counter = 0;

/**
 * Creates a UUIDv7 that is greater than all earlier ones of this process, so that ids sort by creation. Uses real time
 * and not the platform's clock: an id reflects the order of arrival, not business time.
 */
export function newId(): string {
  const ms = Date.now();
  if (ms > lastMs) {
    lastMs = ms;
    counter = 0;
  } else if (++counter === COUNTER_VALUES) {
    lastMs++;
    counter = 0;
  }
  return uuidV7(lastMs, counter, randomBytes());
}

/** The last byte of a sheet's id is reserved for the slot number. */
export const newSheetId = (): string => sheetUuid(newId());
