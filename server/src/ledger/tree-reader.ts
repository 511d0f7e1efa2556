import { hash } from 'node:crypto';
import { assert } from '@saldo/core/assert.ts';
import {
  completeRoot,
  type LeafRange,
  rangeHash,
  type Subtree,
  subtreesOf,
} from '@saldo/core/ledger/proofs.ts';
import { HASH_BYTES, type Hash, type Sha256 } from '@saldo/core/ledger/tree.ts';
import type { Primary } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

/** A text is made in half of the time of a buffer, which matters: there are as many nodes as entries. */
export const sha256: Sha256 = (bytes) => Buffer.from(hash('sha256', bytes, 'latin1'), 'latin1');

/** Every eighth height of the tree is stored, leaves included: a node in between follows from up to 128 of them. */
export const STORED_HEIGHTS = 8;
const BLOCK = 2 ** STORED_HEIGHTS;

/**
 * $1 and $2 the range of leaves, which are sealed. Leaves are counted from the last seal before them. `length` does not read the
 * hashes of the batches that are skipped.
 */
const LEAVES = statement(
  'ledger_leaves',
  `with last as (
     select tree_size, sequence from ledger_seal where tree_size <= $1 order by tree_size desc limit 1),
   batch as (
     select b.sequence, b.hashes, length(b.hashes) / ${HASH_BYTES} as count,
       coalesce((select tree_size from last), 0)
         + sum(length(b.hashes) / ${HASH_BYTES}) over (order by b.sequence) as end_at
     from ledger_batch b
     where b.sequence > coalesce((select sequence from last), 0)
       and b.sequence <= (select s.sequence from ledger_seal s where s.tree_size >= $2 order by s.tree_size limit 1))
   select (end_at - count)::bigint as start, hashes from batch
   where end_at > $1 and end_at - count < $2 order by sequence`,
);
const NODES = statement(
  'ledger_nodes',
  'select hash from ledger_node where height = $1 and index >= $2 and index < $3 order by index',
);

/** Splits concatenated hashes. */
export const hashesIn = (bytes: Buffer): Hash[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );

/** Reads hashes of sealed subtrees. Blocks are kept, because a proof needs several nodes of the same block. */
export class TreeReader {
  private readonly db: Primary;
  private readonly size: number;
  private readonly blocks = new Map<string, Promise<Hash[]>>();

  /** `size` is that of a sealed tree; no later leaf is read. */
  constructor(db: Primary, size: number) {
    this.db = db;
    this.size = size;
  }

  async hashOf(range: LeafRange): Promise<Hash> {
    const hashes: Hash[] = [];
    for (const subtree of subtreesOf(range)) hashes.push(await this.root(subtree));
    return rangeHash(sha256, hashes);
  }

  async root({ height, index }: Subtree): Promise<Hash> {
    const stored = height - (height % STORED_HEIGHTS);
    const count = 2 ** (height - stored);
    const first = index * count;
    const block = await this.block(stored, Math.floor(first / BLOCK));
    return completeRoot(sha256, block.slice(first % BLOCK, (first % BLOCK) + count));
  }

  private block(height: number, number: number): Promise<Hash[]> {
    const key = `${height} ${number}`;
    let block = this.blocks.get(key);
    if (block === undefined) this.blocks.set(key, (block = this.readBlock(height, number)));
    return block;
  }

  private async readBlock(height: number, number: number): Promise<Hash[]> {
    const complete = Math.floor(this.size / 2 ** height);
    const [start, end] = [number * BLOCK, Math.min((number + 1) * BLOCK, complete)];
    const hashes =
      height === 0
        ? await this.leaves(start, end)
        : (await this.db.query<{ hash: Buffer }>(NODES, [height, start, end])).map(({ hash: node }) => node);
    assert(hashes.length === end - start, 'a sealed tree has all its hashes');
    return hashes;
  }

  private async leaves(start: number, end: number): Promise<Hash[]> {
    if (start === end) return [];
    const rows = await this.db.query<{ start: number; hashes: Buffer }>(LEAVES, [start, end]);
    return rows.flatMap((row) =>
      hashesIn(row.hashes).slice(Math.max(0, start - row.start), Math.max(0, end - row.start)),
    );
  }
}
