import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { BinaryWriter } from './binary-writer.ts';
import { type Column, type EncodedColumn, PLAIN, RLE } from './columns.ts';
import { bool, i32, i64, list, struct, type ThriftValue, text } from './thrift.ts';

const MAGIC = Buffer.from('PAR1');
const PAGE = { dictionary: 2, data: 3 };
const ZSTD = 6;
const FORMAT_VERSION = 2;
/** A higher level takes three times as long and saves two percent. */
const ZSTD_LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

type AnyColumn = Pick<Column<never>, 'name' | 'type' | 'schema' | 'take'>;

type Page = { readonly bytes: Buffer; readonly uncompressedBytes: number };
type Chunk = { readonly meta: ThriftValue; readonly uncompressedBytes: number; readonly bytes: number };

/**
 * Writes a Parquet file as a sequence of pieces: add rows to the columns, take a row group, and so on, then the end. Only
 * the row group in progress and a description of the earlier ones are kept.
 */
export class ParquetFile {
  private offset = MAGIC.length;
  private rows = 0;
  private readonly rowGroups: ThriftValue[] = [];
  private readonly columns: readonly AnyColumn[];

  constructor(columns: readonly AnyColumn[]) {
    this.columns = columns;
  }

  begin(): Buffer {
    return MAGIC;
  }

  /** The rows that were added to every column since the last row group. */
  async rowGroup(rows: number): Promise<Buffer> {
    const [startsAt, parts, chunks]: [number, Buffer[], Chunk[]] = [this.offset, [], []];
    for (const column of this.columns) {
      const pages = await pagesOf(column.take(), rows);
      const chunk = this.chunkOf(column, pages, rows);
      parts.push(...[pages.dictionary, pages.data].flatMap((page) => page?.bytes ?? []));
      chunks.push(chunk);
      this.offset += chunk.bytes;
    }
    const sumOf = (member: 'bytes' | 'uncompressedBytes') =>
      chunks.reduce((sum, chunk) => sum + chunk[member], 0);
    this.rowGroups.push(
      struct({
        1: list(chunks.map(({ meta }) => meta)),
        2: i64(sumOf('uncompressedBytes')),
        3: i64(rows),
        5: i64(startsAt),
        6: i64(sumOf('bytes')),
      }),
    );
    this.rows += rows;
    return Buffer.concat(parts);
  }

  end(): Buffer {
    const typeOrder = struct({ 1: struct({}) });
    const out = new BinaryWriter();
    struct({
      1: i32(FORMAT_VERSION),
      2: list([
        struct({ 4: text('rows'), 5: i32(this.columns.length) }),
        ...this.columns.map(({ schema }) => schema),
      ]),
      3: i64(this.rows),
      4: list(this.rowGroups),
      6: text('saldo'),
      7: list(this.columns.map(() => typeOrder)),
    }).write(out);
    out.int32(out.size);
    out.append(MAGIC);
    return out.written();
  }

  private chunkOf(
    { name, type }: AnyColumn,
    { dictionary, data, encodings, statistics }: Pages,
    rows: number,
  ) {
    const dictionaryBytes = dictionary?.bytes.length ?? 0;
    const bytes = dictionaryBytes + data.bytes.length;
    const uncompressedBytes = (dictionary?.uncompressedBytes ?? 0) + data.uncompressedBytes;
    const meta = struct({
      1: i32(type.physical),
      2: list(encodings.map(i32)),
      3: list([text(name)]),
      4: i32(ZSTD),
      5: i64(rows),
      6: i64(uncompressedBytes),
      7: i64(bytes),
      9: i64(this.offset + dictionaryBytes),
      11: dictionary === null ? null : i64(this.offset),
      12: statistics,
    });
    return { meta: struct({ 2: i64(this.offset), 3: meta }), uncompressedBytes, bytes };
  }
}

type Pages = {
  readonly dictionary: Page | null;
  readonly data: Page;
  readonly encodings: readonly number[];
  readonly statistics: ThriftValue;
};

async function pagesOf(column: EncodedColumn, rows: number): Promise<Pages> {
  const { dictionary, encoding, statistics } = column;
  return {
    dictionary: dictionary && (await dictionaryPage(dictionary)),
    data: await dataPage(column, rows),
    encodings: [RLE, encoding, ...(dictionary === null ? [] : [PLAIN])],
    statistics,
  };
}

/** Compresses in the thread pool, as responses do. */
const compress = (bytes: Uint8Array): Promise<Buffer> => promisify(zstdCompress)(bytes, ZSTD_LEVEL);

async function dictionaryPage({ bytes, count }: NonNullable<EncodedColumn['dictionary']>): Promise<Page> {
  const header = { 7: struct({ 1: i32(count), 2: i32(PLAIN) }) };
  return pageOf(PAGE.dictionary, header, bytes.length, [await compress(bytes)]);
}

/** The second version of data pages: readers expect the encodings by differences only there. Levels are not compressed. */
async function dataPage({ levels, nulls, values, encoding }: EncodedColumn, rows: number): Promise<Page> {
  const isCompressed = values.length > 0;
  const header = {
    8: struct({
      1: i32(rows),
      2: i32(nulls),
      3: i32(rows),
      4: i32(encoding),
      5: i32(levels.length),
      6: i32(0),
      7: bool(isCompressed),
    }),
  };
  const stored = isCompressed ? await compress(values) : values;
  return pageOf(PAGE.data, header, levels.length + values.length, [levels, stored]);
}

function pageOf(
  type: number,
  ownHeader: Parameters<typeof struct>[0],
  uncompressedBytes: number,
  parts: readonly Uint8Array[],
): Page {
  const storedBytes = parts.reduce((sum, part) => sum + part.length, 0);
  const header = new BinaryWriter();
  struct({ 1: i32(type), 2: i32(uncompressedBytes), 3: i32(storedBytes), ...ownHeader }).write(header);
  return {
    bytes: Buffer.concat([header.written(), ...parts]),
    uncompressedBytes: header.size + uncompressedBytes,
  };
}
