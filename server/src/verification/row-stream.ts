import type { Socket } from 'node:net';
import type pg from 'pg';

/** Null is the empty text. */
export type Row = readonly string[];

/** SQL of an instant in milliseconds. */
export const msOf = (column: string) => `date_part('epoch', ${column}) * 1000`;

/** The platform stores whole milliseconds. Other values become an instant that no entry has, so that their row differs. */
export function instantOf(text: string): number {
  const instant = Number(text);
  return Number.isSafeInteger(instant) ? instant : 0;
}

/** The elements of an array in the text format. Null for an array that is null. */
export const arrayOf = (text: string): (number | null)[] | null =>
  text === ''
    ? null
    : text
        .slice(1, -1)
        .split(',')
        .map((element) => (element === 'NULL' ? null : Number(element)));

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const unescape = (text: string): string =>
  text.replaceAll(/\\(.)/gs, (_, escaped: string) => ESCAPES[escaped] ?? escaped);

/** The fields of a row in the text format. Its last byte is a line feed. */
export function textFields(bytes: Buffer, start = 0, end = bytes.length): Row {
  const line = bytes.toString('utf8', start, end - 1);
  const fields = line.split('\t');
  return line.includes('\\') ? fields.map(unescape) : fields;
}

/** The columns of a row in the binary format: their count, then each with its length, -1 for null, which is empty here. */
export function binaryFields(bytes: Buffer, start: number): Buffer[] {
  const fields: Buffer[] = [];
  let at = start + 2;
  for (let count = bytes.readInt16BE(start); count > 0; count--) {
    const end = at + 4 + Math.max(0, bytes.readInt32BE(at));
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** Postgres counts microseconds and days from here. */
export const POSTGRES_EPOCH_MS = Date.parse('2000-01-01');

/** Milliseconds of an instant in the binary format. */
export const binaryInstant = (field: Buffer): number =>
  Number(field.readBigInt64BE()) / 1000 + POSTGRES_EPOCH_MS;

/** Messages of the protocol of Postgres: a byte with their type, then their length without that byte. */
const TYPE_BYTES = 1;
const HEADER_BYTES = 5;
const COPY_DATA = 'd'.charCodeAt(0);
/** Messages that may come between the rows, the first of them before all rows. */
const BETWEEN_ROWS = new Set([...'HSNA'].map((type) => type.charCodeAt(0)));
/** The binary format begins with a signature, flags and an empty extension, and ends with a row of -1 columns. */
const BINARY_START = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const BINARY_START_BYTES = BINARY_START.length + 8;
const MIN_BINARY_ROW_BYTES = 3;

export type CopyFormat = 'text' | 'binary';

/**
 * The rows of a statement, read with COPY, because the protocol of single rows takes four times as long. Postgres sends each row
 * in a message of its own. The messages are read where the socket has stored them: `pg-copy-streams` makes a buffer per row and
 * copies all of them, which took as long as their hashes. The connection is the stream's own: the server stops to send while
 * nothing is read.
 */
export class RowStream {
  /** The current row is in these bytes, from `start` to `end`. They are valid until `fill`. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  private readonly socket: Socket;
  private readonly readMessages: (bytes: Buffer) => void;
  private readonly isBinary: boolean;
  private isReleased = false;
  private hasEnded = false;
  private error: Error | null = null;
  private wake: () => void = () => {};

  constructor(client: pg.Client, select: string, format: CopyFormat = 'text') {
    this.isBinary = format === 'binary';
    this.socket = client.connection.stream as Socket;
    const [readMessages] = this.socket.listeners('data');
    this.readMessages = readMessages as (bytes: Buffer) => void;
    const options = this.isBinary ? 'format binary' : `null ''`;
    client.query({
      submit: (connection: pg.Connection) => {
        this.socket.off('data', this.readMessages);
        this.socket.pause();
        this.socket.on('readable', this.wakeUp);
        (connection as unknown as { query(text: string): void }).query(
          `copy (${select}) to stdout (${options})`,
        );
      },
      handleError: (error: Error) => {
        this.error = error;
        this.wake();
      },
      handleCommandComplete() {},
      handleReadyForQuery: () => {
        this.hasEnded = true;
        this.wake();
      },
    } as pg.Submittable);
  }

  private readonly wakeUp = () => this.wake();

  /** Goes to the next row if it has arrived, so that a loop over rows awaits once per chunk. False: call `fill`. */
  advance(): boolean {
    const { bytes } = this;
    while (this.end + HEADER_BYTES <= bytes.length) {
      const at = this.end;
      const end = at + TYPE_BYTES + bytes.readUInt32BE(at + TYPE_BYTES);
      const type = bytes[at]!;
      if (type !== COPY_DATA && !BETWEEN_ROWS.has(type)) {
        this.release();
        return false;
      }
      if (end > bytes.length) return false;
      this.start = at + HEADER_BYTES;
      this.end = end;
      if (type === COPY_DATA && this.hasRow()) return true;
    }
    return false;
  }

  /** The first row of the binary format follows its start, in the same message. */
  private hasRow(): boolean {
    if (!this.isBinary) return true;
    const isFirst = BINARY_START.every((byte, at) => this.bytes[this.start + at] === byte);
    if (isFirst) this.start += BINARY_START_BYTES;
    return this.end - this.start >= MIN_BINARY_ROW_BYTES;
  }

  /** A copy of the current row. */
  row(): Buffer {
    return Buffer.from(this.bytes.subarray(this.start, this.end));
  }

  /** Waits for bytes. False at the end. */
  async fill(): Promise<boolean> {
    for (;;) {
      if (this.error !== null) throw this.error;
      if (this.hasEnded) return false;
      const chunk = this.isReleased ? null : (this.socket.read() as Buffer | null);
      if (chunk !== null) {
        const rest = this.bytes.subarray(this.end);
        this.bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        this.start = this.end = 0;
        return true;
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** The next row in the text format. */
  async next(): Promise<Row | null> {
    return (await this.reach()) ? textFields(this.bytes, this.start, this.end) : null;
  }

  /** Goes to the next row, and waits for it. False at the end. */
  async reach(): Promise<boolean> {
    while (!this.advance()) if (!(await this.fill())) return false;
    return true;
  }

  /** Gives the messages after the rows to the client, which knows their meaning. */
  private release(): void {
    this.isReleased = true;
    this.socket.off('readable', this.wakeUp);
    this.socket.on('data', this.readMessages);
    this.readMessages(this.bytes.subarray(this.end));
    this.bytes = Buffer.alloc(0);
    this.start = this.end = 0;
    this.socket.resume();
  }
}
