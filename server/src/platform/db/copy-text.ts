import { ByteWriter } from '../bytes/byte-writer.ts';

const [COMMA, TAB, NEWLINE, OPEN, CLOSE] = [44, 9, 10, 123, 125];
/** Prefix of bytea digits. COPY unescapes the two backslashes to one. */
const HEX_PREFIX = '\\\\x';
const HEX_DIGITS = Buffer.from('0123456789abcdef');
const NULL_FIELD = '\\N';
const NULL_ELEMENT = 'NULL';
/** Maximum length of a 32-bit integer with sign and comma. */
const NUMBER_BYTES = 12;
const FIRST_BYTES = 1 << 16;

/**
 * Writes rows in COPY's text format directly as bytes. A market day has a million numbers, and string concatenation
 * would cost more than the rest of their processing. The caller guarantees that text fields need no escaping.
 */
export class CopyText extends ByteWriter {
  constructor() {
    super(FIRST_BYTES);
  }

  field(text: string): void {
    this.reserve(text.length + 1);
    this.ascii(text);
    this.bytes[this.length++] = TAB;
  }

  integer(value: number | null): void {
    if (value === null) return this.field(NULL_FIELD);
    this.reserve(NUMBER_BYTES);
    this.digits(value);
    this.bytes[this.length++] = TAB;
  }

  integers(values: readonly (number | null)[] | null): void {
    if (values === null) return this.field(NULL_FIELD);
    this.reserve((values.length + 1) * NUMBER_BYTES);
    this.bytes[this.length++] = OPEN;
    for (let at = 0; at < values.length; at++) {
      if (at > 0) this.bytes[this.length++] = COMMA;
      const value = values[at] ?? null;
      if (value === null) this.length += this.bytes.write(NULL_ELEMENT, this.length, 'latin1');
      else this.digits(value);
    }
    this.bytes[this.length++] = CLOSE;
    this.bytes[this.length++] = TAB;
  }

  binary(value: Uint8Array): void {
    this.reserve(HEX_PREFIX.length + value.length * 2 + 1);
    const { bytes } = this;
    let end = this.length + bytes.write(HEX_PREFIX, this.length, 'latin1');
    for (let at = 0; at < value.length; at++) {
      const byte = value[at]!;
      bytes[end++] = HEX_DIGITS[byte >> 4]!;
      bytes[end++] = HEX_DIGITS[byte & 15]!;
    }
    bytes[end++] = TAB;
    this.length = end;
  }

  endRow(): void {
    this.bytes[this.length - 1] = NEWLINE;
  }
}
