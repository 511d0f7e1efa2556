/**
 * The format of a backup file:
 *
 *     skippable frame   `saldo backup 1`, a line with the header as JSON
 *     Zstandard frame   for each table of the header: a COPY command, its rows, `\.`; at the end a line with the totals
 *     skippable frame   SHA-256 of all bytes before this frame
 *
 * Skippable frames belong to the Zstandard format (RFC 8878): `zstd -dc` prints the rows of any backup.
 */
import { hash } from 'node:crypto';

export type BackupTable = { readonly name: string; readonly columns: readonly string[] };

export type BackupHeader = {
  readonly createdAt: string;
  readonly saldo: string;
  readonly postgres: string;
  readonly migrations: readonly { readonly name: string; readonly sha256: string }[];
  readonly tables: readonly BackupTable[];
  /** The ids of the keys that open its secrets. Backups from before the key file have none: their secrets are in clear text. */
  readonly secretsKeys?: readonly string[];
};

export type TableTotals = { readonly name: string; readonly rows: number; readonly digest: string };
export type Sequence = { readonly name: string; readonly value: string; readonly isCalled: boolean };
export type BackupTotals = {
  readonly tables: readonly TableTotals[];
  readonly sequences: readonly Sequence[];
};

/** A file that cannot be restored. The message is one sentence for the operator. */
export class BackupFileError extends Error {
  override name = 'BackupFileError';
}

const FORMAT = 1;
const SKIPPABLE_MAGIC = 0x184d2a50;
const FRAME_HEAD_BYTES = 8;
const SIGNATURE = 'saldo backup ';
const DIGEST_BYTES = 32;
const NEWLINE = 10;
/** The header grows with the number of tables: 200 tables of 20 columns need 100 kB. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

export const DIGEST_FRAME_BYTES = FRAME_HEAD_BYTES + DIGEST_BYTES;
/** Number of leading bytes that identify a backup and contain the length of its header. */
export const FILE_HEAD_BYTES = FRAME_HEAD_BYTES + SIGNATURE.length + `${FORMAT}\n`.length;
export const END_OF_ROWS = '\\.\n';

function skippableFrame(content: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

export const headerFrame = (header: BackupHeader): Buffer =>
  skippableFrame(Buffer.from(`${SIGNATURE}${FORMAT}\n${JSON.stringify(header)}\n`));

export const digestFrame = (digest: Buffer): Buffer => skippableFrame(digest);

/** Returns the length of the header frame. Rejects files that are not backups or have another format. */
export function headerFrameBytes(fileHead: Buffer): number {
  const signature = fileHead.toString('latin1', FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + SIGNATURE.length);
  if (
    fileHead.length < FILE_HEAD_BYTES ||
    fileHead.readUInt32LE(0) !== SKIPPABLE_MAGIC ||
    signature !== SIGNATURE
  ) {
    throw new BackupFileError('is not a Saldo backup');
  }
  if (!fileHead.toString('latin1', FRAME_HEAD_BYTES).startsWith(`${SIGNATURE}${FORMAT}\n`)) {
    throw new BackupFileError(
      'has a format that this version of Saldo does not know: restore it with the version that made it',
    );
  }
  const contentBytes = fileHead.readUInt32LE(4);
  if (contentBytes > MAX_HEADER_BYTES) throw new BackupFileError('is damaged: its header has a wrong length');
  return FRAME_HEAD_BYTES + contentBytes;
}

export function parseHeader(frame: Buffer): BackupHeader {
  return JSON.parse(frame.toString('utf8', frame.indexOf(NEWLINE, FRAME_HEAD_BYTES) + 1)) as BackupHeader;
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const copyTarget = ({ name, columns }: BackupTable): string =>
  `${quoteName(name)} (${columns.map(quoteName).join(', ')})`;

export const copyLine = (table: BackupTable): string => `copy ${copyTarget(table)} from stdin;`;

export const totalsLine = (totals: BackupTotals): string => `-- ${JSON.stringify(totals)}`;

export const parseTotals = (line: string): BackupTotals => JSON.parse(line.slice(3)) as BackupTotals;

/**
 * Counts and digests the rows of a table in COPY's text format. The digest is the sum of the rows' SHA-256 hashes and
 * thus independent of their order, because a reloaded table may store its rows in another order.
 */
export class RowDigest {
  rows = 0;
  private readonly sum = new Uint32Array(DIGEST_BYTES / 4);
  /** The incomplete row at the end of the last chunk. */
  private pieces: Buffer[] = [];

  update(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.add(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.pieces.push(chunk.subarray(start));
  }

  private add(lastPiece: Buffer): void {
    let row = lastPiece;
    if (this.pieces.length > 0) {
      row = Buffer.concat([...this.pieces, lastPiece]);
      this.pieces = [];
    }
    const rowHash = hash('sha256', row, 'buffer');
    for (let lane = 0; lane < this.sum.length; lane++) this.sum[lane]! += rowHash.readUInt32LE(lane * 4);
    this.rows++;
  }

  /** As hexadecimal digits. */
  digest(): string {
    return this.sum.reduce((text, lane) => text + lane.toString(16).padStart(8, '0'), '');
  }
}

/** Reads the sections of the decompressed part in order: a line with `line`, rows with `rows`. */
export class BodyReader {
  private rest: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Buffer>;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /** Appends the next chunk to `rest`; false at the end. */
  private async more(): Promise<boolean> {
    const next = await this.chunks.next();
    if (next.done === true) return false;
    this.rest = this.rest.length === 0 ? next.value : Buffer.concat([this.rest, next.value]);
    return true;
  }

  /** The next line without its newline; null at the end. */
  async line(): Promise<string | null> {
    let end = this.rest.indexOf(NEWLINE);
    while (end === -1) {
      if (!(await this.more())) return null;
      end = this.rest.indexOf(NEWLINE);
    }
    const line = this.rest.toString('utf8', 0, end);
    this.rest = this.rest.subarray(end + 1);
    return line;
  }

  /** Yields the rows up to their end mark, in chunks that may end inside a row. */
  async *rows(): AsyncGenerator<Buffer> {
    // COPY doubles the backslashes of values, so a line `\.` can only be the end mark.
    const mark = `\n${END_OF_ROWS}`;
    while (this.rest.length < END_OF_ROWS.length) await this.moreRows();
    if (this.rest.toString('latin1', 0, END_OF_ROWS.length) === END_OF_ROWS) {
      this.rest = this.rest.subarray(END_OF_ROWS.length);
      return;
    }
    for (;;) {
      const end = this.rest.indexOf(mark);
      if (end !== -1) {
        yield this.rest.subarray(0, end + 1);
        this.rest = this.rest.subarray(end + mark.length);
        return;
      }
      // Keep the last bytes, which may be the start of the end mark.
      const safe = this.rest.length - (mark.length - 1);
      if (safe > 0) {
        yield this.rest.subarray(0, safe);
        this.rest = this.rest.subarray(safe);
      }
      await this.moreRows();
    }
  }

  private async moreRows(): Promise<void> {
    if (!(await this.more())) throw new BackupFileError('ends in the middle of a table');
  }
}
