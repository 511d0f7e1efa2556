import { type Hash, nodeHash, type Sha256 } from './tree.ts';

/** Proofs of RFC 9162, 2.1.3 and 2.1.4. All sizes may exceed 32 bits, so no bit operations. */

/** The leaves from `start` up to, but not including, `end`. */
export type LeafRange = { readonly start: number; readonly end: number };

/** A complete subtree: the leaves from `index * 2 ** height` on. */
export type Subtree = { readonly height: number; readonly index: number };

/** The largest power of two that is smaller than `size`. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

/** The ranges whose hashes are the audit path of a leaf in a tree of `size` leaves, in the order of the path. */
export function inclusionRanges(leaf: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (leaf < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
}

/** The ranges whose hashes prove that a tree of `to` leaves extends its first `from` leaves, 0 < from <= to. */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  let [start, end] = [0, to];
  let isWholeTree = true;
  while (from !== end) {
    const middle = start + splitOf(end - start);
    if (from <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
      isWholeTree = false;
    }
  }
  if (!isWholeTree) ranges.push({ start, end });
  return ranges.reverse();
}

/** The complete subtrees of a range, the largest one first. The start of the range is a multiple of their sizes. */
export function subtreesOf({ start, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end; ) {
    let [size, height] = [1, 0];
    while (size * 2 <= end - at) [size, height] = [size * 2, height + 1];
    subtrees.push({ height, index: at / size });
    at += size;
  }
  return subtrees;
}

/** The hash of a range from those of its complete subtrees, the largest one first. */
export const rangeHash = (sha256: Sha256, subtrees: readonly Hash[]): Hash =>
  subtrees.reduceRight((right, left) => nodeHash(sha256, left, right));

/** The root of a complete subtree from all nodes of one height. */
export function completeRoot(sha256: Sha256, nodes: readonly Hash[]): Hash {
  let level = nodes;
  while (level.length > 1)
    level = Array.from({ length: level.length / 2 }, (_, at) =>
      nodeHash(sha256, level[2 * at]!, level[2 * at + 1]!),
    );
  return level[0]!;
}
