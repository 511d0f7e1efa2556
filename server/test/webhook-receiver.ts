import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { pino } from 'pino';
import { appendEvents, type NewEvent, tenantsOf } from '../src/events/store.ts';
import type { Owner } from '../src/platform/auth/principal.ts';
import { monotonicNow, movableClock } from '../src/platform/clock.ts';
import { createSender, senderSettings } from '../src/webhooks/send.ts';
import { createWebhookWorker } from '../src/webhooks/worker.ts';
import type { TestPlatform } from './harness.ts';

export type Received = {
  readonly at: number;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
};

export type Answering = (received: Received, response: http.ServerResponse) => void;

export const answerStatus =
  (status: number, text = '', headers: Record<string, string> = {}): Answering =>
  (_received, response) =>
    void response.writeHead(status, headers).end(text);

/** A receiver of webhooks on the loopback address, which answers 204 unless the test sets another answer. */
export async function startReceiver(answer: Answering = answerStatus(204)) {
  const received: Received[] = [];
  let answering = answer;
  let notify = () => {};
  const server = http.createServer(async (request, response) => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const one = {
      at,
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
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

/** A worker that a test runs itself, turn by turn. Private addresses are allowed. */
export function webhookWorkerOf(platform: TestPlatform, settings: { totalMs?: number } = {}) {
  const sender = createSender(senderSettings(true, monotonicNow, settings.totalMs));
  after(() => sender.close());
  const worker = createWebhookWorker({
    db: platform.db,
    clock: movableClock(platform.clock),
    logger: pino({ level: 'silent' }),
    send: sender.send,
    random: () => 0,
  });
  return {
    ...worker,
    /** Sends what is due, and records what came back. */
    async deliver(): Promise<void> {
      await worker.turn();
      await worker.finish(60_000);
    },
  };
}

/** Appends an event for the owner, as a change does. */
export const appendEvent = (platform: TestPlatform, owner: Owner, event: Pick<NewEvent, 'type' | 'data'>) =>
  platform.db.transaction((tx) =>
    appendEvents(tx, [{ ...event, tenants: [tenantsOf(owner)[0]] }], platform.clock.now()),
  );
