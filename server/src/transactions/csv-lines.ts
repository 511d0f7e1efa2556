import { csvFields, DECIMAL_CHARACTERS, type DecimalNotation } from '@saldo/core/csv.ts';
import type { Resolution } from '@saldo/core/enums.ts';
import type { ParsedLine } from '@saldo/core/transactions/day-input.ts';
import type { CsvForm, UnitColumn } from './import-columns.ts';
import {
  emptyLine,
  invalidDate,
  invalidKind,
  invalidResolution,
  invalidStart,
  type LineParser,
  malformed,
  parseKind,
  parseResolution,
  parseStart,
  setCell,
  setDay,
  unreadable,
  wrongStart,
} from './import-lines.ts';

const ZERO = 48;
const QUOTE = '"';
/** Longest subject and date that the next line is compared with as bytes; longer ones are compared as text. */
const PREFIX_BYTES = 512;
/** Digits before the point that the fast path accepts: enough for nearly every value, and exact with six decimals. */
const FAST_DIGITS = 7;
/**
 * Creates a parser for CSV lines of this form. Fast path: a line that starts with the same bytes as the
 * previous one has the same subject and day, and its slot and value are parsed from bytes without creating strings.
 * 1 M lines take 0.13 s of CPU time instead of 0.53 s.
 */
export function csvLineParser({ subject, columns, unit, delimiter, notation }: CsvForm): LineParser {
  const line = emptyLine(unit.isPower);
  const delimiterByte = delimiter.charCodeAt(0);
  let decimalByte = decimalByteOf(notation);
  const at = (column: string) => columns.indexOf(column);
  const [subjectAt, dateAt, slotAt, valueAt] = [at(subject), at('delivery_date'), at('slot'), at(unit.name)];
  const [startAt, kindAt, resolutionAt] = [at('delivery_start'), at('kind'), at('resolution')];
  const usualOrder = [subject, 'delivery_date', 'slot', unit.name];
  const isUsualOrder = columns.length === 4 && columns.every((column, index) => usualOrder[index] === column);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  let prefixLength = 0;
  let hasDay = false;

  function parseFields(bytes: Buffer, start: number, end: number): ParsedLine {
    const text = bytes.toString('utf8', start, end);
    const fields = csvFields(text, delimiter);
    if (!Array.isArray(fields)) return unreadable(line, malformed(fields));
    if (fields.length !== columns.length) {
      const counts = { count: fields.length, expected: columns.length };
      return unreadable(line, malformed({ key: 'import.field_count', ...counts }));
    }
    const kindText = fields[kindAt] ?? '';
    const kind = kindText === '' ? null : parseKind(kindText);
    if (kind === undefined) return unreadable(line, invalidKind);
    const started = startAt === -1 ? null : parseStart(fields[startAt]!);
    if (started === null && startAt !== -1) return unreadable(line, invalidStart);
    setDay(line, hasDay, fields[subjectAt]!, kind, started?.day ?? fields[dateAt]!);
    hasDay = true;
    prefixLength = 0;
    if (isUsualOrder && !text.includes(QUOTE)) {
      const length = bytes.indexOf(delimiterByte, bytes.indexOf(delimiterByte, start) + 1) + 1 - start;
      if (length <= PREFIX_BYTES) prefixLength = bytes.copy(prefix, 0, start, start + length);
    }
    const resolution = parseResolution(fields[resolutionAt] || 'PT15M');
    if (line.day === null) line.fault = invalidDate;
    else if (resolution === undefined) line.fault = invalidResolution;
    else if (started?.isExact === false) line.fault = wrongStart(resolution);
    else setValue(started?.slot ?? slotOf(fields[slotAt]!), resolution, fields[valueAt]!);
    return line;
  }

  function setValue(slot: number, resolution: Resolution, text: string): void {
    const value = unit.fromText(notation.normalise(text), resolution);
    decimalByte = decimalByteOf(notation);
    setCell(line, slot, unit, resolution, value);
  }

  return (bytes, start, end) => {
    if (prefixLength === 0 || end - start <= prefixLength) return parseFields(bytes, start, end);
    // Backwards, because the subjects of neighbouring lines differ at their end.
    for (let index = prefixLength - 1; index >= 0; index--) {
      if (bytes[start + index] !== prefix[index]) return parseFields(bytes, start, end);
    }
    if (!parseCellBytes(line, unit, bytes, start + prefixLength, end, delimiterByte, decimalByte))
      return parseFields(bytes, start, end);
    line.isSameDay = true;
    line.isReadable = true;
    line.fault = null;
    return line;
  };
}

const slotOf = (text: string) => (/^\d+$/.test(text) ? Number(text) : 0);

/** No byte while the decimal mark is not known: then only whole numbers take the fast path. */
const decimalByteOf = ({ mark }: DecimalNotation) =>
  mark === null ? -1 : DECIMAL_CHARACTERS[mark].charCodeAt(0);

/** Parses bytes such as `96,12.345`. Returns false for everything else, which the slow path accepts or rejects. */
function parseCellBytes(
  line: ParsedLine,
  { max, scales }: UnitColumn,
  bytes: Buffer,
  start: number,
  end: number,
  delimiterByte: number,
  decimalByte: number,
): boolean {
  let at = start;
  let slot = 0;
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) break;
    slot = slot * 10 + digit;
  }
  if (slot < 1 || slot > line.slotCount || bytes[at] !== delimiterByte) return false;
  const firstDigit = ++at;
  let value = 0;
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (at === firstDigit || at - firstDigit > FAST_DIGITS) return false;
  let decimals = 0;
  if (at < end) {
    if (bytes[at] !== decimalByte) return false;
    for (at++; at < end; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) return false;
      value = value * 10 + digit;
      decimals++;
    }
    if (decimals === 0 || decimals >= scales.length) return false;
  }
  value *= scales[decimals]!;
  if (value > max || !Number.isInteger(value)) return false;
  line.slot = slot;
  line.value = value;
  return true;
}
