import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { TSOS } from '../enums.ts';
import { BRIDGE_COUNT, bridgeIndex, moveBridges } from './bridges.ts';

const AREAS = TSOS.map((_, area) => area);
const PAIRS = AREAS.flatMap((from) => AREAS.filter((to) => to > from).map((to) => [from, to] as const));

const bridgesOf = (entries: readonly (readonly [from: number, to: number, kw: number])[]) => {
  const bridges = Array.from<number>({ length: BRIDGE_COUNT }).fill(0);
  for (const [from, to, kw] of entries) bridges[bridgeIndex(from, to)] = kw;
  return bridges;
};

/** Bridges in one direction between any two areas, as signed numbers: negative from the second to the first. */
const anyBridges = (max: number) =>
  fc
    .tuple(...PAIRS.map(() => fc.oneof(fc.constant(0), fc.integer({ min: -max, max }))))
    .map((values) =>
      bridgesOf(
        PAIRS.map(([one, other], at) =>
          values[at]! >= 0 ? [one, other, values[at]!] : [other, one, -values[at]!],
        ),
      ),
    );

const anySurpluses = (max: number) =>
  fc
    .tuple(...AREAS.slice(1).map(() => fc.oneof(fc.constant(0), fc.integer({ min: -max, max }))))
    .map((others) => [0 - others.reduce((sum, kw) => sum + kw, 0), ...others]);

const exportOf = (bridges: readonly number[], area: number) =>
  AREAS.reduce(
    (kw, other) => kw + bridges[bridgeIndex(area, other)]! - bridges[bridgeIndex(other, area)]!,
    0,
  );
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

test('every area exports its surplus, by moving no more than the difference between changed areas', () => {
  fc.assert(
    fc.property(anyBridges(2 ** 40), anySurpluses(2 ** 40), (before, surpluses) => {
      const after = moveBridges(before, surpluses);
      const changes = surpluses.map((kw, area) => kw - exportOf(before, area));
      let moved = 0;
      for (const area of AREAS) {
        assert.equal(exportOf(after, area), surpluses[area]);
        for (const other of AREAS) {
          const [kw, was] = [after[bridgeIndex(area, other)]!, before[bridgeIndex(area, other)]!];
          assert.ok(kw >= 0);
          assert.ok(kw === 0 || after[bridgeIndex(other, area)] === 0, 'never both directions');
          if (kw !== was) assert.ok(changes[area] !== 0 && changes[other] !== 0, 'both areas changed');
          moved += Math.abs(kw - was);
        }
      }
      // Any movement helps at most one area that has to export more, so less cannot be enough.
      assert.equal(moved, sum(changes.filter((kw) => kw > 0)));
    }),
    { numRuns: runs(2000) },
  );
});

/** All ways to give each source's power to the targets, as rows of power per target. */
function* allTransfers(sources: readonly number[], targets: readonly number[]): Generator<number[][]> {
  const [first, ...rest] = sources;
  if (first === undefined) {
    if (targets.every((kw) => kw === 0)) yield [];
    return;
  }
  for (const row of rowsOf(first, targets)) {
    const left = targets.map((kw, at) => kw - row[at]!);
    for (const rows of allTransfers(rest, left)) yield [row, ...rows];
  }
}

function* rowsOf(kw: number, [limit, ...limits]: readonly number[]): Generator<number[]> {
  if (limit === undefined) {
    if (kw === 0) yield [];
    return;
  }
  for (let part = 0; part <= Math.min(kw, limit); part++) {
    for (const row of rowsOf(kw - part, limits)) yield [part, ...row];
  }
}

test('of all ways to move only the difference, none leaves smaller bridges', () => {
  fc.assert(
    fc.property(anyBridges(3), anySurpluses(4), (before, surpluses) => {
      const changes = surpluses.map((kw, area) => kw - exportOf(before, area));
      const sources = AREAS.filter((area) => changes[area]! > 0);
      const targets = AREAS.filter((area) => changes[area]! < 0);
      let smallest = Infinity;
      for (const rows of allTransfers(
        sources.map((area) => changes[area]!),
        targets.map((area) => -changes[area]!),
      )) {
        let total = sum(before);
        for (const [row, from] of sources.entries()) {
          for (const [column, to] of targets.entries()) {
            const [kw, opposite] = [rows[row]![column]!, before[bridgeIndex(to, from)]!];
            total += kw <= opposite ? -kw : kw - 2 * opposite;
          }
        }
        smallest = Math.min(smallest, total);
      }
      assert.equal(sum(moveBridges(before, surpluses)), smallest);
    }),
    { numRuns: runs(2000) },
  );
});

test('without bridges before, the first surplus fills the first deficit, in the order of the areas', () => {
  fc.assert(
    fc.property(anySurpluses(50), (surpluses) => {
      const left = [...surpluses];
      const expected = bridgesOf([]);
      for (const from of AREAS) {
        for (const to of AREAS) {
          const kw = Math.max(0, Math.min(left[from]!, -left[to]!));
          left[from]! -= kw;
          left[to]! += kw;
          expected[bridgeIndex(from, to)] = kw;
        }
      }
      assert.deepEqual(moveBridges(bridgesOf([]), surpluses), expected);
    }),
  );
});

test('an opposite bridge is reduced before a new one is opened, also if the fixed order says otherwise', () => {
  // Areas 0 and 1 have to export 5 more, areas 2 and 3 have to export 5 less.
  const before = bridgesOf([
    [2, 1, 5],
    [3, 0, 5],
  ]);
  assert.deepEqual(moveBridges(before, [0, 0, 0, 0]), bridgesOf([]));
  assert.deepEqual(
    moveBridges(bridgesOf([[2, 1, 5]]), [5, 0, 0, -5]),
    bridgesOf([[0, 3, 5]]),
    'what is left of a transfer opens a bridge',
  );
});

test('surpluses that do not sum to zero are a programming error', () => {
  assert.throws(() => moveBridges(bridgesOf([]), [1, 0, 0, 0]));
});
