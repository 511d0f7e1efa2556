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

export function fieldsOf(bytes: Buffer, start = 0, end = bytes.length): Row {
  const line = bytes.toString('utf8', start, end);
  const fields = line.split('\t');
  return line.includes('\\') ? fields.map(unescape) : fields;
}

/**
 * The rows of a statement, read with COPY in its text format, because the protocol of single rows takes four times as long. The
 * connection is the stream's own: the server stops to send while nothing is read.
 */
export class RowStream {
  /** The current row is in these bytes, from `start` to `end`. They are valid until `fill`. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = -1;
  private readonly chunks: AsyncIterator<Buffer>;
  /** The bytes before are whole rows. */
  private wholeTo = 0;
  private hasEnded = false;

  constructor(client: pg.Client, select: string) {
    const copy = client.query(copyTo(`copy (${select}) to stdout (null '')`)) as AsyncIterable<Buffer>;
    this.chunks = copy[Symbol.asyncIterator]();
  }

  /** Goes to the next row if it has arrived, so that a loop over rows awaits once per chunk. False: call `fill`. */
  advance(): boolean {
    if (this.end + 1 >= this.wholeTo) return false;
    this.start = this.end + 1;
    this.end = this.bytes.indexOf(NEWLINE, this.start);
    return true;
  }

  /** A copy of the current row. */
  line(): Buffer {
    return Buffer.from(this.bytes.subarray(this.start, this.end));
  }

  fields(): Row {
    return fieldsOf(this.bytes, this.start, this.end);
  }

  /** Waits for rows. False at the end. */
  async fill(): Promise<boolean> {
    while (!this.hasEnded && this.end + 1 >= this.wholeTo) {
      const { value, done } = await this.chunks.next();
      if (done) this.hasEnded = true;
      else this.add(value);
    }
    return this.end + 1 < this.wholeTo;
  }

  async next(): Promise<Row | null> {
    return this.advance() || ((await this.fill()) && this.advance()) ? this.fields() : null;
  }

  /** A row ends with a line feed, which no byte of another character equals. */
  private add(chunk: Buffer): void {
    const rest = this.bytes.subarray(this.wholeTo);
    const lastEnd = chunk.lastIndexOf(NEWLINE);
    this.bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.wholeTo = lastEnd === -1 ? 0 : rest.length + lastEnd + 1;
    this.end = -1;
  }
}
