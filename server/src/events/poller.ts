import { setTimeout as delay } from 'node:timers/promises';
import type { EventType } from '@saldo/api';
import type { Logger } from 'pino';
import { DatabaseUnavailable } from '../platform/db/connection.ts';
import type { Primary } from '../platform/db/database.ts';
import { type EventFilter, listNewTypes, readHorizon, type Tenant } from './store.ts';

/** Upper bound for the delay between the commit of an event and the answer to a waiting reader. */
const POLL_EVERY_MS = 200;
/** Memory limit. Further readers are answered at once, as without `wait`. */
const MAX_READERS = 5_000;

/** What a reader waits for. */
export type WaitFilter = Pick<EventFilter, 'types'> & {
  /** Null: all feeds. */
  readonly tenants: readonly Tenant[] | null;
  /** The last fingerprint that the reader has seen. Absent: it waits for events only. */
  readonly fingerprint?: string;
};

type Reader = WaitFilter & {
  /** The reader has seen all events up to this sequence. */
  seenTo: number;
  end(horizon: number | null): void;
};

/** A text that changes with records that have no events. */
export type ReadFingerprint = (db: Primary) => Promise<string>;

/**
 * Ends the waiting of long polls. All waiting readers of a process share one poll of the log, so a reader costs no query
 * while it waits, and no connection. Unlike LISTEN, polling works behind a connection pooler.
 */
export class EventPoller {
  private readonly db: Primary;
  private readonly logger: Logger;
  private readonly readFingerprint: ReadFingerprint;
  private readonly readers = new Set<Reader>();
  private readonly stopping = new AbortController();
  private polling: Promise<void> | null = null;

  constructor(db: Primary, logger: Logger, readFingerprint: ReadFingerprint = async () => '') {
    this.db = db;
    this.logger = logger;
    this.readFingerprint = readFingerprint;
  }

  get waiting(): number {
    return this.readers.size;
  }

  /**
   * Waits for an event beyond the horizon `seenTo`, or for another fingerprint. Returns the horizon that includes the
   * event, or null after `ms`, when `signal` is aborted and when the process stops.
   */
  wait(filter: WaitFilter, seenTo: number, ms: number, signal: AbortSignal): Promise<number | null> {
    if (this.stopping.signal.aborted || signal.aborted || this.readers.size >= MAX_READERS) {
      return Promise.resolve(null);
    }
    return new Promise((resolve) => {
      const end = (horizon: number | null) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.readers.delete(reader);
        resolve(horizon);
      };
      const giveUp = () => end(null);
      const reader: Reader = { ...filter, seenTo, end };
      const timer = setTimeout(giveUp, ms);
      signal.addEventListener('abort', giveUp);
      this.readers.add(reader);
      this.polling ??= this.pollWhileNeeded();
    });
  }

  /** Ends all waiting. Resolves when the poll in progress has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const reader of this.readers) reader.end(null);
    await this.polling;
  }

  private async pollWhileNeeded(): Promise<void> {
    const { signal } = this.stopping;
    while (this.readers.size > 0) {
      await delay(POLL_EVERY_MS, null, { signal }).catch(() => null);
      if (signal.aborted) break;
      // Readers keep waiting while the database is away. The availability listener logs that.
      await this.poll().catch((error: unknown) => {
        if (!(error instanceof DatabaseUnavailable)) this.logger.error({ err: error }, 'event poll failed');
      });
    }
    this.polling = null;
  }

  private async poll(): Promise<void> {
    const readers = [...this.readers];
    if (readers.length === 0) return;
    const { horizon } = await readHorizon(this.db);
    await this.endForEvents(readers, horizon);
    const watchers = readers.filter(({ fingerprint }) => fingerprint !== undefined);
    if (watchers.length === 0) return;
    const fingerprint = await this.readFingerprint(this.db);
    for (const reader of watchers) if (reader.fingerprint !== fingerprint) reader.end(horizon);
  }

  private async endForEvents(readers: readonly Reader[], horizon: number): Promise<void> {
    const seenToByAll = readers.reduce((least, { seenTo }) => Math.min(least, seenTo), horizon);
    if (seenToByAll === horizon) return;
    const found = new Map<Tenant, EventType[]>();
    for (const { tenant, type } of await listNewTypes(this.db, seenToByAll, horizon)) {
      found.set(tenant, [...(found.get(tenant) ?? []), type]);
    }
    for (const reader of readers) {
      if (isConcerned(reader, found)) reader.end(horizon);
      else reader.seenTo = Math.max(reader.seenTo, horizon);
    }
  }
}

const isConcerned = ({ tenants, types }: WaitFilter, found: ReadonlyMap<Tenant, EventType[]>): boolean =>
  (tenants ?? [...found.keys()]).some((tenant) =>
    found.get(tenant)?.some((type) => types === null || types.includes(type)),
  );
