import { LIMITS } from '@saldo/api';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type Tenant, tenantsOf } from '../events/store.ts';
import { DatabaseUnavailable } from '../platform/db/connection.ts';
import type { Database } from '../platform/db/database.ts';
import { clientAddress, userAgentOf } from '../platform/http/client-address.ts';
import { withoutSecrets } from '../platform/telemetry/request-log.ts';
import { Batch } from './batch.ts';
import { writeBatches } from './store.ts';

const WRITE_EVERY_MS = 5_000;
/** How often the log looks whether there are so many requests that they are written earlier. */
const LOOK_EVERY_MS = 500;
const WRITTEN_FROM = 2_000;
/** Batches of one transaction. */
const WRITTEN_AT_ONCE = 100;

/** Limits of the log, of all owners together. */
export const REQUEST_LOG_LIMITS = {
  /** Requests in memory that wait to be written; further ones are dropped and counted. With long paths they take 30 MB. */
  waiting: 20_000,
  /** Requests in the database; beyond it the oldest ones are deleted. */
  stored: 10_000_000,
};

type LogOptions = { readonly now: () => number; readonly logger: Logger; readonly maxWaiting: number };

/**
 * Logs the requests of keys and users for their owners. A request only adds a line to a batch in memory, after its answer
 * was sent; batches are written every few seconds. When they cannot be written, they wait, up to a limit.
 */
export class OwnerRequestLog {
  readonly #db: Database;
  readonly #options: LogOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Map<Tenant, Batch>();
  /** Full batches and those of a write that failed, oldest first. */
  #full: Batch[] = [];
  #waiting = 0;
  #lastWrite: Promise<void> = Promise.resolve();
  #writtenAt = performance.now();
  /** The last write failed, possibly after its commit. */
  #isRepeated = false;
  /** Requests that were not logged. */
  dropped = 0;

  constructor(db: Database, options: LogOptions) {
    this.#db = db;
    this.#options = options;
    this.#timer = setInterval(() => this.#writeIfDue(), LOOK_EVERY_MS).unref();
  }

  /**
   * Call it when the answer was sent. Requests without a valid key or session have no owner. `route` is that of the
   * router: Fastify makes a new object each time that a request is asked for it.
   */
  add(request: FastifyRequest, route: string | undefined, status: number, seconds: number): void {
    const { principal, method, id, url } = request;
    if (!principal || principal.owner === null) return;
    if (this.#waiting >= this.#options.maxWaiting) {
      this.dropped++;
      return;
    }
    const at = this.#options.now();
    this.#waiting++;
    this.#batchOf(tenantsOf(principal.owner)[0], at).add({
      at,
      ms: Math.round(seconds * 1e5) / 100,
      method,
      route: templateOf(route),
      path: withoutSecrets(url).slice(0, LIMITS.loggedPathLength),
      status,
      requestId: id,
      caller: principal.actor,
      address: clientAddress(request),
      userAgent: userAgentOf(request),
      problem: request.problemCode,
    });
  }

  #batchOf(tenant: Tenant, at: number): Batch {
    const open = this.#open.get(tenant);
    if (open !== undefined && !open.isClosedFor(at)) return open;
    if (open !== undefined) this.#full.push(open);
    const batch = new Batch(tenant);
    this.#open.set(tenant, batch);
    return batch;
  }

  /** Writes all requests that wait. Writes never overlap, because a failed one is repeated by the next. */
  flush(): Promise<void> {
    this.#lastWrite = this.#lastWrite.catch(() => {}).then(() => this.#write());
    return this.#lastWrite;
  }

  async #write(): Promise<void> {
    this.#writtenAt = performance.now();
    this.#full.push(...this.#open.values());
    this.#open.clear();
    while (this.#full.length > 0) {
      const batches = this.#full.slice(0, WRITTEN_AT_ONCE);
      const isRepeated = this.#isRepeated;
      this.#isRepeated = true;
      await writeBatches(this.#db, batches, isRepeated);
      this.#isRepeated = false;
      this.#full.splice(0, batches.length);
      this.#waiting -= batches.reduce((sum, { count }) => sum + count, 0);
    }
  }

  #writeIfDue(): void {
    const isDue = performance.now() - this.#writtenAt >= WRITE_EVERY_MS;
    if (this.#waiting > 0 && (isDue || this.#waiting >= WRITTEN_FROM))
      this.flush().catch((error: unknown) => this.#report(error));
  }

  /** A lost database is logged where it is detected. */
  #report(error: unknown): void {
    if (!(error instanceof DatabaseUnavailable))
      this.#options.logger.error({ err: error }, 'requests not logged: the next write repeats them');
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush().catch((err: unknown) => {
      this.dropped += this.#waiting;
      this.#options.logger.warn({ err, requests: this.#waiting }, 'last requests not logged');
    });
  }
}

const templates = new Map<string, string>();

/** From the form of the router to that of the API's documentation: `/v1/contracts/{contract_id}`. */
function templateOf(route: string | undefined): string | null {
  if (route === undefined) return null;
  const known = templates.get(route);
  if (known !== undefined) return known;
  const template = route.replaceAll(/:(\w+)/g, '{$1}');
  templates.set(route, template);
  return template;
}
