import type { LedgerKey, Proof, Seal } from '@saldo/api';
import { assert } from '@saldo/core/assert.ts';
import type { LedgerEntry } from '@saldo/core/ledger/entries.ts';
import { consistencyRanges, inclusionRanges, type LeafRange } from '@saldo/core/ledger/proofs.ts';
import { HASH_BYTES } from '@saldo/core/ledger/tree.ts';
import type { Primary } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { hashOfEntry, RECORD_BYTES, writeRecord } from './append.ts';
import { TreeReader } from './tree-reader.ts';

type SealRow = {
  tree_size: number;
  sequence: number;
  root_hash: Buffer;
  sealed_at: number;
  signature: Buffer;
  public_key: Buffer;
};
const SEAL = `select s.tree_size, s.sequence, s.root_hash, s.sealed_at, s.signature, k.public_key
  from ledger_seal s join ledger_key k on k.no = s.key_no`;

/** With milliseconds always: the text of a seal has them, and its signature is of that text. */
const wireInstant = (ms: number): string => new Date(ms).toISOString();

export const wireSeal = (row: SealRow): Seal => ({
  tree_size: row.tree_size,
  root_hash: row.root_hash.toString('hex'),
  sealed_at: wireInstant(row.sealed_at),
  signature: row.signature.toString('base64'),
  public_key: row.public_key.toString('base64'),
});

const LIST = statement(
  'list_ledger_seals',
  `${SEAL} where s.tree_size < $1 order by s.tree_size desc limit $2`,
);
const FIND = statement('find_ledger_seal', `${SEAL} where s.tree_size = $1`);
const FIRST_WITH = statement(
  'first_ledger_seal_with',
  `${SEAL} where s.sequence >= $1 order by s.sequence limit 1`,
);

/**
 * The first seal after an instant whose tree has every entry up to it. The last entry up to the instant is looked for from the end
 * of the ledger: entries of records from before the ledger were written by the upgrade, after those of newer records.
 */
const FIRST_AFTER = statement(
  'find_first_seal_after',
  `${SEAL}
   where s.sealed_at > $1::timestamptz and s.sequence >= coalesce((
     select b.sequence from ledger_batch b where b.committed_at <= $1::timestamptz
     order by b.sequence desc limit 1), 0)
   order by s.sealed_at, s.tree_size limit 1`,
);

/** Null until a seal has every entry up to the instant. */
export async function findSealAfter(db: Primary, instant: number): Promise<Seal | null> {
  const [row] = await db.query<SealRow>(FIRST_AFTER, [timestamp(instant)]);
  return row ? wireSeal(row) : null;
}

export const listSeals = (db: Primary, before: number, count: number): Promise<SealRow[]> =>
  db.query<SealRow>(LIST, [before, count]);

export async function findSeal(db: Primary, treeSize: number): Promise<SealRow | null> {
  return (await db.query<SealRow>(FIND, [treeSize]))[0] ?? null;
}

const KEYS = statement(
  'list_ledger_keys',
  `select k.public_key, k.created_at, first.sealed_at as first_used_at, last.sealed_at as last_used_at
   from ledger_key k
   left join lateral (
     select sealed_at from ledger_seal s where s.key_no = k.no order by s.tree_size limit 1) as first on true
   left join lateral (
     select sealed_at, tree_size from ledger_seal s where s.key_no = k.no order by s.tree_size desc limit 1) as last on true
   order by last.tree_size desc nulls last, k.no desc`,
);
type KeyRow = {
  public_key: Buffer;
  created_at: number;
  first_used_at: number | null;
  last_used_at: number | null;
};

/** The key of the newest seal is the current key: a start may have added a key that has not signed yet. */
export async function readLedgerKeys(db: Primary): Promise<LedgerKey> {
  const [current, ...others] = await db.query<KeyRow>(KEYS);
  assert(current !== undefined, 'a start adds the key of its file');
  return {
    public_key: current.public_key.toString('base64'),
    algorithm: 'Ed25519',
    first_used_at: wireInstant(current.first_used_at ?? current.created_at),
    previous_keys: others.flatMap(({ public_key, first_used_at, last_used_at }) =>
      first_used_at === null || last_used_at === null
        ? []
        : [
            {
              public_key: public_key.toString('base64'),
              first_used_at: wireInstant(first_used_at),
              last_used_at: wireInstant(last_used_at),
            },
          ],
    ),
  };
}

async function pathOf(db: Primary, size: number, ranges: readonly LeafRange[]): Promise<string[]> {
  const reader = new TreeReader(db, size);
  const path: string[] = [];
  for (const range of ranges) path.push(Buffer.from(await reader.hashOf(range)).toString('hex'));
  return path;
}

/** Both sizes are of seals. */
export const readConsistencyPath = (db: Primary, from: number, to: number): Promise<string[]> =>
  pathOf(db, to, consistencyRanges(from, to));

/** `place` is that of the first byte of the record among the records, from 1; 0 without it. */
const BATCHES = statement(
  'ledger_batches_of_instant',
  `select b.sequence, b.hashes, found.place
   from ledger_batch b cross join lateral (select position($2::bytea in b.records) as place) as found
   where b.committed_at = $1 and found.place > 0
   order by b.sequence`,
);
/** The number of leaves before a batch that is part of the tree of a seal ($2) and of no smaller one. */
const LEAVES_BEFORE = statement(
  'ledger_leaves_before',
  `select (coalesce(last.tree_size, 0) + coalesce((
     select sum(length(b.hashes) / ${HASH_BYTES}) from ledger_batch b
     where b.sequence > coalesce(last.sequence, 0) and b.sequence < $1), 0))::bigint as count
   from (select) as one
   left join lateral (
     select tree_size, sequence from ledger_seal where tree_size < $2 order by tree_size desc limit 1) as last on true`,
);

type StoredHash = { readonly sequence: number; readonly place: number; readonly hash: Buffer };

async function findHash(db: Primary, entry: LedgerEntry, committedAt: number): Promise<StoredHash | null> {
  const record = Buffer.alloc(RECORD_BYTES);
  writeRecord(record, 0, entry);
  const rows = await db.query<{ sequence: number; hashes: Buffer; place: number }>(BATCHES, [
    timestamp(committedAt),
    record,
  ]);
  const [found] = rows.filter((row) => (row.place - 1) % RECORD_BYTES === 0);
  if (found === undefined) return null;
  const place = (found.place - 1) / RECORD_BYTES;
  const hash = found.hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
  return { sequence: found.sequence, place, hash };
}

/**
 * The proof that an entry, as it follows from its stored record, is part of the tree: of the first seal that has it, so that the
 * answer stays the same and its seal is the earliest evidence. `differs`: the ledger has no entry of the change, or another one.
 */
export async function proveEntry(
  db: Primary,
  entry: LedgerEntry,
  committedAt: number,
): Promise<Proof | 'not_sealed' | 'differs'> {
  const stored = await findHash(db, entry, committedAt);
  if (stored === null || !stored.hash.equals(hashOfEntry(entry.text))) return 'differs';
  const [seal] = await db.query<SealRow>(FIRST_WITH, [stored.sequence]);
  if (seal === undefined) return 'not_sealed';
  const [before] = await db.query<{ count: number }>(LEAVES_BEFORE, [stored.sequence, seal.tree_size]);
  const leaf = before!.count + stored.place;
  return {
    entry: Buffer.from(entry.text).toString('base64'),
    leaf_index: leaf,
    seal: wireSeal(seal),
    audit_path: await pathOf(db, seal.tree_size, inclusionRanges(leaf, seal.tree_size)),
  };
}
