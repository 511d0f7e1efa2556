import { randomFillSync } from 'node:crypto';
import { sheetUuid, uuidV7 } from '../domain/id.ts';

const COUNTER_VALUES = 4096;

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
  return uuidV7(lastMs, counter, randomFillSync(new Uint8Array(8)));
}

/** The id of a sheet leaves its last byte to the slot number. */
export const newSheetId = (): string => sheetUuid(newId());
