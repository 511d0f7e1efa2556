import { randomFillSync } from 'node:crypto';
import { sheetUuid, uuidV7 } from '@saldo/core/id.ts';

const COUNTER_VALUES = 4096;
const RANDOM_BYTES = 8;
/** Random bytes are asked for in bulk: the question costs more than the bytes. */
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
 * A UUIDv7 that is greater than every one this process has made before, so that ids sort by creation. It takes the
 * machine's time, not the platform's: an id says in which order records came in, not when business took place.
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

/** The id of a sheet leaves its last byte to the slot number. */
export const newSheetId = (): string => sheetUuid(newId());
