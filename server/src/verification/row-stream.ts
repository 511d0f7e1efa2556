import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** Null is the empty text. */
export type Row = readonly string[];

/** SQL of an instant in milliseconds. */
export const msOf = (column: string) => `date_part('epoch', ${column}) * 1000`;

/** The platform stores whole milliseconds. Other values become an instant that no entry has, so that their row differs. */
export function instantOf(text: string): number {
  const instant = Number(text);
  return Number.isSafeInteger(instant) ? instant : 0;
}

const NEWLINE = 10;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const unescape = (text: string): string =>
  text.replaceAll(/\\(.)/gs, (_, escaped: string) => ESCAPES[escaped] ?? escaped);

/**
 * The rows of a statement, read with COPY in its text format, because the protocol of single rows takes four times as long. The
 * connection is the stream's own: the server stops to send while nothing is read.
 */
export class RowStream {
  private readonly chunks: AsyncIterator<Buffer>;
  private lines: string[] = [];
  private at = 0;
  private rest: Buffer = Buffer.alloc(0);
  private hasEnded = false;

  constructor(client: pg.Client, select: string) {
    const copy = client.query(copyTo(`copy (${select}) to stdout (null '')`)) as AsyncIterable<Buffer>;
    this.chunks = copy[Symbol.asyncIterator]();
  }

  /** The next row if it has arrived, so that a loop over rows awaits once per chunk. Null: call `fill`. */
  take(): Row | null {
    const line = this.lines[this.at];
    if (line === undefined) return null;
    this.at++;
    const fields = line.split('\t');
    return line.includes('\\') ? fields.map(unescape) : fields;
  }

  /** Waits for rows. False at the end. */
  async fill(): Promise<boolean> {
    while (!this.hasEnded && this.at === this.lines.length) {
      const { value, done } = await this.chunks.next();
      if (done) this.hasEnded = true;
      else this.add(value);
    }
    return this.at < this.lines.length;
  }

  async next(): Promise<Row | null> {
    return this.take() ?? ((await this.fill()) ? this.take() : null);
  }

  /** A row ends with a line feed, which no byte of another character equals. */
  private add(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      this.rest = Buffer.concat([this.rest, chunk]);
      return;
    }
    const whole = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const length = whole.length - (chunk.length - end);
    this.lines = whole.toString('utf8', 0, length).split('\n');
    this.at = 0;
    this.rest = Buffer.from(whole.subarray(length + 1));
  }
}
