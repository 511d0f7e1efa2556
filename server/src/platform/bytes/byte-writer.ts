import { mwhText } from '@saldo/core/energy.ts';

const [MINUS, ZERO] = [45, 48];
/** Maximum length of a safe integer with sign and decimal point, plus the unused bytes of a table entry. */
const NUMBER_BYTES = 24;
/** Of a UTF-16 unit. */
const MAX_UTF8_BYTES = 3;

/**
 * Texts of the numbers from 0 to 999, four bytes each. Writing a number takes 12 ns with the table, 35 ns digit by
 * digit (mispredicted branches), and 137 ns as a string. A page of nominations has 19,200 numbers.
 */
type TextTable = { readonly bytes: Uint8Array; readonly lengths: Uint8Array };
const ENTRY_BYTES = 4;

function textTable(texts: readonly string[]): TextTable {
  const bytes = Buffer.from(texts.map((text) => text.padEnd(ENTRY_BYTES)).join(''), 'latin1');
  return { bytes, lengths: Uint8Array.from(texts, (text) => text.length) };
}

const NUMBERS = Array.from({ length: 1000 }, (_, value) => value);
/** '.001' for 1, '.25' for 250, and nothing for 0. */
const FRACTIONS = textTable(NUMBERS.map((value) => mwhText(value).slice(1)));
const WHOLES = textTable(NUMBERS.map(String));

/** Writes ASCII text into a buffer. For a page of nominations this is a third faster than string concatenation. */
export class ByteWriter {
  protected bytes: Buffer;
  protected length = 0;

  /** The buffer grows on demand, but growing copies it. Pass the final size where it is known. */
  constructor(expectedBytes: number) {
    this.bytes = Buffer.allocUnsafe(expectedBytes);
  }

  ascii(text: string): void {
    this.reserve(text.length);
    this.length += this.bytes.write(text, this.length, 'latin1');
  }

  /** Writes text with any characters. */
  utf8(text: string): void {
    this.reserve(text.length * MAX_UTF8_BYTES);
    this.length += this.bytes.write(text, this.length);
  }

  /** Appends prepared bytes, which may be UTF-8. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Writes whole kWh as MWh in the shortest decimal form, the same text as `mwhText`. */
  mwh(kwh: number): void {
    if (!Number.isSafeInteger(kwh)) throw new Error(`${kwh} is not a whole number of kWh`);
    this.reserve(NUMBER_BYTES);
    if (kwh < 0) this.bytes[this.length++] = MINUS;
    const size = Math.abs(kwh);
    const whole = Math.floor(size / 1000);
    if (whole < 1000) this.entry(WHOLES, whole);
    else this.digits(whole);
    this.entry(FRACTIONS, size - whole * 1000);
  }

  /** A view of the bytes written so far, not a copy. */
  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Copies all four bytes of the entry. The next write overwrites those beyond its length. */
  private entry(texts: TextTable, index: number): void {
    const { bytes, length } = this;
    const from = index * ENTRY_BYTES;
    bytes[length] = texts.bytes[from]!;
    bytes[length + 1] = texts.bytes[from + 1]!;
    bytes[length + 2] = texts.bytes[from + 2]!;
    bytes[length + 3] = texts.bytes[from + 3]!;
    this.length = length + texts.lengths[index]!;
  }

  /** Writes a whole number. The caller must have reserved the bytes. */
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
