import { hash } from 'node:crypto';
import { ENTRY_KINDS, type LedgerEntry } from '@saldo/core/ledger/entries.ts';
import { HASH_BYTES } from '@saldo/core/ledger/tree.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** Bytes of an entry in `ledger_batch.records`: its kind, the UUID of its record and its number. */
export const RECORD_BYTES = 21;
const [KIND_BYTES, UUID_BYTES] = [1, 16];
const FIRST_ENTRIES = 16;

/** The announcement precedes the sequence: the row is joined before its columns are computed. */
const APPEND = statement(
  'append_ledger_batch',
  `insert into ledger_batch (committed_at, records, hashes)
   select batch.committed_at, batch.records, batch.hashes
   from announce_events() cross join (values ($1::timestamptz, $2::bytea, $3::bytea))
     as batch (committed_at, records, hashes)`,
);

const CODES = new Map(ENTRY_KINDS.map((kind, code) => [kind, code]));

export function writeRecord(
  into: Buffer,
  at: number,
  { kind, uuid, number }: Omit<LedgerEntry, 'text'>,
): void {
  into[at] = CODES.get(kind)!;
  into.write(uuid.replaceAll('-', ''), at + KIND_BYTES, UUID_BYTES, 'hex');
  into.writeUInt32BE(number, at + KIND_BYTES + UUID_BYTES);
}

const MAX_UTF8_BYTES = 3;
/** The bytes of the leaf that is hashed; the first one is that of a leaf. */
let leaf = Buffer.alloc(4096);

/**
 * The hash of the leaf of an entry (latin1), see `leafHash`. The bytes of all entries are written to the same place, and the hash is
 * made as a text: new buffers took a third of the time.
 */
function leafHashOf(text: string): string {
  const most = 1 + text.length * MAX_UTF8_BYTES;
  if (most > leaf.length) leaf = Buffer.alloc(most);
  return hash('sha256', leaf.subarray(0, 1 + leaf.write(text, 1)), 'latin1');
}

export const hashOfEntry = (text: string): Buffer => Buffer.from(leafHashOf(text), 'latin1');

/** Entries of one instant as the columns of their row. The entries themselves are not kept. */
class BatchColumns {
  private recordBytes = Buffer.allocUnsafe(FIRST_ENTRIES * RECORD_BYTES);
  private hashBytes = Buffer.allocUnsafe(FIRST_ENTRIES * HASH_BYTES);
  count = 0;

  add(entry: LedgerEntry): void {
    if ((this.count + 1) * RECORD_BYTES > this.recordBytes.length) {
      this.recordBytes = Buffer.concat([this.recordBytes, Buffer.allocUnsafe(this.recordBytes.length)]);
      this.hashBytes = Buffer.concat([this.hashBytes, Buffer.allocUnsafe(this.hashBytes.length)]);
    }
    writeRecord(this.recordBytes, this.count * RECORD_BYTES, entry);
    this.hashBytes.write(leafHashOf(entry.text), this.count * HASH_BYTES, 'latin1');
    this.count++;
  }

  get records(): Buffer {
    return this.recordBytes.subarray(0, this.count * RECORD_BYTES);
  }

  get hashes(): Buffer {
    return this.hashBytes.subarray(0, this.count * HASH_BYTES);
  }
}

/** By instant, because a record's entry is found by the instant of its change: a transaction nearly always has one. */
type Batches = Map<number, BatchColumns>;

async function insertBatches(tx: Tx, batches: Batches): Promise<void> {
  for (const [committedAt, { records, hashes }] of batches)
    await tx.query(APPEND, [timestamp(committedAt), records, hashes]);
}

const batchesOf = new WeakMap<Tx, Batches>();

/**
 * Appends entries to the ledger in the transaction of their changes. They are inserted directly before the commit, as events are:
 * from then on the transaction holds back the sealing of all later entries.
 */
export function appendEntries(tx: Tx, entries: readonly LedgerEntry[], committedAt: number): void {
  if (entries.length === 0) return;
  let batches = batchesOf.get(tx);
  if (batches === undefined) {
    const added: Batches = new Map();
    batches = added;
    batchesOf.set(tx, added);
    tx.beforeCommit(() => insertBatches(tx, added));
  }
  let columns = batches.get(committedAt);
  if (columns === undefined) batches.set(committedAt, (columns = new BatchColumns()));
  for (const entry of entries) columns.add(entry);
}
