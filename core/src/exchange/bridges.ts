import { assert } from '../assert.ts';
import { TSOS } from '../enums.ts';

const AREAS = TSOS.length;

/**
 * The bridges of one slot in kW: the power from one control area to another is at `bridgeIndex(from, to)`. Areas are
 * numbered in the order of `TSOS`.
 */
export type SlotBridges = readonly number[];

export const BRIDGE_COUNT = AREAS * AREAS;
export const bridgeIndex = (from: number, to: number): number => from * AREAS + to;

/**
 * Moves the bridges of one slot so that every area exports exactly its surplus. Precondition: surpluses sum to zero.
 *
 * The result is minimal in this sense:
 * 1. Nothing moves but the difference. The changes of all bridges add up to the sum of the surpluses' increases, which
 *    is a lower bound, and only bridges between two areas change whose surpluses both changed. The files of other areas
 *    stay as they are.
 * 2. Among those results, the bridges have the smallest sum: power in the opposite direction is reduced before a bridge
 *    is opened or raised. Bridges in both directions between two areas never coexist.
 * 3. Of equal results, the one that fills the first deficit from the first surplus. Without bridges before, this
 *    is the fixed order of the areas.
 */
export function moveBridges(before: SlotBridges, surplusesKw: readonly number[]): number[] {
  assert(sum(surplusesKw) === 0, 'bridges need surpluses that sum to zero');
  const bridges = [...before];
  const excesses = surplusesKw.map((powerKw, area) => powerKw - exportOf(before, area));
  for (const { from, to, powerKw } of transfersOf(excesses, before)) {
    const reduced = Math.min(powerKw, bridges[bridgeIndex(to, from)]!);
    bridges[bridgeIndex(to, from)]! -= reduced;
    bridges[bridgeIndex(from, to)]! += powerKw - reduced;
  }
  return bridges;
}

/** What an area's bridges take out of it, minus what they bring. */
function exportOf(bridges: SlotBridges, area: number): number {
  let powerKw = 0;
  for (let other = 0; other < AREAS; other++) {
    powerKw += bridges[bridgeIndex(area, other)]! - bridges[bridgeIndex(other, area)]!;
  }
  return powerKw;
}

type Transfer = { from: number; to: number; powerKw: number };

/** Transfers from areas that have to export more to areas that have to export less. */
function transfersOf(excesses: readonly number[], before: SlotBridges): Transfer[] {
  const gaining = excesses.flatMap((kw, area) => (kw > 0 ? [{ area, kw }] : []));
  const losing = excesses.flatMap((kw, area) => (kw < 0 ? [{ area, kw: -kw }] : []));
  const first = firstTransferKw(gaining, losing, before);
  const transfers: Transfer[] = [];
  for (const [row, source] of gaining.entries()) {
    let leftKw = source.kw;
    for (const [column, target] of losing.entries()) {
      const limit = row + column === 0 && first !== null ? first : Infinity;
      const powerKw = Math.min(leftKw, target.kw, limit);
      leftKw -= powerKw;
      target.kw -= powerKw;
      if (powerKw > 0) transfers.push({ from: source.area, to: target.area, powerKw });
    }
  }
  return transfers;
}

type Share = { area: number; kw: number };

/**
 * With one area on either side, all transfers are determined. With two on both sides one of them is free, and the
 * others follow from it. The sum of reduced bridges is concave and piecewise linear in it, so that its maximum is at one
 * of the ends or where a transfer equals the opposite bridge.
 */
function firstTransferKw(gaining: readonly Share[], losing: readonly Share[], before: SlotBridges) {
  const [sourceA, sourceB] = gaining;
  const [targetA, targetB] = losing;
  if (!sourceA || !sourceB || !targetA || !targetB) return null;
  const opposite = (source: Share, target: Share) => before[bridgeIndex(target.area, source.area)]!;
  const reducedKw = (kw: number) =>
    Math.min(kw, opposite(sourceA, targetA)) +
    Math.min(sourceA.kw - kw, opposite(sourceA, targetB)) +
    Math.min(targetA.kw - kw, opposite(sourceB, targetA)) +
    Math.min(sourceB.kw - targetA.kw + kw, opposite(sourceB, targetB));
  const largest = Math.min(sourceA.kw, targetA.kw);
  const smallest = Math.max(0, sourceA.kw - targetB.kw);
  const candidates = [
    opposite(sourceA, targetA),
    sourceA.kw - opposite(sourceA, targetB),
    targetA.kw - opposite(sourceB, targetA),
    opposite(sourceB, targetB) - sourceB.kw + targetA.kw,
    smallest,
  ];
  let best = largest;
  for (const kw of candidates.filter((one) => one >= smallest && one <= largest)) {
    const gain = reducedKw(kw) - reducedKw(best);
    if (gain > 0 || (gain === 0 && kw > best)) best = kw;
  }
  return best;
}

const sum = (powersKw: readonly number[]) => powersKw.reduce((total, powerKw) => total + powerKw, 0);
