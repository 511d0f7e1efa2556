import { hash } from 'node:crypto';
import { HASH_BYTES } from '@saldo/core/ledger/tree.ts';
import { RECORD_BYTES } from '../ledger/append.ts';
import type { Parties } from './parties.ts';
import type { RecordSource } from './records.ts';
import { type Differences, nameRecord, recordHex, recordOf } from './report.ts';
import { type Row, type RowStream, textFields } from './row-stream.ts';
import { type Batch, isHashAt, type SheetLines, sheetFields } from './sheet-lines.ts';

/** An entry that follows from a stored row. */
type Computed = { readonly text: string; readonly hashHex: string };
/** An entry of the ledger, at the instant of its batch. */
type Stored = { readonly record: string; readonly hashHex: string; readonly committedAt: number };
/** A row that came before its entry, with the leaf hash (latin1) and the instant that `SheetLines` read from it. */
type EarlyRow = { readonly row: Buffer; readonly leafHash: string; readonly instant: number };
type Changed = Computed & { readonly record: string; readonly storedHex: string };

type RowBytes = Pick<RowStream, 'bytes' | 'start' | 'end'>;
const rowIn = (bytes: Buffer): RowBytes => ({ bytes, start: 0, end: bytes.length });

/** Rows that are read ahead for an entry whose row does not come. Transactions that commit at once mix their rows. */
const MAX_READ_AHEAD = 100_000;
/** The number of changed records among which exchanged ones are looked for. */
const MAX_EXCHANGED = 300;

const entryAt = ({ committedAt, records, hashes }: Batch, index: number): Stored => ({
  record: records.toString('hex', index * RECORD_BYTES, (index + 1) * RECORD_BYTES),
  hashHex: hashes.toString('hex', index * HASH_BYTES, (index + 1) * HASH_BYTES),
  committedAt,
});

const leafHex = leafHasher();

/** The leaf hash of a text in hex. One buffer for all texts saves a third of the time. */
function leafHasher(): (text: string) => string {
  let bytes = Buffer.alloc(16_384);
  return (text) => {
    // A UTF-16 code unit takes three bytes at most.
    if (text.length * 3 >= bytes.length) bytes = Buffer.alloc(text.length * 3 + 1);
    const length = bytes.write(text, 1, 'utf8');
    return hash('sha256', bytes.subarray(0, 1 + length), 'hex');
  };
}

/** Entries of a batch have one instant. */
const iso = lastResult((instant: number) => new Date(instant).toISOString());

function lastResult<Result>(of: (input: number) => Result): (input: number) => Result {
  let last: { readonly input: number; readonly result: Result } | null = null;
  return (input) => {
    if (last?.input !== input) last = { input, result: of(input) };
    return last.result;
  };
}

/**
 * Compares entries of the ledger with those that follow from the rows of a source. Both come nearly in the same order, so that few
 * of them wait for each other. Memory is bounded while they agree; each difference takes some.
 */
export class RecordComparison {
  /** Entries of rows from before the ledger. */
  olderCount = 0;
  agreeing = 0;
  private readonly rows: RowStream;
  private readonly source: RecordSource;
  private readonly lines: SheetLines | null;
  private readonly parties: Parties;
  private readonly differences: Differences;
  private readonly startsAt: number;
  /** By record (latin1). */
  private readonly earlyRows = new Map<string, EarlyRow>();
  /** Entries that follow from rows and have not been in the ledger yet, by record. */
  private readonly computed = new Map<string, Computed>();
  /** Entries of the ledger whose rows have not come yet. */
  private readonly stored = new Map<string, Stored>();
  private readonly changed: Changed[] = [];
  private readAhead = 0;

  /** `startsAt` is the instant of the first entry of the ledger. */
  constructor(
    rows: RowStream,
    source: RecordSource,
    options: { readonly parties: Parties; readonly differences: Differences; readonly startsAt: number },
  ) {
    this.rows = rows;
    this.source = source;
    this.lines = source.lines?.(options.parties) ?? null;
    this.parties = options.parties;
    this.differences = options.differences;
    this.startsAt = options.startsAt;
  }

  /** Compares the entry at `index` if its row has arrived. False: `read` has to be called. */
  compare(batch: Batch, index: number): boolean {
    if (this.earlyRows.size > 0 && this.compareEarlyRow(batch, index)) return true;
    let entry = this.computed.size > 0 ? entryAt(batch, index) : null;
    const computed = entry && this.computed.get(entry.record);
    if (entry && computed) {
      this.computed.delete(entry.record);
      this.readAhead = 0;
      this.check(computed, entry);
      return true;
    }
    while (this.rows.advance()) {
      this.readAhead++;
      const leafHash = this.lines?.read(this.rows) ?? null;
      if (leafHash !== null) {
        if (this.agrees(batch, index, leafHash)) return true;
        if (this.isEarly(leafHash, batch, index)) continue;
      }
      entry ??= entryAt(batch, index);
      if (this.addRow(this.fieldsOf(this.rows), entry)) return true;
    }
    return false;
  }

  private fieldsOf({ bytes, start, end }: RowBytes): Row {
    return this.lines === null ? textFields(bytes, start, end) : sheetFields(bytes, start);
  }

  private agrees(batch: Batch, index: number, leafHash: string): boolean {
    const { instant } = this.lines!;
    const isSame = this.lines!.isOf(batch, index) && isHashAt(batch, index, leafHash);
    if (!isSame || instant !== batch.committedAt) return false;
    this.readAhead = 0;
    this.agreeing++;
    return true;
  }

  /** Keeps the row for its entry, unless that has been there or cannot come. */
  private isEarly(leafHash: string, batch: Batch, index: number): boolean {
    const { record, instant } = this.lines!;
    const key = record.toString('latin1');
    const isExpected = instant >= this.startsAt && this.stored.size === 0 && !this.earlyRows.has(key);
    if (!isExpected || this.lines!.isOf(batch, index)) return false;
    this.earlyRows.set(key, { row: this.rows.row(), leafHash, instant });
    return true;
  }

  private compareEarlyRow(batch: Batch, index: number): boolean {
    const key = batch.records.toString('latin1', index * RECORD_BYTES, (index + 1) * RECORD_BYTES);
    const early = this.earlyRows.get(key);
    if (early === undefined) return false;
    this.earlyRows.delete(key);
    this.readAhead = 0;
    if (early.instant === batch.committedAt && isHashAt(batch, index, early.leafHash)) this.agreeing++;
    else this.addRow(this.fieldsOf(rowIn(early.row)), entryAt(batch, index));
    return true;
  }

  /** Waits for rows until that of the entry comes. Without one, the entry waits. */
  async read(batch: Batch, index: number): Promise<void> {
    do {
      if (!(await this.rows.fill())) break;
      if (this.compare(batch, index)) return;
    } while (this.readAhead < MAX_READ_AHEAD);
    const entry = entryAt(batch, index);
    if (this.stored.has(entry.record))
      this.differences.add(`not in the database: a second entry of ${nameRecord(entry.record, null)}`);
    else this.stored.set(entry.record, entry);
  }

  /** Reads the rest of the rows. Whatever still waits differs. */
  async end(): Promise<void> {
    for (const { row } of this.earlyRows.values()) this.addRow(this.fieldsOf(rowIn(row)));
    while (await this.rows.reach()) this.addRow(this.fieldsOf(this.rows));
    this.reportChanged();
    for (const [record, { committedAt }] of this.stored) {
      this.differences.add(
        `missing: ${nameRecord(record, null)}: the ledger has it since ${iso(committedAt)}, the database has no such row`,
      );
    }
    for (const [record, { text }] of this.computed) {
      this.differences.add(`not in the ledger: ${nameRecord(record, text)}: a row without an entry`);
    }
  }

  /** Whether the row has the wanted entry, which it compares. Its other entries wait for theirs. */
  private addRow(row: Row, wanted: Stored | null = null): boolean {
    let isFound = false;
    try {
      const isOlder = Number(row[1]) < this.startsAt;
      for (const { kind, uuid, number, text } of this.source.entries(row, this.parties)) {
        const record = recordHex(kind, uuid, number);
        const computed = { text, hashHex: leafHex(text) };
        if (record === wanted?.record && !isFound) {
          isFound = true;
          this.readAhead = 0;
          this.check(computed, wanted);
        } else this.addComputed(record, computed, isOlder);
      }
    } catch (error) {
      this.differences.add(`unreadable: the row ${row[0]}: ${(error as Error).message}`);
    }
    return isFound;
  }

  private addComputed(record: string, computed: Computed, isOlder: boolean): void {
    const stored = this.stored.get(record);
    if (stored !== undefined) {
      this.stored.delete(record);
      this.check(computed, stored);
    } else if (isOlder) this.olderCount++;
    else if (this.computed.has(record))
      this.differences.add(`not in the ledger: a second row of ${nameRecord(record, computed.text)}`);
    else this.computed.set(record, computed);
  }

  private check({ text, hashHex }: Computed, { record, hashHex: storedHex, committedAt }: Stored): void {
    if (hashHex !== storedHex) this.changed.push({ record, text, hashHex, storedHex });
    else if (!text.includes(iso(committedAt)))
      this.differences.add(
        `changed: ${nameRecord(record, text)}: its batch in the ledger has another instant, ${iso(committedAt)}`,
      );
    else this.agreeing++;
  }

  private reportChanged(): void {
    const candidates = this.changed.slice(0, MAX_EXCHANGED);
    for (const one of this.changed) {
      const other = candidates.find((candidate) => candidate !== one && isExchanged(one, candidate));
      const name = nameRecord(one.record, one.text);
      this.differences.add(
        other === undefined
          ? `changed: ${name}: its row is not what was committed`
          : `swapped: ${name} has the content of ${nameRecord(other.record, null)}`,
      );
    }
  }
}

/** Whether the content of one record is what was committed for the other. */
function isExchanged(one: Changed, other: Changed): boolean {
  if (one.hashHex === other.storedHex) return true;
  const [from, to] = [recordOf(one.record), recordOf(other.record)];
  if (from.kind !== to.kind) return false;
  const text = one.text
    .replace(`"id":"${from.id}"`, `"id":"${to.id}"`)
    .replace(`"number":${from.number}`, `"number":${to.number}`);
  return leafHex(text) === other.storedHex;
}
