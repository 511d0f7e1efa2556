import { ByteWriter } from '../bytes/byte-writer.ts';

/** A safe integer has at most eight groups of seven bits. */
const VARINT_BYTES = 8;
const FIRST_BYTES = 1 << 10;
const WORD = 2 ** 32;
/** Bitwise operators have 32 bits: values are packed in parts that can still be shifted by seven bits. */
const SMALL_BITS = 24;
const SMALL_MASK = 2 ** SMALL_BITS - 1;

/** Writes the binary numbers of Parquet. All are safe integers: 64-bit values do not need `BigInt`. */
export class BinaryWriter extends ByteWriter {
  constructor() {
    super(FIRST_BYTES);
  }

  get size(): number {
    return this.length;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  varint(value: number): void {
    this.reserve(VARINT_BYTES);
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }

  zigzag(value: number): void {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  int32(value: number): void {
    this.reserve(4);
    this.length = this.bytes.writeInt32LE(value, this.length);
  }

  int64(value: number): void {
    this.reserve(8);
    const high = Math.floor(value / WORD);
    this.length = this.bytes.writeUInt32LE(value - high * WORD, this.length);
    this.length = this.bytes.writeInt32LE(high, this.length);
  }

  /** Packs `values` from the lowest bit on, `width` bits each. Their number must be a multiple of eight. */
  packed(values: Float64Array, width: number): void {
    this.reserve((values.length * width) / 8);
    const { bytes } = this;
    let [bits, bitCount, end] = [0, 0, this.length];
    for (let at = 0; at < values.length; at++) {
      let rest = values[at]!;
      for (let left = width; left > 0; left -= SMALL_BITS) {
        bits |= (rest & SMALL_MASK) << bitCount;
        for (bitCount += Math.min(left, SMALL_BITS); bitCount >= 8; bitCount -= 8) {
          bytes[end++] = bits;
          bits >>>= 8;
        }
        rest = Math.floor(rest / (SMALL_MASK + 1));
      }
    }
    this.length = end;
  }
}
