import { BinaryWriter } from './binary-writer.ts';
import { bitWidth, DeltaEncoder, Runs } from './encodings.ts';
import { binary, bool, i32, i64, struct, type ThriftValue, text } from './thrift.ts';

/** Numbers of the Parquet format: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift */
const PHYSICAL = { int32: 1, int64: 2, byteArray: 6 };
const ENCODING = { plain: 0, rle: 3, deltaBinaryPacked: 5, deltaByteArray: 7, rleDictionary: 8 };
const CONVERTED = { utf8: 0, decimal: 5, date: 6, timestampMillis: 9 };
const [REQUIRED, OPTIONAL] = [0, 1];
export const { plain: PLAIN, rle: RLE } = ENCODING;

/** The most digits that 64 bits hold, three of them after the point. */
const DECIMAL = { precision: 18, scale: 3 };

type ColumnType = { readonly physical: number; readonly annotation: Readonly<Record<number, ThriftValue>> };

const MILLIS = struct({ 1: struct({}) });
const TYPES = {
  text: {
    physical: PHYSICAL.byteArray,
    annotation: { 6: i32(CONVERTED.utf8), 10: struct({ 1: struct({}) }) },
  },
  integer: { physical: PHYSICAL.int32, annotation: {} },
  /** Days since 1970. */
  date: { physical: PHYSICAL.int32, annotation: { 6: i32(CONVERTED.date), 10: struct({ 6: struct({}) }) } },
  /** Milliseconds since 1970, UTC. */
  instant: {
    physical: PHYSICAL.int64,
    annotation: {
      6: i32(CONVERTED.timestampMillis),
      10: struct({ 8: struct({ 1: bool(true), 2: MILLIS }) }),
    },
  },
  /** Thousandths. */
  decimal: {
    physical: PHYSICAL.int64,
    annotation: {
      6: i32(CONVERTED.decimal),
      7: i32(DECIMAL.scale),
      8: i32(DECIMAL.precision),
      10: struct({ 5: struct({ 1: i32(DECIMAL.scale), 2: i32(DECIMAL.precision) }) }),
    },
  },
} satisfies Record<string, ColumnType>;

type NumberType = Exclude<keyof typeof TYPES, 'text'>;

/** The encoded values of a column in one row group. */
export type EncodedColumn = {
  readonly dictionary: { readonly bytes: Uint8Array; readonly count: number } | null;
  /** Definition levels: which rows are not null. Empty for a column without nulls. */
  readonly levels: Uint8Array;
  readonly nulls: number;
  readonly values: Uint8Array;
  readonly encoding: number;
  /** `Statistics` of the format, with which readers skip row groups. */
  readonly statistics: ThriftValue;
};

export abstract class Column<T> {
  readonly name: string;
  readonly type: ColumnType;
  private readonly isNullable: boolean;
  private levels = new Runs();
  private rows = 0;
  private nulls = 0;

  constructor(name: string, type: keyof typeof TYPES, isNullable: boolean) {
    this.name = name;
    this.type = TYPES[type];
    this.isNullable = isNullable;
  }

  /** `SchemaElement` of the format. */
  get schema(): ThriftValue {
    const repetition = i32(this.isNullable ? OPTIONAL : REQUIRED);
    return struct({ 1: i32(this.type.physical), 3: repetition, 4: text(this.name), ...this.type.annotation });
  }

  add(value: T | null): void {
    this.rows++;
    if (this.isNullable) this.levels.add(value === null ? 0 : 1);
    if (value !== null) this.addValue(value);
    else if (this.isNullable) this.nulls++;
    else throw new Error(`the column ${this.name} has no nulls`);
  }

  /** Encodes the row group and begins the next one. */
  take(): EncodedColumn {
    const [levels, values, { nulls }] = [new BinaryWriter(), new BinaryWriter(), this];
    if (this.isNullable) this.levels.write(levels, 1);
    const isEmpty = nulls === this.rows;
    const encoded = isEmpty ? { dictionary: null, encoding: PLAIN } : this.writeValues(values);
    const statistics = struct({ 3: i64(nulls), ...(isEmpty ? {} : this.range()) });
    this.levels = new Runs();
    this.rows = 0;
    this.nulls = 0;
    this.clear();
    return { ...encoded, levels: levels.written(), nulls, values: values.written(), statistics };
  }

  protected abstract addValue(value: T): void;
  protected abstract writeValues(out: BinaryWriter): Pick<EncodedColumn, 'dictionary' | 'encoding'>;
  /** The members `max_value` and `min_value` of `Statistics`. */
  protected abstract range(): Readonly<Record<number, ThriftValue>>;
  protected abstract clear(): void;
}

function writeNumber(out: BinaryWriter, physical: number, value: number): void {
  if (physical === PHYSICAL.int64) out.int64(value);
  else out.int32(value);
}

function rangeOf(physical: number, least: number, most: number): Readonly<Record<number, ThriftValue>> {
  const bytesOf = (value: number) => {
    const out = new BinaryWriter();
    writeNumber(out, physical, value);
    return binary(out.written());
  };
  return { 5: bytesOf(most), 6: bytesOf(least) };
}

/** Few different values, or long runs: each value once, and the rows as runs of its number. */
class DictionaryColumn<T extends string | number> extends Column<T> {
  private numbers = new Map<T, number>();
  private rowNumbers = new Runs();
  private last: { value: T; number: number } | null = null;

  protected addValue(value: T): void {
    if (this.last?.value !== value) this.last = { value, number: this.numberOf(value) };
    this.rowNumbers.add(this.last.number);
  }

  private numberOf(value: T): number {
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    const { size } = this.numbers;
    this.numbers.set(value, size);
    return size;
  }

  protected writeValues(out: BinaryWriter) {
    const entries = new BinaryWriter();
    for (const value of this.numbers.keys()) {
      if (typeof value === 'number') writeNumber(entries, this.type.physical, value);
      else {
        const bytes = Buffer.from(value);
        entries.int32(bytes.length);
        entries.append(bytes);
      }
    }
    const width = bitWidth(this.numbers.size - 1);
    out.byte(width);
    this.rowNumbers.write(out, width);
    const dictionary = { bytes: entries.written(), count: this.numbers.size };
    return { dictionary, encoding: ENCODING.rleDictionary };
  }

  protected range() {
    let [least, most] = [Infinity, -Infinity];
    for (const value of this.numbers.keys()) {
      if (typeof value !== 'number') return {};
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    return rangeOf(this.type.physical, least, most);
  }

  protected clear(): void {
    this.numbers = new Map();
    this.rowNumbers = new Runs();
    this.last = null;
  }
}

/** Numbers that differ little from the one before, or by a constant. */
class SequenceColumn extends Column<number> {
  private deltas = new DeltaEncoder();
  private least = Infinity;
  private most = -Infinity;

  protected addValue(value: number): void {
    this.deltas.add(value);
    if (value < this.least) this.least = value;
    if (value > this.most) this.most = value;
  }

  protected writeValues(out: BinaryWriter) {
    this.deltas.write(out);
    return { dictionary: null, encoding: ENCODING.deltaBinaryPacked };
  }

  protected range() {
    return rangeOf(this.type.physical, this.least, this.most);
  }

  protected clear(): void {
    this.deltas = new DeltaEncoder();
    this.least = Infinity;
    this.most = -Infinity;
  }
}

/** Texts that begin like the one before: DELTA_BYTE_ARRAY. The ids of a sheet differ in their last two characters. */
class PrefixColumn extends Column<string> {
  private last = '';
  private prefixLengths = new DeltaEncoder();
  private suffixLengths = new DeltaEncoder();
  private suffixes = new BinaryWriter();

  protected addValue(value: string): void {
    const { last } = this;
    let same = 0;
    while (same < last.length && last.charCodeAt(same) === value.charCodeAt(same)) same++;
    this.prefixLengths.add(same);
    this.suffixLengths.add(value.length - same);
    for (let at = same; at < value.length; at++) this.suffixes.byte(value.charCodeAt(at));
    this.last = value;
  }

  protected writeValues(out: BinaryWriter) {
    this.prefixLengths.write(out);
    this.suffixLengths.write(out);
    out.append(this.suffixes.written());
    return { dictionary: null, encoding: ENCODING.deltaByteArray };
  }

  protected range() {
    return {};
  }

  protected clear(): void {
    this.last = '';
    this.prefixLengths = new DeltaEncoder();
    this.suffixLengths = new DeltaEncoder();
    this.suffixes = new BinaryWriter();
  }
}

export const textColumn = (name: string, isNullable = false): Column<string> =>
  new DictionaryColumn(name, 'text', isNullable);
/** Texts are ASCII. */
export const idColumn = (name: string, isNullable = false): Column<string> =>
  new PrefixColumn(name, 'text', isNullable);
export const numberColumn = (name: string, type: NumberType, isNullable = false): Column<number> =>
  new DictionaryColumn(name, type, isNullable);
export const sequenceColumn = (name: string, type: NumberType, isNullable = false): Column<number> =>
  new SequenceColumn(name, type, isNullable);
