/** Measures the time from a change to the arrival of its webhooks, with many endpoints. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { digits, type Row, valueRow } from './measure.ts';
import { quantilesOf } from './quantiles.ts';
import type { Run } from './run.ts';

const BRPS = 10;
const ENDPOINTS_OF_BRP = 10;
/** So that changes are spread over the interval in which the platform looks for events. */
const PAUSE_MS = 37;
const MOST_P99_MS = 1000;
const OPERATOR_KEY = 'operator-key-of-the-benchmark';

/** From the request that makes the change, which is before its commit, to the headers at the receiver. */
export async function* measureWebhooks({ sizes, databases, processes }: Run): AsyncGenerator<Row> {
  const url = await databases.create('webhooks');
  const environment = { WEBHOOK_ALLOW_PRIVATE: 'on', SALDO_OPERATOR_KEY: OPERATOR_KEY };
  const server = await processes.product('product with webhooks', url, environment);
  const receiver = await startReceiver();
  const call = callerOf(`http://127.0.0.1:${server.port}`);
  const brps = [];
  for (let n = 0; n < BRPS; n++) brps.push(await newBrp(call, `${receiver.url}/${n}`));
  const endpoints = BRPS * ENDPOINTS_OF_BRP;
  for (let change = 0; change < sizes.webhookChanges; change++) {
    await Promise.all(
      brps.map(async ({ key, customer }, n) => {
        receiver.expect(`/${n}`);
        const body = { metadata: { change: String(change) } };
        await call('PATCH', `/v1/customers/${customer}`, key, body);
      }),
    );
    await receiver.arrived(endpoints * (change + 1));
    await delay(PAUSE_MS);
  }
  receiver.close();
  await processes.end(server);
  const quantile = quantilesOf(receiver.latencies);
  const what = `webhooks to ${endpoints} endpoints: p99 from the change to the receiver`;
  const others = `p50 ${quantile(0.5).toFixed(0)} ms`;
  yield valueRow(what, quantile(0.99), digits(0, 'ms'), { atMost: MOST_P99_MS }, others);
}

type Call = <T>(method: string, path: string, key: string, body: object) => Promise<T>;

const callerOf =
  (base: string): Call =>
  async <T>(method: string, path: string, key: string, body: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };

async function newBrp(call: Call, url: string): Promise<{ key: string; customer: string }> {
  const create = <T>(path: string, body: object) =>
    call<T>('POST', `/operator/v1${path}`, OPERATOR_KEY, body);
  const { id } = await create<{ id: string }>('/brps', { name: url });
  const { secret } = await create<{ secret: string }>('/api-keys', {
    owner: { type: 'brp', id },
    name: 'bench',
  });
  const customer = await create<{ id: string }>('/customers', { brp_id: id, name: 'Customer' });
  for (let n = 0; n < ENDPOINTS_OF_BRP; n++) {
    await call('POST', '/v1/webhook-endpoints', secret, { url, types: ['customer.updated'] });
  }
  return { key: secret, customer: customer.id };
}

/** Receives all webhooks. Changes of a BRP are made one after the other, so its path identifies the change. */
async function startReceiver() {
  const latencies: number[] = [];
  const sentAt = new Map<string, number>();
  let notify = () => {};
  const server = createServer((request, response) => {
    latencies.push(performance.now() - (sentAt.get(request.url ?? '') ?? 0));
    request.resume();
    request.on('end', () => response.writeHead(204).end());
    notify();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    latencies,
    expect: (path: string) => void sentAt.set(path, performance.now()),
    async arrived(count: number): Promise<void> {
      while (latencies.length < count) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
