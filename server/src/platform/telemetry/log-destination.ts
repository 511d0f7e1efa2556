import { fstatSync, write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { within } from '../timeout.ts';

const FLUSH_MS = 500;
const BATCH_LENGTH = 32 * 1024;
/** Memory limit: lines beyond it are dropped while earlier ones cannot be written. */
const MAX_WAITING_LENGTH = 1024 * 1024;
/** How long a stop waits for the last lines, which a pipe without a reader never takes. */
const LAST_LINES_MS = 1_000;

type LogStream = NodeJS.WriteStream & { readonly fd: number };

/** Writes the text, or returns the part that could not be written with the reason. */
type Write = (
  stream: LogStream,
  text: string,
) => Promise<{ readonly rest: string; readonly error: Error } | null>;

/** A file is written in the thread pool, because a slow disk must not block the event loop. */
const writeFile: Write = ({ fd }, text) => {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<Write>>>();
  const bytes = Buffer.from(text);
  const writeFrom = (start: number) =>
    write(fd, bytes, start, (error, count) => {
      if (error !== null) resolve({ rest: bytes.toString('utf8', start), error });
      else if (start + count < bytes.length) writeFrom(start + count);
      else resolve(null);
    });
  writeFrom(0);
  return promise;
};

/** Node writes to pipes and sockets without blocking. A thread that waits for their reader would prevent the exit. */
const writeStream: Write = (stream, text) => {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<Write>>>();
  stream.write(text, (error) => resolve(error ? { rest: text, error } : null));
  return promise;
};

/**
 * Writes log lines to standard error, in batches, because one system call per line would cost more than many requests
 * do. Lines that cannot be written, for example because the disk is full, are dropped and counted: the log must not stop
 * the server.
 */
export class LogDestination implements DestinationStream {
  private readonly stream: LogStream;
  private readonly writeText: Write;
  private readonly format: (line: string) => string;
  private waiting = '';
  private writing: Promise<void> | null = null;
  private droppedCount = 0;
  /** Dropped lines that the log does not mention yet. */
  private unreported = 0;
  private reason = '';
  /** The last line that was written has no end. */
  private isTorn = false;

  /** `format` gets each line as pino writes it, with its end. */
  constructor(stream: LogStream, format: (line: string) => string = (line) => line) {
    this.stream = stream;
    this.format = format;
    const stat = fstatSync(stream.fd);
    this.writeText = stat.isFIFO() || stat.isSocket() ? writeStream : writeFile;
    // Each write has its own result. Without a listener the event would end the process.
    stream.on('error', () => {});
    setInterval(() => this.writeBatch(), FLUSH_MS).unref();
    process.on('exit', () => this.writeAtExit());
  }

  /** Lines that could not be written since the start. */
  get dropped(): number {
    return this.droppedCount;
  }

  write(logged: string): void {
    const line = this.format(logged);
    if (this.waiting.length + line.length > MAX_WAITING_LENGTH) {
      this.drop(1, this.reason || 'its reader is too slow');
      return;
    }
    this.waiting += line;
    if (this.waiting.length >= BATCH_LENGTH) this.writeBatch();
  }

  /** Waits until all lines are written, but not for a log that takes none. */
  async flush(): Promise<void> {
    const deadline = performance.now() + LAST_LINES_MS;
    while (this.waiting !== '' || this.writing !== null) {
      this.writeBatch();
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || this.writing === null) return;
      await within(leftMs, this.writing, () => {});
      if (this.reason !== '') return;
    }
  }

  private drop(lines: number, reason: string): void {
    this.droppedCount += lines;
    this.unreported += lines;
    this.reason = reason;
  }

  /** Writes one batch at a time. The report of dropped lines is written before later lines. */
  private writeBatch(): void {
    if (this.writing !== null || (this.waiting === '' && this.unreported === 0)) return;
    this.writing = (this.unreported > 0 ? this.writeReport() : this.writeWaiting()).finally(() => {
      this.writing = null;
    });
  }

  private async writeWaiting(): Promise<void> {
    const text = this.waiting;
    this.waiting = '';
    const failure = await this.writeText(this.stream, text);
    if (failure === null) return;
    const { rest, error } = failure;
    this.isTorn = rest.length < text.length && !text.slice(0, -rest.length).endsWith('\n');
    this.drop(rest.split('\n').length - 1, (error as NodeJS.ErrnoException).code ?? error.message);
  }

  private async writeReport(): Promise<void> {
    const { unreported: lines, reason } = this;
    const report = { level: 40, time: Date.now(), lines, msg: `log lines could not be written (${reason})` };
    const text = `${this.isTorn ? '\n' : ''}${this.format(`${JSON.stringify(report)}\n`)}`;
    const failure = await this.writeText(this.stream, text);
    if (failure === null) {
      this.unreported -= lines;
      if (this.unreported === 0) this.reason = '';
    }
    this.isTorn = failure !== null && (this.isTorn || failure.rest.length < text.length);
  }

  /** For lines that were not flushed, for example after an uncaught exception. */
  private writeAtExit(): void {
    if (this.waiting === '') return;
    try {
      if (this.writeText === writeFile) writeSync(this.stream.fd, this.waiting);
      else this.stream.write(this.waiting);
    } catch {
      // The log cannot be written, and the process ends.
    }
  }
}
