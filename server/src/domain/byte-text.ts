const [MINUS, POINT, ZERO] = [45, 46, 48];
/** A safe integer with its sign and a point. */
const NUMBER_BYTES = 18;

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
    this.length += this.bytes.latin1Write(text, this.length);
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
    this.digits(whole);
    let fraction = size - whole * 1000;
    if (fraction === 0) return;
    this.bytes[this.length++] = POINT;
    for (let unit = 100; fraction > 0; unit /= 10) {
      const digit = Math.floor(fraction / unit);
      this.bytes[this.length++] = ZERO + digit;
      fraction -= digit * unit;
    }
  }

  /** What has been written so far; more may follow it. */
  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** A whole number, for which there must be room. */
  protected digits(value: number): void {
    let rest = value;
    if (rest < 0) {
      this.bytes[this.length++] = MINUS;
      rest = -rest;
    }
    let end = this.length + 1;
    for (let bound = 10; rest >= bound; bound *= 10) end++;
    this.length = end;
    do {
      const tenth = Math.floor(rest / 10);
      this.bytes[--end] = ZERO + rest - tenth * 10;
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
