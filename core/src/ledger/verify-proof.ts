import { type Hash, leafBytes, nodeBytes } from './tree.ts';

/**
 * Verification of proofs as in RFC 9162, 2.1.3.2 and 2.1.4.2. The functions yield bytes and are given their SHA-256, so that they work
 * with synchronous and asynchronous implementations of it.
 */
export type Hashing<Result> = Generator<Uint8Array<ArrayBuffer>, Result, Hash>;

/** Whether the entry is the leaf at this index of the tree with this root. */
export function* isIncluded(
  entry: Uint8Array,
  leafIndex: number,
  tree: { readonly size: number; readonly root: Hash },
  auditPath: readonly Hash[],
): Hashing<boolean> {
  if (leafIndex < 0 || leafIndex >= tree.size) return false;
  let hash = yield leafBytes(entry);
  let [index, last] = [leafIndex, tree.size - 1];
  for (const sibling of auditPath) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      hash = yield nodeBytes(sibling, hash);
      while (index % 2 === 0 && index !== 0) [index, last] = [half(index), half(last)];
    } else hash = yield nodeBytes(hash, sibling);
    [index, last] = [half(index), half(last)];
  }
  return last === 0 && isEqual(hash, tree.root);
}

/** Whether the tree `from` is the beginning of the tree `to`. */
export function* isPrefix(
  from: { readonly size: number; readonly root: Hash },
  to: { readonly size: number; readonly root: Hash },
  consistencyPath: readonly Hash[],
): Hashing<boolean> {
  if (from.size === to.size) return consistencyPath.length === 0 && isEqual(from.root, to.root);
  if (from.size < 1 || from.size > to.size || consistencyPath.length === 0) return false;
  let [index, last] = [from.size - 1, to.size - 1];
  while (index % 2 === 1) [index, last] = [half(index), half(last)];
  // The root of a tree whose size is a power of two is itself the first node.
  const [first, ...path] = index === 0 ? [from.root, ...consistencyPath] : consistencyPath;
  let [earlier, later] = [first!, first!];
  for (const node of path) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      earlier = yield nodeBytes(node, earlier);
      later = yield nodeBytes(node, later);
      while (index % 2 === 0 && index !== 0) [index, last] = [half(index), half(last)];
    } else later = yield nodeBytes(later, node);
    [index, last] = [half(index), half(last)];
  }
  return last === 0 && isEqual(earlier, from.root) && isEqual(later, to.root);
}

/** Indexes exceed 32 bits, so no bit operations. */
const half = (index: number): number => Math.floor(index / 2);

const isEqual = (one: Hash, other: Hash): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);
