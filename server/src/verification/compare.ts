import { hash } from 'node:crypto';
import type { Parties, RecordSource } from './records.ts';
import { type Differences, nameRecord, recordHex, recordOf } from './report.ts';
import type { Row, RowStream } from './row-stream.ts';

/** An entry that follows from a stored row. */
type Computed = { readonly text: string; readonly hashHex: string };
/** An entry of the ledger, at the instant of its batch. */
type Stored = { readonly hashHex: string; readonly committedAt: number };
type Changed = Computed & { readonly record: string; readonly storedHex: string };

/** Rows that are read ahead for an entry whose row does not come. Transactions that commit at once mix their rows. */
const MAX_READ_AHEAD = 100_000;
/** The number of changed records among which exchanged ones are looked for. */
const MAX_EXCHANGED = 300;

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
  private readonly parties: Parties;
  private readonly differences: Differences;
  private readonly startsAt: number;
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
    this.parties = options.parties;
    this.differences = options.differences;
    this.startsAt = options.startsAt;
  }

  /** Compares if the row has arrived. False: `read` has to be called. */
  compare(record: string, hashHex: string, committedAt: number): boolean {
    const computed = this.computed.get(record);
    if (computed !== undefined) {
      this.computed.delete(record);
      this.readAhead = 0;
      this.check(record, computed, { hashHex, committedAt });
      return true;
    }
    for (let row = this.rows.take(); row !== null; row = this.rows.take()) {
      this.readAhead++;
      if (this.addRow(row, record, { hashHex, committedAt })) return true;
    }
    return false;
  }

  /** Waits for rows until that of the record comes. Without one, its entry waits. */
  async read(record: string, hashHex: string, committedAt: number): Promise<void> {
    do {
      if (!(await this.rows.fill())) break;
      if (this.compare(record, hashHex, committedAt)) return;
    } while (this.readAhead < MAX_READ_AHEAD);
    const isTwice = this.stored.has(record);
    if (isTwice) this.differences.add(`not in the database: a second entry of ${nameRecord(record, null)}`);
    else this.stored.set(record, { hashHex, committedAt });
  }

  /** Reads the rest of the rows. Whatever still waits differs. */
  async end(): Promise<void> {
    for (let row = await this.rows.next(); row !== null; row = await this.rows.next()) this.addRow(row);
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
  private addRow(row: Row, wanted = '', entry: Stored | null = null): boolean {
    let isFound = false;
    try {
      const isOlder = Number(row[1]) < this.startsAt;
      for (const { kind, uuid, number, text } of this.source.entries(row, this.parties)) {
        const record = recordHex(kind, uuid, number);
        const computed = { text, hashHex: leafHex(text) };
        if (record === wanted && !isFound) {
          isFound = true;
          this.readAhead = 0;
          this.check(record, computed, entry!);
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
      this.check(record, computed, stored);
    } else if (isOlder) this.olderCount++;
    else if (this.computed.has(record))
      this.differences.add(`not in the ledger: a second row of ${nameRecord(record, computed.text)}`);
    else this.computed.set(record, computed);
  }

  private check(record: string, { text, hashHex }: Computed, stored: Stored): void {
    if (hashHex !== stored.hashHex) this.changed.push({ record, text, hashHex, storedHex: stored.hashHex });
    else if (!text.includes(iso(stored.committedAt)))
      this.differences.add(
        `changed: ${nameRecord(record, text)}: its batch in the ledger has another instant, ${iso(stored.committedAt)}`,
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
