import { BinaryWriter } from './binary-writer.ts';

/** Values and how often each follows in a row. Columns of an export change seldom, so runs take little memory. */
export class Runs {
  private readonly values: number[] = [];
  private readonly counts: number[] = [];
  private last = -1;
  private lastCount = 0;

  add(value: number): void {
    if (value !== this.last) {
      this.endRun();
      this.last = value;
    }
    this.lastCount++;
  }

  /** RLE and bit packing hybrid: runs of at least eight values, or groups of eight packed values. */
  write(out: BinaryWriter, width: number): void {
    this.endRun();
    const packed: number[] = [];
    for (let at = 0; at < this.values.length; at++) {
      const value = this.values[at]!;
      let count = this.counts[at]!;
      // A group that was begun has to be filled before a run can follow.
      for (; count > 0 && packed.length % GROUP > 0; count--) packed.push(value);
      if (count >= GROUP) {
        writePacked(out, packed, width);
        packed.length = 0;
        out.varint(count * 2);
        for (let bits = 0; bits < width; bits += 8) out.byte(value >>> bits);
      } else for (; count > 0; count--) packed.push(value);
    }
    writePacked(out, packed, width);
  }

  private endRun(): void {
    if (this.lastCount === 0) return;
    this.values.push(this.last);
    this.counts.push(this.lastCount);
    this.lastCount = 0;
  }
}

const GROUP = 8;

function writePacked(out: BinaryWriter, values: readonly number[], width: number): void {
  const groups = Math.ceil(values.length / GROUP);
  if (groups === 0) return;
  const padded = new Float64Array(groups * GROUP);
  padded.set(values);
  out.varint(groups * 2 + 1);
  out.packed(padded, width);
}

/** The number of bits that values up to `largest` need. */
export const bitWidth = (largest: number): number => (largest === 0 ? 0 : Math.floor(Math.log2(largest)) + 1);

const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

/** DELTA_BINARY_PACKED, block by block, so that only encoded values are kept. */
export class DeltaEncoder {
  count = 0;
  private first = 0;
  private last = 0;
  private pending = 0;
  private readonly deltas = new Float64Array(BLOCK);
  private readonly blocks = new BinaryWriter();

  add(value: number): void {
    if (this.count++ === 0) this.first = value;
    else {
      this.deltas[this.pending++] = value - this.last;
      if (this.pending === BLOCK) this.writeBlock();
    }
    this.last = value;
  }

  write(out: BinaryWriter): void {
    if (this.pending > 0) this.writeBlock();
    out.varint(BLOCK);
    out.varint(MINIBLOCKS);
    out.varint(this.count);
    out.zigzag(this.first);
    out.append(this.blocks.written());
  }

  private writeBlock(): void {
    const { deltas, blocks, pending } = this;
    let least = deltas[0]!;
    for (let at = 1; at < pending; at++) least = Math.min(least, deltas[at]!);
    const widths: number[] = [];
    for (let from = 0; from < BLOCK; from += MINIBLOCK) {
      let most = 0;
      for (let at = from; at < from + MINIBLOCK; at++) {
        deltas[at] = at < pending ? deltas[at]! - least : 0;
        most = Math.max(most, deltas[at]!);
      }
      widths.push(bitWidth(most));
    }
    blocks.zigzag(least);
    for (const width of widths) blocks.byte(width);
    for (let from = 0; from < pending; from += MINIBLOCK) {
      blocks.packed(deltas.subarray(from, from + MINIBLOCK), widths[from / MINIBLOCK]!);
    }
    this.pending = 0;
  }
}
