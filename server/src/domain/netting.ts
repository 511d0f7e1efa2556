import { assert } from './assert.ts';
import { sumValid, type Volumes } from './sheet.ts';

/** One contract-day as a position sees it. */
export type Contribution = { sends: boolean; receives: boolean; sheets: readonly Volumes[] };

/** So many int32 volumes stay below 2^53 whatever their order; beyond, a sum might silently round. */
const MAX_CONTRIBUTIONS = 2 ** 22;

/** The signed saldo of a position per slot in kWh: what it sends minus what it receives. */
export function net(slotCount: number, contributions: Iterable<Contribution>): number[] {
  const saldo = new Float64Array(slotCount);
  let count = 0;
  for (const { sends, receives, sheets } of contributions) {
    assert(++count <= MAX_CONTRIBUTIONS, 'too many contract-days for an exact sum');
    // Energy that a position sends to itself moves nothing.
    if (sends === receives) continue;
    sumValid(saldo, sheets, sends ? 1 : -1);
  }
  assert(saldo.every(Number.isSafeInteger), 'a saldo is a whole number of kWh');
  return Array.from(saldo);
}
