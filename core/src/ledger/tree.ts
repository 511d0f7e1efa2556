import { assert } from '../assert.ts';

/** The Merkle tree of RFC 9162, 2.1: SHA-256 of 0x00 and the entry for a leaf, of 0x01 and both children for a node. */

export type Hash = Uint8Array;
/** Does not keep the bytes, which the caller uses again. */
export type Sha256 = (bytes: Uint8Array) => Hash;

export const HASH_BYTES = 32;
const LEAF = 0;
const NODE = 1;
const NODE_BYTES = 1 + 2 * HASH_BYTES;

/** The bytes whose hash is that of a leaf. */
export function leafBytes(entry: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + entry.length);
  bytes[0] = LEAF;
  bytes.set(entry, 1);
  return bytes;
}

/** The bytes whose hash is that of a node. */
export function nodeBytes(left: Hash, right: Hash): Uint8Array<ArrayBuffer> {
  return writeNode(new Uint8Array(NODE_BYTES), left, right);
}

function writeNode(bytes: Uint8Array<ArrayBuffer>, left: Hash, right: Hash): Uint8Array<ArrayBuffer> {
  bytes[0] = NODE;
  bytes.set(left, 1);
  bytes.set(right, 1 + HASH_BYTES);
  return bytes;
}

export const leafHash = (sha256: Sha256, entry: Uint8Array): Hash => sha256(leafBytes(entry));

export const nodeHash = (sha256: Sha256, left: Hash, right: Hash): Hash => sha256(nodeBytes(left, right));

/** A tree that grows: the roots of the complete subtrees that it consists of, the largest one first. */
export class GrowingTree {
  private readonly sha256: Sha256;
  private readonly onNode: (height: number, index: number, hash: Hash) => void;
  private readonly peaks: Hash[] = [];
  /** The bytes of the node that is hashed: new ones for each take a twentieth of the time of a verification. */
  private readonly node = new Uint8Array(NODE_BYTES);
  private leaves = 0;

  /** `onNode` gets each complete subtree when its last leaf is appended, leaves excepted. */
  constructor(
    sha256: Sha256,
    start: { readonly size: number; readonly peaks: readonly Hash[] } = { size: 0, peaks: [] },
    onNode: (height: number, index: number, hash: Hash) => void = () => {},
  ) {
    assert(start.peaks.length === peakCount(start.size), 'a tree has a peak per bit of its size');
    this.sha256 = sha256;
    this.onNode = onNode;
    this.peaks.push(...start.peaks);
    this.leaves = start.size;
  }

  get size(): number {
    return this.leaves;
  }

  append(leaf: Hash): void {
    let hash = leaf;
    let height = 0;
    // Sizes exceed 32 bits, so no bit operations.
    for (let rest = this.leaves; rest % 2 === 1; rest = (rest - 1) / 2) {
      hash = this.sha256(writeNode(this.node, this.peaks.pop()!, hash));
      height++;
      this.onNode(height, (rest - 1) / 2, hash);
    }
    this.peaks.push(hash);
    this.leaves++;
  }

  /** The hash of the empty tree is that of no bytes. */
  root(): Hash {
    const last = this.peaks.at(-1);
    if (last === undefined) return this.sha256(new Uint8Array());
    return this.peaks.slice(0, -1).reduceRight((right, left) => nodeHash(this.sha256, left, right), last);
  }
}

const peakCount = (size: number): number => {
  let count = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
};

/** The bytes that a seal signs. */
export const sealText = (treeSize: number, rootHashHex: string, sealedAt: string): string =>
  `saldo-seal-v1\n${treeSize}\n${rootHashHex}\n${sealedAt}\n`;
