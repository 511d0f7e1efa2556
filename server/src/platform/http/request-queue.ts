import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Of a response only its end matters here. */
type Closable = Pick<EventEmitter, 'on'>;

/** What a server does with its requests: one object for all of them, since closures per request cost a tenth of a short one. */
export type RequestHandlers<Request, Response> = {
  start(request: Request, response: Response): void;
  reject(request: Request, response: Response, waitedMs: number): void;
};

type QueuedRequest<Request, Response> = {
  readonly queuedAt: number;
  readonly request: Request;
  readonly handlers: RequestHandlers<Request, Response>;
};

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
export class RequestQueue<Request = IncomingMessage, Response extends Closable = ServerResponse> {
  private working = 0;
  private readonly waiting = new Map<Response, QueuedRequest<Request, Response>>();
  private readonly rule: RequestQueueRule;
  private readonly now: () => number;
  private timer: NodeJS.Timeout | null = null;

  /** `now` is monotonic milliseconds. */
  constructor(rule: RequestQueueRule, now: () => number) {
    this.rule = rule;
    this.now = now;
  }

  get inWork(): number {
    return this.working;
  }

  get inQueue(): number {
    return this.waiting.size;
  }

  /** Starts the request now or later, or else rejects it; neither once the response is closed. */
  enter(request: Request, response: Response, handlers: RequestHandlers<Request, Response>): void {
    if (this.working < this.rule.atOnce) this.begin(request, response, handlers);
    else if (this.waiting.size >= this.rule.maxWaiting) handlers.reject(request, response, 0);
    else {
      response.on('close', () => this.waiting.delete(response));
      this.waiting.set(response, { queuedAt: this.now(), request, handlers });
      this.timer ??= this.expireLater(this.rule.maxWaitMs);
    }
  }

  /** Frees the place of a request that is answered, or that goes on for as long as its client sends. */
  leave(response: Response): void {
    const place = response as Placed;
    if (place[HOLDER] !== this) return;
    place[HOLDER] = undefined;
    this.working--;
    const [next] = this.waiting;
    if (next === undefined) return;
    const [waited, { request, handlers }] = next;
    this.waiting.delete(waited);
    this.begin(request, waited, handlers);
  }

  private begin(request: Request, response: Response, handlers: RequestHandlers<Request, Response>): void {
    this.working++;
    (response as Placed)[HOLDER] = this;
    response.on('close', leaveOnClose);
    handlers.start(request, response);
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
    for (const [response, { queuedAt, request, handlers }] of this.waiting) {
      if (queuedAt > latest) {
        this.timer = this.expireLater(queuedAt - latest);
        return;
      }
      this.waiting.delete(response);
      handlers.reject(request, response, now - queuedAt);
    }
  }
}

/** The queue in which a response has a place. A set of responses would keep them alive for the garbage collector. */
const HOLDER = Symbol('holder');
type Placed = { [HOLDER]?: { leave(response: unknown): void } | undefined };

function leaveOnClose(this: Placed): void {
  this[HOLDER]?.leave(this);
}
