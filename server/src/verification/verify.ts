import { HASH_BYTES } from '@saldo/core/ledger/tree.ts';
import type { Progress } from '../backup/progress.ts';
import { RECORD_BYTES } from '../ledger/append.ts';
import { RecordComparison } from './compare.ts';
import { compareDerived, readLedgerStart } from './derived.ts';
import { readParties } from './parties.ts';
import { RECORD_SOURCES } from './records.ts';
import { collectDifferences, type Differences } from './report.ts';
import { binaryFields, binaryInstant, type RowStream } from './row-stream.ts';
import { KEYS, NODES, SEALS, type Seal, TreeComparison } from './seals.ts';
import type { Batch } from './sheet-lines.ts';
import { type Select, type Snapshot, withSnapshot } from './snapshot.ts';

export type VerifyOptions = {
  /** Entries from before this instant are compared with the seals only, not with their records. */
  readonly since: number | null;
  /** Seals that were kept elsewhere. */
  readonly kept: readonly Seal[];
  /** The public key of the file that signs, in base64; null without the file. */
  readonly ownKey: string | null;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

export type Verification = {
  readonly differences: Differences;
  /** Entries of the ledger that agree with their records. */
  readonly agreeing: number;
  readonly seals: number;
  /** Entries that no seal has yet. */
  readonly unsealed: number;
  /** Entries that records from before the ledger would have. */
  readonly older: number;
  /** The instants of the first and the last batch; null without one. */
  readonly oldest: number | null;
  readonly newest: number | null;
};

const BATCHES = `
  select sequence, committed_at, records, hashes from ledger_batch order by sequence`;
const COUNT = 'select coalesce(sum(length(records) / 21), 0) from ledger_batch';

/** The source of each kind of entry, by the code of the kind. */
const SOURCE_OF_KIND = [0, 0, 3, 1, 1, 3, 3, 2, 3, 3, 3];

/** Compares ledger and records in one snapshot, and reports every difference. */
export const verifyLedger = (url: string, options: VerifyOptions): Promise<Verification> =>
  withSnapshot(url, options.signal, async (snapshot) => {
    const differences = collectDifferences();
    const oldest = await readLedgerStart(snapshot);
    // The first start after the upgrade writes the entries of all earlier records: until then they cannot be expected.
    const [pending] = await snapshot.rows('select step from ledger_backfill');
    const startsAt = pending === undefined ? -Infinity : (oldest ?? Infinity);
    const [count] = await snapshot.rows(COUNT);
    options.progress.start('Comparing entries', Number(count?.[0]));
    const result = await compareEntries(snapshot, differences, startsAt, options);
    options.progress.start('Comparing what follows from them', 0);
    await compareDerived(snapshot, differences, oldest ?? Date.now());
    return { ...result, differences, oldest };
  });

async function compareEntries(
  snapshot: Snapshot,
  differences: Differences,
  startsAt: number,
  { since, kept, ownKey, progress }: VerifyOptions,
): Promise<Omit<Verification, 'differences' | 'oldest'>> {
  const parties = await readParties(snapshot);
  const keys = new Set((await snapshot.rows(KEYS)).map(([key]) => key!));
  if (ownKey !== null && keys.size > 0 && !keys.has(ownKey))
    differences.add(`key unknown: the database does not have ${ownKey}, the key of LEDGER_KEY_FILE`);
  const from = since === null ? `'-infinity'` : `'${new Date(since).toISOString()}'`;
  const selects: Select[] = [
    { select: BATCHES, format: 'binary' },
    { select: SEALS },
    { select: NODES },
    ...RECORD_SOURCES.map(({ select, lines }) => ({
      select: select(from),
      format: lines === undefined ? ('text' as const) : ('binary' as const),
    })),
  ];
  return snapshot.streams(selects, async ([batches, seals, nodes, ...rows]) => {
    const options = { parties, differences, startsAt };
    const comparisons = RECORD_SOURCES.map((source, at) => new RecordComparison(rows[at]!, source, options));
    const tree = new TreeComparison({ seals: seals!, nodes: nodes! }, kept, {
      differences,
      since: since ?? -Infinity,
      keys,
    });
    const newest = await compareBatches(batches!, { comparisons, tree, since: since ?? -Infinity, progress });
    await tree.end();
    const before = differences.count - tree.wrongRoots;
    for (const comparison of comparisons) await comparison.end();
    if (tree.wrongRoots > 0 && differences.count - tree.wrongRoots === before)
      differences.add(
        `${tree.wrongRoots} of ${tree.sealCount} seals have another root, and every entry agrees with its record: entries ` +
          'were reordered, added or removed',
      );
    const sum = (of: (comparison: RecordComparison) => number) =>
      comparisons.reduce((total, comparison) => total + of(comparison), 0);
    return {
      agreeing: sum(({ agreeing }) => agreeing),
      older: sum(({ olderCount }) => olderCount),
      seals: tree.sealCount,
      unsealed: tree.size - tree.sealedSize,
      newest,
    };
  });
}

type Comparisons = {
  readonly comparisons: readonly RecordComparison[];
  readonly tree: TreeComparison;
  readonly since: number;
  readonly progress: Progress;
};

function batchOf({ bytes, start }: RowStream): Batch & { readonly sequence: number } {
  const [sequence, committedAt, records, hashes] = binaryFields(bytes, start) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ];
  return {
    sequence: Number(sequence.readBigInt64BE()),
    committedAt: binaryInstant(committedAt),
    records,
    hashes,
  };
}

/** Returns the instant of the newest batch. */
async function compareBatches(
  batches: RowStream,
  { comparisons, tree, since, progress }: Comparisons,
): Promise<number | null> {
  let newest: number | null = null;
  while (await batches.reach()) {
    const batch = batchOf(batches);
    const { sequence, committedAt, records, hashes } = batch;
    newest = Math.max(newest ?? committedAt, committedAt);
    await tree.before(sequence);
    const count = records.length / RECORD_BYTES;
    for (let at = 0; at < count; at++) {
      tree.append(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
      if (committedAt < since) continue;
      const comparison = comparisons[SOURCE_OF_KIND[records[at * RECORD_BYTES]!] ?? 0]!;
      if (!comparison.compare(batch, at)) await comparison.read(batch, at);
    }
    progress.add({ done: count, rows: count, bytes: records.length + hashes.length });
  }
  return newest;
}
