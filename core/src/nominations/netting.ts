import { assert } from '../assert.ts';
import { sumValid, type Volumes } from '../transactions/sheet.ts';

/** The sheets of one contract and day, and whether the position is its sender or receiver. */
export type Contribution = { sends: boolean; receives: boolean; sheets: readonly Volumes[] };

/** Sums of this many 32-bit volumes stay below 2^53 and therefore exact. */
const MAX_CONTRIBUTIONS = 2 ** 22;

/** The saldo of a position per slot in kWh: sent minus received volumes. */
export function net(slotCount: number, contributions: Iterable<Contribution>): number[] {
  const saldo = new Float64Array(slotCount);
  let count = 0;
  for (const { sends, receives, sheets } of contributions) {
    assert(++count <= MAX_CONTRIBUTIONS, 'too many contract-days for an exact sum');
    // Energy that a position sends to itself does not change its saldo.
    if (sends === receives) continue;
    sumValid(saldo, sheets, sends ? 1 : -1);
  }
  assert(saldo.every(Number.isSafeInteger), 'a saldo is a whole number of kWh');
  return Array.from(saldo);
}
