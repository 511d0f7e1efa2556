import type { EventEmitter } from 'node:events';

/** Of a response only its end matters here. */
type Response = Pick<EventEmitter, 'on'>;

type Reject = (waitedMs: number) => void;
type QueuedRequest = { readonly queuedAt: number; readonly start: () => void; readonly reject: Reject };

/** Upper bound for memory: as many requests with the first 64 KB of a body each take about 300 MB. */
export const MAX_WAITING = 4096;

export type RequestQueueRule = {
  /** Requests in work at once. */
  readonly atOnce: number;
  /** Beyond it a request is rejected without waiting. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
};

/**
 * Shed load by waiting time. A bounded number of requests is in work; the others wait in order of arrival, before any
 * work is done for them, and their sockets hold back the bodies. Only a request that has waited `maxWaitMs` is
 * rejected: rejecting costs a third of answering, so rejecting by count alone would halve what is answered.
 */
export class RequestQueue {
  private readonly working = new Set<Response>();
  private readonly waiting = new Map<Response, QueuedRequest>();
  private readonly rule: RequestQueueRule;
  private readonly now: () => number;
  private timer: NodeJS.Timeout | null = null;

  /** `now` is monotonic milliseconds. */
  constructor(rule: RequestQueueRule, now: () => number) {
    this.rule = rule;
    this.now = now;
  }

  get inWork(): number {
    return this.working.size;
  }

  get inQueue(): number {
    return this.waiting.size;
  }

  /** Calls `start` now or later, or else `reject`; neither once the response is closed. */
  enter(response: Response, start: () => void, reject: Reject): void {
    if (this.working.size < this.rule.atOnce) this.begin(response, start);
    else if (this.waiting.size >= this.rule.maxWaiting) reject(0);
    else {
      response.on('close', () => this.waiting.delete(response));
      this.waiting.set(response, { queuedAt: this.now(), start, reject });
      this.timer ??= this.expireLater(this.rule.maxWaitMs);
    }
  }

  /** Frees the place of a request that is answered, or that goes on for as long as its client sends. */
  leave(response: Response): void {
    if (!this.working.delete(response)) return;
    const [next] = this.waiting;
    if (next === undefined) return;
    this.waiting.delete(next[0]);
    this.begin(next[0], next[1].start);
  }

  private begin(response: Response, start: () => void): void {
    this.working.add(response);
    response.on('close', () => this.leave(response));
    start();
  }

  private expireLater(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.expire(), ms).unref();
  }

  /** Also while nothing in work ends, as with a stalled database. */
  private expire(): void {
    const { maxWaitMs } = this.rule;
    const now = this.now();
    const latest = now - maxWaitMs;
    this.timer = null;
    for (const [response, { queuedAt, reject }] of this.waiting) {
      if (queuedAt > latest) {
        this.timer = this.expireLater(queuedAt - latest);
        return;
      }
      this.waiting.delete(response);
      reject(now - queuedAt);
    }
  }
}
