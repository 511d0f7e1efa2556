import { type KeyObject, sign } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { subtreesOf } from '@saldo/core/ledger/proofs.ts';
import { GrowingTree, type Hash, sealText } from '@saldo/core/ledger/tree.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { hashesIn, STORED_HEIGHTS, sha256, TreeReader } from './tree-reader.ts';

/** A change is sealed within this time, twice as often as promised. */
export const SEAL_EVERY_MS = 30_000;
/** Entries of one seal, exceeded by one batch at most: a proof counts the entries between two seals. */
const ENTRIES_PER_SEAL = 16_384;
const BATCHES_AT_ONCE = 256;
/** About a millisecond. A move of a customer has 37,000 entries in one batch, which blocked other requests for 70 ms. */
const ENTRIES_WITHOUT_PAUSE = 512;

/** Null when another process is sealing: it seals everything that this one would. */
const LOCK = statement(
  'lock_ledger_seal',
  "select pg_try_advisory_xact_lock(hashtext('saldo ledger seal')) as is_locked",
);
const HORIZON = statement('ledger_horizon', 'select horizon from event_horizon()');
const LAST = statement(
  'last_ledger_seal',
  'select tree_size, sequence, sealed_at from ledger_seal order by tree_size desc limit 1',
);
const BATCHES = statement(
  'unsealed_ledger_batches',
  `select sequence, hashes from ledger_batch where sequence > $1 and sequence <= $2
   order by sequence limit ${BATCHES_AT_ONCE}`,
);
const INSERT_NODES = statement(
  'insert_ledger_nodes',
  'insert into ledger_node (height, index, hash) select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])',
);
const KEY_NO = statement('ledger_key_no', 'select no from ledger_key where public_key = $1');
const INSERT_KEY = statement(
  'insert_ledger_key',
  'insert into ledger_key (public_key, created_at) values ($1, $2) on conflict (public_key) do nothing',
);
const INSERT_SEAL = statement(
  'insert_ledger_seal',
  `insert into ledger_seal (tree_size, sequence, root_hash, sealed_at, key_no, signature)
   values ($1, $2, $3, $4, $5, $6)`,
);

/** The private key of seals and the 32 bytes of its public key. */
export type LedgerKey = { readonly privateKey: KeyObject; readonly publicKey: Buffer };

/** Adds the public key of a file that the platform did not have before. */
export async function addLedgerKey(tx: Tx, key: LedgerKey, now: number): Promise<void> {
  await tx.query(INSERT_KEY, [key.publicKey, timestamp(now)]);
}

type Last = { tree_size: number; sequence: number; sealed_at: number };
type StoredNode = { readonly height: number; readonly index: number; readonly hash: Hash };

async function growTree(
  tx: Tx,
  { tree_size: size }: Last,
): Promise<{ tree: GrowingTree; nodes: StoredNode[] }> {
  const reader = new TreeReader(tx, size);
  const peaks: Hash[] = [];
  for (const subtree of subtreesOf({ start: 0, end: size })) peaks.push(await reader.root(subtree));
  const nodes: StoredNode[] = [];
  const tree = new GrowingTree(sha256, { size, peaks }, (height, index, hash) => {
    if (height % STORED_HEIGHTS === 0) nodes.push({ height, index, hash });
  });
  return { tree, nodes };
}

/** Appends unsealed batches, in their order. Returns the place up to which all are part of the tree. */
async function appendBatches(tx: Tx, tree: GrowingTree, after: number, horizon: number): Promise<number> {
  const full = tree.size + ENTRIES_PER_SEAL;
  let last = after;
  while (tree.size < full) {
    const batches = await tx.query<{ sequence: number; hashes: Buffer }>(BATCHES, [last, horizon]);
    for (const { sequence, hashes } of batches) {
      if (tree.size >= full) return last;
      for (const leaf of hashesIn(hashes)) {
        tree.append(leaf);
        if (tree.size % ENTRIES_WITHOUT_PAUSE === 0) await setImmediate();
      }
      last = sequence;
    }
    if (batches.length < BATCHES_AT_ONCE) break;
  }
  return last;
}

async function sealSome(tx: Tx, key: LedgerKey, clock: Clock): Promise<boolean> {
  const [lock] = await tx.query<{ is_locked: boolean }>(LOCK);
  if (lock?.is_locked !== true) return false;
  // Read before the batches: a statement that starts later sees all of them up to the horizon.
  const [{ horizon } = { horizon: 0 }] = await tx.query<{ horizon: number }>(HORIZON);
  const [last = { tree_size: 0, sequence: 0, sealed_at: 0 }] = await tx.query<Last>(LAST);
  const { tree, nodes } = await growTree(tx, last);
  const sequence = await appendBatches(tx, tree, last.sequence, horizon);
  if (tree.size === last.tree_size) return false;
  if (nodes.length > 0)
    await tx.query(INSERT_NODES, [
      nodes.map(({ height }) => height),
      nodes.map(({ index }) => index),
      nodes.map(({ hash }) => hash),
    ]);
  const sealedAt = Math.max(clock.now(), last.sealed_at);
  const root = Buffer.from(tree.root());
  const text = sealText(tree.size, root.toString('hex'), new Date(sealedAt).toISOString());
  await addLedgerKey(tx, key, sealedAt);
  const [{ no } = { no: 0 }] = await tx.query<{ no: number }>(KEY_NO, [key.publicKey]);
  const signature = sign(null, Buffer.from(text), key.privateKey);
  await tx.query(INSERT_SEAL, [tree.size, sequence, root, timestamp(sealedAt), no, signature]);
  return true;
}

/**
 * Seals all entries that are committed, one transaction per seal. The tree, its nodes and the seal commit together, so that a
 * process that ends at any step leaves the tree of the seal before.
 */
export async function sealDue(db: Database, key: LedgerKey, clock: Clock): Promise<void> {
  while (await db.transaction((tx) => sealSome(tx, key, clock)));
}
