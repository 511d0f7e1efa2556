import { once } from 'node:events';
import type { Logger } from 'pino';

/** Where a signal is sent: traces or logs. */
export type OtlpTarget = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Time between two requests, unless a batch is full. */
  readonly delayMs: number;
};

/** Records in the queue of a signal and in a request, as the OpenTelemetry specification has them, and the time of a stop. */
export const EXPORT_LIMITS = { queued: 2048, batch: 512, stopMs: 2000 } as const;

/**
 * Sends records in batches, one request at a time. Requests of clients never wait for it: when the collector is slow or
 * down, records that do not fit into the queue and those of a failed request are dropped and counted.
 */
export class OtlpExporter<T> {
  readonly #target: OtlpTarget;
  readonly #write: (records: readonly T[]) => object;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #queue: T[] = [];
  #sending: Promise<void> | null = null;
  #isFailing = false;
  /** Records that were not exported. */
  dropped = 0;

  constructor(target: OtlpTarget, write: (records: readonly T[]) => object, logger: Logger) {
    this.#target = target;
    this.#write = write;
    this.#logger = logger;
    this.#timer = setInterval(() => this.#send(), target.delayMs).unref();
  }

  add(record: T): void {
    if (this.#queue.length >= EXPORT_LIMITS.queued) {
      this.dropped++;
      return;
    }
    this.#queue.push(record);
    if (this.#queue.length >= EXPORT_LIMITS.batch) this.#send();
  }

  /** Sends what is left, for a bounded time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const deadline = AbortSignal.timeout(EXPORT_LIMITS.stopMs);
    while (!deadline.aborted && (this.#sending !== null || this.#queue.length > 0)) {
      this.#send();
      await Promise.race([this.#sending, once(deadline, 'abort')]);
    }
    this.dropped += this.#queue.length;
    this.#queue = [];
  }

  #send(): void {
    if (this.#sending !== null || this.#queue.length === 0) return;
    const batch = this.#queue.splice(0, EXPORT_LIMITS.batch);
    this.#sending = this.#post(batch).then(
      () => {
        this.#isFailing = false;
      },
      (error: unknown) => {
        this.dropped += batch.length;
        // Once per outage. Only the reason: messages of `fetch` may contain the address and the headers.
        if (!this.#isFailing)
          this.#logger.warn({ reason: reasonOf(error) }, 'telemetry not exported: its records are dropped');
        this.#isFailing = true;
      },
    );
    void this.#sending.then(() => {
      this.#sending = null;
      if (this.#queue.length >= EXPORT_LIMITS.batch) this.#send();
    });
  }

  async #post(batch: readonly T[]): Promise<void> {
    const { url, headers, timeoutMs } = this.#target;
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(this.#write(batch)),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new CollectorRefused(`the collector answered ${response.status}`);
  }
}

class CollectorRefused extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof CollectorRefused) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}
