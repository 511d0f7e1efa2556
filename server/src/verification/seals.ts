import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { GrowingTree, type Hash, sealText } from '@saldo/core/ledger/tree.ts';
import { sha256 } from '../ledger/tree-reader.ts';
import type { Differences } from './report.ts';
import { instantOf, msOf, type Row, type RowStream } from './row-stream.ts';

/** A seal as the API shows it. */
export type Seal = {
  readonly tree_size: number;
  readonly root_hash: string;
  readonly sealed_at: string;
  readonly signature: string;
  readonly public_key: string;
};

export const KEYS = `select encode(public_key, 'base64') from ledger_key`;
export const SEALS = `
  select s.sequence, s.tree_size, encode(s.root_hash, 'hex'), ${msOf('s.sealed_at')},
    encode(s.signature, 'hex'), encode(k.public_key, 'hex')
  from ledger_seal s join ledger_key k on k.no = s.key_no order by s.tree_size`;
/** In the order in which their last leaves are appended. */
export const NODES = `
  select height, index, encode(hash, 'hex') from ledger_node order by (index + 1) << height, height`;

/** Stored nodes have these heights. */
const NODE_HEIGHTS = 8;

const base64OfHex = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

const sealOf = ([, treeSize, rootHash, sealedAt, signature, publicKey]: Row): Seal => ({
  tree_size: Number(treeSize),
  root_hash: rootHash!,
  sealed_at: new Date(instantOf(sealedAt!)).toISOString(),
  signature: base64OfHex(signature!),
  public_key: base64OfHex(publicKey!),
});

/** Checks signatures with Ed25519 keys of 32 bytes in base64. */
function createSignatureCheck(): (seal: Seal) => boolean {
  const keys = new Map<string, KeyObject>();
  const keyOf = (text: string) => {
    const x = Buffer.from(text, 'base64').toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  };
  return ({ tree_size, root_hash, sealed_at, signature, public_key }) => {
    try {
      const key = keys.get(public_key) ?? keyOf(public_key);
      keys.set(public_key, key);
      const text = Buffer.from(sealText(tree_size, root_hash, sealed_at));
      return verify(null, text, key, Buffer.from(signature, 'base64'));
    } catch {
      return false;
    }
  };
}

const named = (seal: Seal) => `the seal of ${seal.tree_size} entries (${seal.sealed_at})`;

/** Rebuilds the tree from the leaves, and compares it with the stored seals and nodes, and with seals that were kept elsewhere. */
export class TreeComparison {
  sealCount = 0;
  sealedSize = 0;
  /** Seals with another root than the tree, of which only the first one is reported. */
  wrongRoots = 0;
  private readonly tree: GrowingTree;
  private readonly differences: Differences;
  private readonly seals: RowStream;
  private readonly nodes: RowStream;
  private readonly kept: Seal[];
  private readonly since: number;
  private readonly isSigned = createSignatureCheck();
  private readonly completed: { height: number; index: number; hash: Hash }[] = [];
  private node: Row | null = null;
  private seal: { sequence: number; seal: Seal } | null = null;

  constructor(
    streams: { readonly seals: RowStream; readonly nodes: RowStream },
    kept: readonly Seal[],
    options: {
      readonly differences: Differences;
      readonly since: number;
      readonly keys: ReadonlySet<string>;
    },
  ) {
    this.differences = options.differences;
    this.seals = streams.seals;
    this.nodes = streams.nodes;
    this.since = options.since;
    this.kept = kept.toSorted((one, other) => one.tree_size - other.tree_size);
    this.tree = new GrowingTree(sha256, undefined, (height, index, nodeHash) => {
      if (height % NODE_HEIGHTS === 0) this.completed.push({ height, index, hash: nodeHash });
    });
    for (const seal of kept) {
      if (!this.isSigned(seal))
        this.differences.add(`seal forged: the kept copy of ${named(seal)}: its signature is wrong`);
      else if (!options.keys.has(seal.public_key))
        this.differences.add(
          `key unknown: ${named(seal)}, kept elsewhere, is signed with ${seal.public_key}`,
        );
    }
  }

  get size(): number {
    return this.tree.size;
  }

  append(leaf: Hash): void {
    this.tree.append(leaf);
    while (this.kept[0]?.tree_size === this.tree.size) this.compareKept(this.kept.shift()!);
  }

  /** Checks the seals before a batch: the tree of a seal has all batches up to its sequence. */
  async before(sequence: number): Promise<void> {
    for (;;) {
      this.seal ??= await this.nextSeal();
      if (this.seal === null || this.seal.sequence >= sequence) return;
      await this.compareSeal(this.seal.seal);
      this.seal = null;
    }
  }

  async end(): Promise<void> {
    await this.before(Infinity);
    await this.compareNodes();
    for (let row = this.node ?? (await this.nodes.next()); row !== null; row = await this.nodes.next())
      this.differences.add(`node not in the tree: height ${row[0]}, index ${row[1]}`);
    for (const seal of this.kept)
      this.differences.add(
        `behind: ${named(seal)} was kept elsewhere, and the tree has ${this.tree.size} entries: a backup from before it was ` +
          'restored, or entries were removed',
      );
  }

  private async nextSeal() {
    const row = await this.seals.next();
    return row && { sequence: Number(row[0]), seal: sealOf(row) };
  }

  private async compareSeal(seal: Seal): Promise<void> {
    this.sealCount++;
    const isNew = Date.parse(seal.sealed_at) >= this.since;
    if (isNew && !this.isSigned(seal))
      this.differences.add(
        `seal forged: ${named(seal)}: its signature is not that of its key ${seal.public_key}`,
      );
    if (seal.tree_size !== this.tree.size || seal.root_hash !== hexOf(this.tree.root())) {
      if (this.wrongRoots++ === 0)
        this.differences.add(
          `tree reordered or rewritten: ${named(seal)} has another root than the ${this.tree.size} entries up to it have today`,
        );
    }
    this.sealedSize = this.tree.size;
    await this.compareNodes();
  }

  /** Nodes are stored when a seal is made. */
  private async compareNodes(): Promise<void> {
    for (const { height, index, hash: expected } of this.completed.splice(0)) {
      if ((index + 1) * 2 ** height > this.sealedSize) return;
      this.node ??= await this.nodes.next();
      const isFound = this.node?.[0] === String(height) && this.node[1] === String(index);
      if (!isFound) this.differences.add(`node missing: height ${height}, index ${index}`);
      else {
        if (this.node![2] !== hexOf(expected))
          this.differences.add(`node changed: height ${height}, index ${index}`);
        this.node = null;
      }
    }
  }

  private compareKept(seal: Seal): void {
    if (seal.root_hash === hexOf(this.tree.root())) return;
    this.differences.add(
      `tree rewritten: ${named(seal)} was kept elsewhere, and is not a prefix of today’s tree`,
    );
  }
}

const hexOf = (bytes: Hash) => Buffer.from(bytes).toString('hex');
