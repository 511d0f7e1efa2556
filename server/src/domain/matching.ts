import { assert } from './assert.ts';
import { kwFromKwh } from './energy.ts';
import type { NominationStatus } from './enums.ts';

/** Judged in kW, as the TSO sent them: rounded to kWh, a small difference could pass for a match. */
export function matchStatus(
  amountsKwh: readonly number[],
  matchedKw: readonly number[],
): Extract<NominationStatus, 'match' | 'partial_match'> {
  assert(amountsKwh.length === matchedKw.length, 'a confirmation has every slot of its nomination');
  return amountsKwh.every((kwh, at) => kwFromKwh(kwh) === matchedKw[at]) ? 'match' : 'partial_match';
}
