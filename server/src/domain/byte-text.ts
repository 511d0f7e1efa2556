const [MINUS, ZERO] = [45, 48];
/** A safe integer with its sign, a point, and bytes that do not count. */
const NUMBER_BYTES = 24;

/**
 * Short texts for the numbers from 0 to 999. Digits that are made one by one cost more than all else about a number,
 * since no processor can foresee how many there will be.
 */
type ReadyTexts = { readonly bytes: Uint8Array; readonly lengths: Uint8Array };
const READY_BYTES = 4;

function readyTexts(texts: readonly string[]): ReadyTexts {
  const bytes = Buffer.from(texts.map((text) => text.padEnd(READY_BYTES)).join(''), 'latin1');
  return { bytes, lengths: Uint8Array.from(texts, (text) => text.length) };
}

/** '.001' for 1, '.25' for 250, and nothing for 0. */
export const FRACTION_TEXTS: readonly string[] = Array.from({ length: 1000 }, (_, value) =>
  String(value / 1000).slice(1),
);
const FRACTION = readyTexts(FRACTION_TEXTS);
const WHOLE = readyTexts(Array.from({ length: 1000 }, (_, value) => String(value)));

/** ASCII text that is written as bytes: made of pieces of text, a large one costs more than what it tells. */
export class ByteText {
  protected bytes: Buffer;
  protected length = 0;

  /** It grows, but growing copies all of it: whoever knows how large it becomes should say so. */
  constructor(expectedBytes: number) {
    this.bytes = Buffer.allocUnsafe(expectedBytes);
  }

  ascii(text: string): void {
    this.reserve(text.length);
    this.length += this.bytes.write(text, this.length, 'latin1');
  }

  /** Bytes that are written already: ready pieces, or text in UTF-8. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** A whole number of thousandths, as the shortest decimal that says it. */
  thousandths(value: number): void {
    this.reserve(NUMBER_BYTES);
    if (value < 0) this.bytes[this.length++] = MINUS;
    const size = Math.abs(value);
    const whole = Math.floor(size / 1000);
    if (whole < 1000) this.ready(WHOLE, whole);
    else this.digits(whole);
    this.ready(FRACTION, size - whole * 1000);
  }

  /** What has been written so far; more may follow it. */
  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** All of its bytes are written, and what follows is written over those that do not count. */
  private ready(texts: ReadyTexts, index: number): void {
    const { bytes, length } = this;
    const from = index * READY_BYTES;
    bytes[length] = texts.bytes[from]!;
    bytes[length + 1] = texts.bytes[from + 1]!;
    bytes[length + 2] = texts.bytes[from + 2]!;
    bytes[length + 3] = texts.bytes[from + 3]!;
    this.length = length + texts.lengths[index]!;
  }

  /** A whole number, for which there must be room. */
  protected digits(value: number): void {
    const { bytes } = this;
    let rest = Math.abs(value);
    if (value < 0) bytes[this.length++] = MINUS;
    let end = this.length + 1;
    for (let bound = 10; rest >= bound; bound *= 10) end++;
    this.length = end;
    do {
      const tenth = Math.floor(rest / 10);
      bytes[--end] = ZERO + rest - tenth * 10;
      rest = tenth;
    } while (rest > 0);
  }

  protected reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + bytes));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
