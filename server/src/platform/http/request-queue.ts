import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyArrivals } from './body-arrivals.ts';

type Closable = Pick<EventEmitter, 'on'>;

/** Shared by all requests of a server, because closures per request cost a tenth of a short request. */
export type RequestHandlers<Request, Response> = {
  start(request: Request, response: Response): void;
  reject(request: Request, response: Response, waitedMs: number): void;
};

type QueuedRequest<Request, Response> = {
  readonly queuedAt: number;
  readonly request: Request;
  readonly handlers: RequestHandlers<Request, Response>;
};

/** Memory limit: this many requests with the first 64 KB of a body each take about 300 MB. */
export const MAX_WAITING = 4096;

export type RequestQueueRule = {
  /** Maximum number of requests in progress. */
  readonly atOnce: number;
  /** A request beyond this number is rejected at once. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
};

/**
 * Sheds load by waiting time. The number of requests in progress is limited. Other requests wait in order of arrival:
 * no work is done for them, and backpressure stops their bodies. A request is rejected only after `maxWaitMs`,
 * because a rejection costs a third of an answer: rejecting by count alone would halve the throughput. A request that
 * is authorised while its body is still arriving leaves its place, and enters again when the body is complete.
 */
export class RequestQueue<Request = IncomingMessage, Response extends Closable = ServerResponse> {
  /** Requests that have left their place until their body is complete. */
  readonly arrivals = new BodyArrivals();
  private working = 0;
  private rejectedCount = 0;
  private readonly waiting = new Map<Response, QueuedRequest<Request, Response>>();
  private readonly rule: RequestQueueRule;
  private readonly now: () => number;
  private timer: NodeJS.Timeout | null = null;

  /** `now` returns monotonic milliseconds. */
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

  /** Requests rejected since the start. */
  get rejected(): number {
    return this.rejectedCount;
  }

  /** Starts the request now or later, or rejects it. Does neither once the response is closed. */
  enter(request: Request, response: Response, handlers: RequestHandlers<Request, Response>): void {
    if (this.working < this.rule.atOnce) this.begin(request, response, handlers);
    else if (this.waiting.size >= this.rule.maxWaiting) this.reject(request, response, handlers, 0);
    else {
      response.on('close', () => this.waiting.delete(response));
      this.waiting.set(response, { queuedAt: this.now(), request, handlers });
      this.timer ??= this.expireLater(this.rule.maxWaitMs);
    }
  }

  /** Frees the place of a request that was answered, whose body is streamed, or whose body is still arriving. */
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

  private reject(
    request: Request,
    response: Response,
    handlers: RequestHandlers<Request, Response>,
    waitedMs: number,
  ): void {
    this.rejectedCount++;
    handlers.reject(request, response, waitedMs);
  }

  private expireLater(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.expire(), ms).unref();
  }

  /**
   * Runs on a timer, so that requests are rejected even if none in progress ends, for example with a stalled
   * database.
   */
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
      this.reject(request, response, handlers, now - queuedAt);
    }
  }
}

/** The queue that counts the response. A `Set` of responses would delay their garbage collection. */
const HOLDER = Symbol('holder');
type Placed = { [HOLDER]?: { leave(response: unknown): void } | undefined };

function leaveOnClose(this: Placed): void {
  this[HOLDER]?.leave(this);
}
