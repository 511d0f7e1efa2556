import { isUtf8 } from 'node:buffer';
import { LIMITS } from '@saldo/api';
import { type DecimalNotation, decimalQuestion } from '@saldo/core/csv.ts';
import type { DecimalMark } from '@saldo/core/enums.ts';
import { DayGrouper, type DayInput, type LineFault } from '@saldo/core/transactions/day-input.ts';
import { validationProblem } from '../platform/http/problem.ts';
import { csvLineParser } from './csv-lines.ts';
import { type ImportColumns, readHeader } from './import-columns.ts';
import type { LineParser } from './import-lines.ts';
import { ndjsonLineParser } from './ndjson-lines.ts';

export type ImportFormat = 'csv' | 'ndjson';
/** A rejected line. */
export type Rejection = LineFault & { readonly line: number };

/** The complete days that were read since the last batch, and the lines that were rejected meanwhile. */
export class ImportBatch {
  readonly days: DayInput[] = [];
  readonly rejected: Rejection[] = [];
  rows = 0;
  rejectedLines = 0;

  reject(line: number, { code, message }: LineFault): void {
    this.rejectedLines++;
    // Bounds the memory and the answer: every line of a 1 GB file may be faulty.
    if (this.rejected.length < LIMITS.rejectedLines) this.rejected.push({ line, code, message });
  }
}

const NEWLINE = 10;
const RETURN = 13;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** Buffer for a line that continues in the next chunk: the longest valid line plus its carriage return. */
const KEPT_BYTES = LIMITS.importLineBytes + 1;

const TOO_LONG = {
  code: 'line_too_long',
  message: { key: 'import.long_line', max: LIMITS.importLineBytes },
} as const;
const NOT_UTF8 = { code: 'wrong_encoding', message: { key: 'import.encoding' } } as const;

/**
 * Parses an import chunk by chunk. Memory is bounded by one line and one incomplete day besides the batch, whatever the
 * sizes of chunks and lines.
 */
export class ImportReader {
  private batch = new ImportBatch();
  private readonly grouper = new DayGrouper((line, fault) => this.batch.reject(line, fault));
  private parseLine: LineParser | null;
  private lineNumber = 0;
  private readonly kept = Buffer.allocUnsafe(KEPT_BYTES);
  private keptBytes = 0;
  private isOverlong = false;
  private readonly columns: ImportColumns;
  private readonly decimal: DecimalMark | null;
  private notation: DecimalNotation | null = null;
  private questionLine: number | null = null;

  /** `decimal` is the mark that the sender of a CSV file states. */
  constructor(columns: ImportColumns, format: ImportFormat, decimal: DecimalMark | null = null) {
    this.columns = columns;
    this.parseLine = format === 'ndjson' ? ndjsonLineParser(columns) : null;
    this.decimal = decimal;
  }

  get finishedDays(): number {
    return this.batch.days.length;
  }

  push(chunk: Buffer): void {
    let start = 0;
    if (this.keptBytes > 0 || this.isOverlong) {
      const newline = chunk.indexOf(NEWLINE);
      this.keep(newline === -1 ? chunk : chunk.subarray(0, newline));
      if (newline === -1) return;
      this.endKeptLine();
      start = newline + 1;
    }
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > start) this.lines(chunk, start, end);
    if (Math.max(start, end) < chunk.length) this.keep(chunk.subarray(Math.max(start, end)));
  }

  /** Call at the end of the file: completes the last line, which needs no line break, and the last day. */
  finish(): void {
    if (this.keptBytes > 0 || this.isOverlong) this.endKeptLine();
    if (this.lineNumber === 0) {
      throw validationProblem([{ code: 'required', message: { key: 'import.required' } }]);
    }
    const last = this.grouper.finish();
    if (last !== null) this.batch.days.push(last);
  }

  /**
   * Returns the current batch and starts a new one. Rejects the rest of the file while its decimal mark is an open
   * question, so that no value is stored that has two readings.
   */
  take(): ImportBatch {
    const question = this.notation?.question ?? null;
    if (question !== null) {
      const message = decimalQuestion(this.questionLine ?? this.lineNumber, question);
      throw validationProblem([{ field: 'decimal', code: 'required', message }]);
    }
    const taken = this.batch;
    this.batch = new ImportBatch();
    return taken;
  }

  private keep(piece: Buffer): void {
    if (this.isOverlong || piece.length === 0) return;
    if (this.keptBytes + piece.length > KEPT_BYTES) {
      this.isOverlong = true;
      this.keptBytes = 0;
      // Without a header no line can be parsed, so reject the file without reading to the end of the line.
      if (this.parseLine === null)
        throw validationProblem([{ code: 'value_too_large', message: TOO_LONG.message }]);
      return;
    }
    this.keptBytes += piece.copy(this.kept, this.keptBytes);
  }

  private endKeptLine(): void {
    const end = this.keptBytes;
    this.keptBytes = 0;
    if (this.isOverlong) {
      this.isOverlong = false;
      this.lineNumber++;
      this.batch.rows++;
      this.grouper.addUnreadable(this.lineNumber, TOO_LONG);
    } else if (end > 0 && !(this.lineNumber === 0 && BOM.equals(this.kept.subarray(0, end)))) {
      this.line(this.kept, 0, end, isUtf8(this.kept.subarray(0, end)));
    }
  }

  /** Parses complete lines. One UTF-8 check covers all of them; only if it fails, each line is checked separately. */
  private lines(bytes: Buffer, start: number, end: number): void {
    const isValid = isUtf8(bytes.subarray(start, end));
    for (let at = start; at < end; ) {
      let lineEnd = at;
      while (bytes[lineEnd] !== NEWLINE) lineEnd++;
      this.line(bytes, at, lineEnd, isValid || isUtf8(bytes.subarray(at, lineEnd)));
      at = lineEnd + 1;
    }
  }

  private line(bytes: Buffer, from: number, to: number, isValid: boolean): void {
    const end = to > from && bytes[to - 1] === RETURN ? to - 1 : to;
    const isFirst = ++this.lineNumber === 1;
    const start = isFirst && BOM.equals(bytes.subarray(from, from + BOM.length)) ? from + BOM.length : from;
    if (this.parseLine === null) {
      if (!isValid)
        throw validationProblem([{ code: 'invalid_format', message: { key: 'import.header_encoding' } }]);
      const form = readHeader(this.columns, bytes.toString('utf8', start, end), this.decimal);
      this.notation = form.notation;
      this.parseLine = csvLineParser(form);
      return;
    }
    if (start === end) return;
    this.batch.rows++;
    if (end - start > LIMITS.importLineBytes) return this.grouper.addUnreadable(this.lineNumber, TOO_LONG);
    if (!isValid) return this.grouper.addUnreadable(this.lineNumber, NOT_UTF8);
    const finished = this.grouper.add(this.parseLine(bytes, start, end), this.lineNumber);
    if (this.notation?.question) this.questionLine ??= this.lineNumber;
    if (finished !== null) this.batch.days.push(finished);
  }
}
