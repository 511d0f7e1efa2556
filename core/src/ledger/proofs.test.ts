import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import {
  completeRoot,
  consistencyRanges,
  inclusionRanges,
  type LeafRange,
  rangeHash,
  subtreesOf,
} from './proofs.ts';
import { GrowingTree, type Hash, leafHash, type Sha256 } from './tree.ts';

const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');
const concat = (...parts: (Uint8Array | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));
const entryOf = (number: number) => Buffer.from(`entry ${number}`);
const entries = (count: number) => Array.from({ length: count }, (_, at) => entryOf(at));
const hex = (hashes: readonly Hash[]) => hashes.map((one) => Buffer.from(one).toString('hex'));

/** The definitions of RFC 9162, 2.1.1, 2.1.3.1 and 2.1.4.1, word by word. */
const split = (size: number) => 2 ** Math.floor(Math.log2(size - 1));
function naiveRoot(all: readonly Uint8Array[]): Hash {
  if (all.length === 0) return sha256(new Uint8Array());
  if (all.length === 1) return sha256(concat([0], all[0]!));
  const k = split(all.length);
  return sha256(concat([1], naiveRoot(all.slice(0, k)), naiveRoot(all.slice(k))));
}
function naivePath(leaf: number, all: readonly Uint8Array[]): Hash[] {
  if (all.length === 1) return [];
  const k = split(all.length);
  return leaf < k
    ? [...naivePath(leaf, all.slice(0, k)), naiveRoot(all.slice(k))]
    : [...naivePath(leaf - k, all.slice(k)), naiveRoot(all.slice(0, k))];
}
function naiveSubproof(from: number, all: readonly Uint8Array[], isWhole: boolean): Hash[] {
  if (from === all.length) return isWhole ? [] : [naiveRoot(all)];
  const k = split(all.length);
  return from <= k
    ? [...naiveSubproof(from, all.slice(0, k), isWhole), naiveRoot(all.slice(k))]
    : [...naiveSubproof(from - k, all.slice(k), false), naiveRoot(all.slice(0, k))];
}

const hashOf = (all: readonly Uint8Array[]) => (range: LeafRange) =>
  rangeHash(
    sha256,
    subtreesOf(range).map(({ height, index }) => {
      const size = 2 ** height;
      const leaves = all.slice(index * size, (index + 1) * size);
      return completeRoot(
        sha256,
        leaves.map((entry) => leafHash(sha256, entry)),
      );
    }),
  );

test('a growing tree has the root of the recursive definition, also when it goes on from its peaks', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }), (before, more) => {
      const all = entries(before + more);
      const peaks = subtreesOf({ start: 0, end: before }).map(({ height, index }) =>
        hashOf(all)({ start: index * 2 ** height, end: (index + 1) * 2 ** height }),
      );
      const tree = new GrowingTree(sha256, { size: before, peaks });
      for (const entry of all.slice(before)) tree.append(leafHash(sha256, entry));
      assert.equal(tree.size, before + more);
      assert.deepEqual(hex([tree.root()]), hex([naiveRoot(all)]));
    }),
    { numRuns: runs(200) },
  );
});

test('audit paths and consistency paths are those of the recursive definitions', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.nat(), fc.nat(), (size, leafNumber, fromNumber) => {
      const all = entries(size);
      const [leaf, from] = [leafNumber % size, (fromNumber % size) + 1];
      assert.deepEqual(hex(inclusionRanges(leaf, size).map(hashOf(all))), hex(naivePath(leaf, all)));
      assert.deepEqual(
        hex(consistencyRanges(from, size).map(hashOf(all))),
        hex(naiveSubproof(from, all, true)),
      );
    }),
    { numRuns: runs(300) },
  );
});

test('ranges of trees beyond 32 bits are aligned, and cover the tree with the leaf', () => {
  const size = 2 ** 40 + 12_345;
  for (const leaf of [0, 2 ** 33 + 1, 2 ** 40, size - 1]) {
    const ranges = inclusionRanges(leaf, size);
    const covered = ranges.reduce((sum, { start, end }) => sum + end - start, 1);
    assert.equal(covered, size);
    for (const { height, index } of ranges.flatMap(subtreesOf))
      assert.ok(Number.isInteger(index), `${height}`);
  }
});
