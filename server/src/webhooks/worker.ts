import type { Logger } from 'pino';
import type { EventIds } from '../events/ids.ts';
import type { EventPoller } from '../events/poller.ts';
import type { Tenant } from '../events/store.ts';
import { eventJson } from '../events/wire.ts';
import type { Sealer } from '../platform/auth/sealed-secrets.ts';
import { type MovableClock, monotonicNow } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Job } from '../platform/jobs.ts';
import { type Claim, claimDue } from './claim.ts';
import { fanOutEvents, listFeeds } from './fan-out.ts';
import { type Outcome, recordOutcomes } from './results.ts';
import type { Send, SendResult } from './send.ts';
import { sendSigned, UNSIGNED } from './signed-send.ts';

/** Upper bound for the delay of a planned try. New events and finished tries wake the worker earlier. */
const LOOK_EVERY_MS = 1_000;
/** Tries in progress get this time when the platform stops. Those that take longer are made again by another process. */
const STOP_MS = 5_000;
const RESTART_AFTER_MS = 1_000;

export type WorkerDependencies = {
  readonly db: Database;
  readonly clock: MovableClock;
  readonly logger: Logger;
  readonly send: Send;
  readonly sealer: Sealer;
  readonly random: () => number;
  readonly ids: EventIds;
  /** Waits until the reads of receivers include all events. */
  readonly untilReplicated?: () => Promise<void>;
};

const EXPIRED: SendResult = {
  statusCode: null,
  durationMs: 0,
  response: null,
  error: { key: 'webhook.expired' },
};

/** Sends deliveries that are due, and records what came back. */
export function createWebhookWorker({ db, clock, logger, send, sealer, random, ids }: WorkerDependencies) {
  const inProgress = new Map<string, number>();
  let failingInProgress = 0;
  const tries = new Set<Promise<void>>();
  let outcomes: Outcome[] = [];
  const counts = { succeeded: 0, failed: 0, interrupted: 0 };
  const giveUp = new AbortController();
  let wake = () => {};

  async function attempt(claim: Claim): Promise<SendResult | null> {
    const { tenant, event_sequence: sequence, event_occurred_at: occurredAt, event_data: data } = claim;
    if (data === null) return EXPIRED;
    const event = { sequence, number: claim.event_number, type: claim.event_type, occurredAt, data };
    const body = eventJson(ids, tenant, event);
    const endpoint = { ...claim, id: claim.endpoint_id };
    const sent = { id: ids.idOf(tenant, event), body };
    const result = await sendSigned({ send, sealer, clock }, endpoint, sent, giveUp.signal);
    if (result === UNSIGNED)
      logger.error(
        { endpoint: endpoint.id },
        'webhook not sent: no key of SECRETS_KEY_FILE opens its secret',
      );
    return result.error !== null && giveUp.signal.aborted ? null : result;
  }

  function begin(claim: Claim): void {
    const { endpoint_id: endpoint } = claim;
    const failing = claim.failing_since === null ? 0 : 1;
    inProgress.set(endpoint, (inProgress.get(endpoint) ?? 0) + 1);
    failingInProgress += failing;
    const running = attempt(claim).then((result) => {
      const left = (inProgress.get(endpoint) ?? 0) - 1;
      if (left > 0) inProgress.set(endpoint, left);
      else inProgress.delete(endpoint);
      failingInProgress -= failing;
      outcomes.push({ claim, result, endedAt: clock.now() });
      counts[result === null ? 'interrupted' : result.error === null ? 'succeeded' : 'failed']++;
      tries.delete(running);
      wake();
    });
    tries.add(running);
  }

  /** Finished tries of one turn share a transaction. */
  async function record(): Promise<void> {
    const finished = outcomes;
    if (finished.length === 0) return;
    outcomes = [];
    try {
      const disabled = await db.transaction((tx) => recordOutcomes(tx, finished, clock.now(), random));
      for (const endpoint of disabled) logger.warn(endpoint, 'webhook endpoint disabled');
    } catch (error) {
      outcomes.unshift(...finished);
      throw error;
    }
  }

  /** Records what has ended, and begins what is due. */
  async function turn(): Promise<void> {
    await record();
    const busy = { byEndpoint: inProgress, failing: failingInProgress };
    for (const claim of await claimDue(db, busy, clock.now())) begin(claim);
  }

  /** Waits for the tries in progress, at most `ms`, and records them. */
  async function finish(ms: number): Promise<void> {
    const timer = setTimeout(() => giveUp.abort(), ms);
    await Promise.all(tries);
    clearTimeout(timer);
    await record();
  }

  return {
    turn,
    finish,
    /** Resolves when a try has ended, or when `wake` is called. */
    nextWake: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      }),
    wake: () => wake(),
    /** Tries since the start, by outcome. */
    counts: () => counts,
  };
}

export type WebhookWorker = ReturnType<typeof createWebhookWorker>;

/** Runs the worker until the platform stops. A failure ends the run; the next one continues from the database. */
export function webhookJob(
  { db, clock, untilReplicated }: WorkerDependencies,
  worker: WebhookWorker,
  poller: EventPoller,
  stopMs = STOP_MS,
): Job {
  const stopping = new AbortController();
  let lookAt = 0;
  let tenants: readonly Tenant[] = [];
  let arrived: { horizon: number } | null = null;
  let waiting = new AbortController();

  /** Creates deliveries of new events, and waits for the next ones while tries begin and end. */
  async function look(): Promise<void> {
    const known = arrived;
    arrived = null;
    waiting.abort();
    waiting = new AbortController();
    if (known === null) {
      lookAt = monotonicNow() + LOOK_EVERY_MS;
      tenants = await listFeeds(db);
    }
    const seenTo = await fanOutEvents(db, () => clock.now(), known, untilReplicated);
    // Without endpoints the log is not polled.
    if (tenants.length === 0) return;
    void poller.wait({ tenants, types: null }, seenTo, LOOK_EVERY_MS, waiting.signal).then((horizon) => {
      if (horizon === null) return;
      arrived = { horizon };
      worker.wake();
    });
  }

  return {
    name: 'webhooks',
    everyMs: RESTART_AFTER_MS,
    abort() {
      stopping.abort();
      waiting.abort();
      worker.wake();
    },
    async run() {
      while (!stopping.signal.aborted) {
        const woken = worker.nextWake();
        if (arrived !== null || monotonicNow() >= lookAt) await look();
        await worker.turn();
        if (stopping.signal.aborted) break;
        const timer = setTimeout(worker.wake, Math.max(0, lookAt - monotonicNow()));
        await woken;
        clearTimeout(timer);
      }
      await worker.finish(stopMs);
    },
  };
}
