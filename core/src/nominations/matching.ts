import { assert } from '../assert.ts';
import { kwFromKwh } from '../energy.ts';
import type { NominationStatus } from '../enums.ts';

/** Compares in kW, as sent by the TSO: after rounding to kWh a small difference would look like a match. */
export function matchStatus(
  amountsKwh: readonly number[],
  matchedKw: readonly number[],
): Extract<NominationStatus, 'match' | 'partial_match'> {
  assert(amountsKwh.length === matchedKw.length, 'a confirmation has every slot of its nomination');
  return amountsKwh.every((kwh, at) => kwFromKwh(kwh) === matchedKw[at]) ? 'match' : 'partial_match';
}
