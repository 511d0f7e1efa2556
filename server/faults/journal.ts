/**
 * The journal of a campaign: an append-only file with the start and outcome of every write, and every file from the
 * outbox. The expected content of the database follows from the journal alone.
 */
import { appendFileSync, readFileSync } from 'node:fs';

/**
 * Outcome of a write from the client's point of view. `acknowledged` was applied; `refused` (4xx) and `not_sent` were
 * not. All others may have been applied: with a 5xx, the database's answer to the commit may have been lost.
 */
export type Outcome =
  | 'acknowledged'
  | 'refused'
  | 'not_sent'
  | 'unavailable'
  | 'failed'
  | 'lost'
  | 'unanswered';

/** kWh per slot; null where the write does not contain the slot. */
export type DayVolumes = { readonly contract: string; readonly day: string; readonly kwh: (number | null)[] };

export type Write =
  | { readonly kind: 'volumes'; readonly way: 'put' | 'csv' | 'ndjson'; readonly days: readonly DayVolumes[] }
  | {
      readonly kind: 'invalidation';
      readonly contract: string;
      readonly day: string;
      readonly slot: number;
      readonly transaction: string;
    }
  | { readonly kind: 'customer'; readonly customer: string; readonly value: string }
  | { readonly kind: 'creation'; readonly of: 'brp' | 'customer' | 'contract'; readonly name: string };

export type SentMessage = { readonly id: string; readonly file: string };

export type Entry =
  | { entry: 'begin'; id: number; client: string; write: Write; key: string | null }
  | { entry: 'end'; id: number; outcome: Outcome; attempts: number; record?: string; detail?: string }
  | { entry: 'sent'; messages: readonly SentMessage[] }
  | { entry: 'file'; name: string; sha256: string }
  | { entry: 'answer'; answer: string; file: string | null };

export type JournaledWrite = {
  readonly id: number;
  readonly write: Write;
  readonly key: string | null;
  /** Null while the write is in flight. */
  outcome: Outcome | null;
  /** Id in the acknowledgement of a creation. */
  record: string | null;
};

/** The content of the journal in chronological order. */
export class History {
  readonly writes: JournaledWrite[] = [];
  readonly sent: SentMessage[] = [];
  /** By file name: the hash of the first file from the outbox, and the number of deliveries. */
  readonly files = new Map<string, { sha256: string; times: number; conflicts: string[] }>();
  /** Answers of the TSOs, with the file name if they were delivered to the inbox. */
  readonly answers = new Map<string, string | null>();
  /** How often a file was put into the inbox: a schedule that is delivered again within a second gets the same answer. */
  readonly inboxDeliveries = new Map<string, number>();
  private readonly byId = new Map<number, JournaledWrite>();

  apply(entry: Entry): void {
    if (entry.entry === 'begin') {
      const { id, write, key } = entry;
      const begun: JournaledWrite = { id, write, key, outcome: null, record: null };
      this.writes.push(begun);
      this.byId.set(id, begun);
    } else if (entry.entry === 'end') {
      const begun = this.byId.get(entry.id);
      if (!begun) throw new Error(`The journal ends write ${entry.id}, which it never began.`);
      begun.outcome = entry.outcome;
      begun.record = entry.record ?? null;
    } else if (entry.entry === 'file') this.addFile(entry.name, entry.sha256);
    else if (entry.entry === 'sent') this.sent.push(...entry.messages);
    else {
      this.answers.set(entry.answer, entry.file);
      const { file } = entry;
      if (file !== null) this.inboxDeliveries.set(file, (this.inboxDeliveries.get(file) ?? 0) + 1);
    }
  }

  private addFile(name: string, sha256: string): void {
    const known = this.files.get(name);
    if (!known) this.files.set(name, { sha256, times: 1, conflicts: [] });
    else {
      known.times++;
      if (known.sha256 !== sha256) known.conflicts.push(sha256);
    }
  }
}

export class Journal {
  readonly history = new History();
  private readonly file: string;
  private lastId = 0;

  constructor(file: string) {
    this.file = file;
  }

  append(entry: Entry): void {
    appendFileSync(this.file, `${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`);
    this.history.apply(entry);
  }

  begin(client: string, write: Write, key: string | null): number {
    const id = ++this.lastId;
    this.append({ entry: 'begin', id, client, write, key });
    return id;
  }

  /** Returns the lines that contain any of these texts, as evidence. */
  linesWith(...texts: readonly string[]): string[] {
    const lines = readFileSync(this.file, 'utf8').split('\n');
    return lines.filter((line) => texts.some((text) => line.includes(text)));
  }
}
