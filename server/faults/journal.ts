/**
 * The journal of a campaign: an append-only file with every write that a client began, how it ended, every file that
 * left the outbox, and every fault. What must be in the database follows from it alone, so a campaign that was
 * interrupted goes on from its journal.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { FaultKind } from './faults.ts';

/**
 * How a write ended for its client. `acknowledged` was done; `refused` (4xx) and `not_sent` were not. All others may
 * have been done: with a 503 or another 5xx (`failed`) the answer of the database to the commit may be what was lost.
 */
export type Outcome =
  | 'acknowledged'
  | 'refused'
  | 'not_sent'
  | 'unavailable'
  | 'failed'
  | 'lost'
  | 'unanswered';

/** Null where the write does not mention the slot. */
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

export type FaultResult = {
  readonly kind: FaultKind;
  readonly mode: 'embedded' | 'external';
  /** From the end of the cause (the kill, SIGCONT, the freed disk) to the first acknowledged write begun after it. */
  readonly backAfterS: number | null;
  /** Ends of the server process that the fault did not aim at. */
  readonly serverEnded: number;
  /** How the clients' requests ended, from the comparison before the fault to the one after it. */
  readonly outcomes: Partial<Record<Outcome, number>>;
  /** Everything else that must not happen. */
  readonly failures: readonly string[];
};

export type Entry =
  | { entry: 'begin'; id: number; client: string; write: Write; key: string | null }
  | { entry: 'end'; id: number; outcome: Outcome; attempts: number; record?: string; detail?: string }
  | { entry: 'sent'; messages: readonly SentMessage[] }
  | { entry: 'file'; name: string; sha256: string }
  | { entry: 'answer'; answer: string; file: string | null }
  | { entry: 'process'; pid: number }
  | { entry: 'fault'; result: FaultResult };

export type JournaledWrite = {
  readonly id: number;
  readonly write: Write;
  readonly key: string | null;
  /** Null while it is under way, and for ever when the campaign itself was killed meanwhile. */
  outcome: Outcome | null;
  /** The id that the acknowledgement of a creation named. */
  record: string | null;
};

/** What the journal says, in the order in which it happened. */
export class History {
  readonly writes: JournaledWrite[] = [];
  readonly sent: SentMessage[] = [];
  /** By file name: the hash of what was taken from the outbox first, and how often it was there. */
  readonly files = new Map<string, { sha256: string; times: number; conflicts: string[] }>();
  /** Answers of the TSOs, with the file name for those that were put into the inbox. */
  readonly answers = new Map<string, string | null>();
  readonly faults: FaultResult[] = [];
  readonly processes: number[] = [];
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
    else if (entry.entry === 'answer') this.answers.set(entry.answer, entry.file);
    else if (entry.entry === 'process') this.processes.push(entry.pid);
    else this.faults.push(entry.result);
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
    for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []) {
      const entry = JSON.parse(line) as Entry;
      if (entry.entry === 'begin') this.lastId = entry.id;
      this.history.apply(entry);
    }
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

  /** The lines that name any of these texts, as evidence. */
  linesWith(...texts: readonly string[]): string[] {
    const lines = readFileSync(this.file, 'utf8').split('\n');
    return lines.filter((line) => texts.some((text) => line.includes(text)));
  }
}
