import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { pino } from 'pino';
import { EventPoller } from '../src/events/poller.ts';
import { appendEvents, tenantsOf } from '../src/events/store.ts';
import type { Owner } from '../src/platform/auth/principal.ts';
import { monotonicNow, movableClock } from '../src/platform/clock.ts';
import { startJobs } from '../src/platform/jobs.ts';
import { fanOutEvents } from '../src/webhooks/fan-out.ts';
import { createSender, senderSettings } from '../src/webhooks/send.ts';
import { createWebhookWorker, webhookJob } from '../src/webhooks/worker.ts';
import type { TestPlatform } from './harness.ts';

export type Received = {
  readonly at: number;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
};

export type Answering = (received: Received, response: http.ServerResponse) => void;

export const answerStatus =
  (status: number, body = '', headers: Record<string, string> = {}): Answering =>
  (_received, response) =>
    void response.writeHead(status, headers).end(body);

/** A receiver of webhooks on the loopback address, which answers 204 unless the test sets another answer. */
export async function startReceiver(answer: Answering = answerStatus(204)) {
  const received: Received[] = [];
  let answering = answer;
  let notify = () => {};
  const server = http.createServer(async (request, response) => {
    const at = Date.now();
    const one = { at, path: request.url ?? '', headers: request.headers, body: await text(request) };
    received.push(one);
    notify();
    answering(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const close = () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    return closed;
  };
  after(close);
  return {
    url,
    received,
    close,
    answer(next: Answering) {
      answering = next;
    },
    /** Resolves when that many requests have arrived. */
    async count(wanted: number): Promise<void> {
      while (received.length < wanted) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A worker that a test runs turn by turn, or as the job of a process. Private addresses are allowed. */
export function webhookWorkerOf(platform: TestPlatform, settings: { totalMs?: number } = {}) {
  const sender = createSender(senderSettings(true, monotonicNow, settings.totalMs));
  after(() => sender.close());
  const logger = pino({ level: 'silent' });
  const { db, sealer, eventIds: ids } = platform;
  const clock = movableClock(platform.clock);
  const dependencies = { db, clock, logger, sealer, send: sender.send, random: () => 0, ids };
  const worker = createWebhookWorker(dependencies);
  return {
    /** Creates the deliveries of new events, sends what is due, and records what came back. */
    async deliver(): Promise<void> {
      await fanOutEvents(db, () => clock.now());
      await worker.turn();
      await worker.finish(60_000);
    },
    /** Runs until the returned function is called. Tries in progress are then interrupted after `stopMs`. */
    start(stopMs: number): () => Promise<void> {
      const poller = new EventPoller(db, logger);
      const jobs = startJobs([webhookJob(dependencies, worker, poller, stopMs)], logger);
      return async () => {
        await Promise.all([poller.stop(), jobs.stop()]);
      };
    },
  };
}

/** Appends an event of a customer for the owner, as a change does. */
export const appendEvent = (
  platform: TestPlatform,
  owner: Owner,
  id = 'cust_1',
  type: 'customer.updated' | 'customer.assigned' = 'customer.updated',
) => {
  const tenants = [tenantsOf(owner)[0]];
  const data = { object: 'customer' as const, id, changed: [] };
  const event = type === 'customer.updated' ? { type, tenants, data } : { type, tenants, data };
  return platform.db.transaction((tx) => appendEvents(tx, [event], platform.clock.now()));
};
