/** Measures the time from a change to the arrival of its webhooks, with many endpoints, alone and beside bad ones. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../server/test/ports.ts';
import { GOALS } from './goals.ts';
import { digits, type Row, spreadOf, times, valueRow } from './measure.ts';
import { quantilesOf } from './quantiles.ts';
import type { Run } from './run.ts';

const BRPS = 10;
const ENDPOINTS_OF_BRP = 10;
/** Endpoints that refuse connections, and as many that answer late: later than the platform waits. */
const BAD_ENDPOINTS = 4;
const LATE_MS = 30_000;
const WARM_UPS = 3;
/** So that changes are spread over the interval in which the platform looks for events. */
const PAUSE_MS = 37;
const OPERATOR_KEY = 'operator-key-of-the-benchmark';

/** From the request that makes the change, which is before its commit, to the headers at the receiver. */
export async function* measureWebhooks({ sizes, databases, processes }: Run): AsyncGenerator<Row> {
  const url = await databases.create('webhooks');
  const environment = { WEBHOOK_ALLOW_PRIVATE: 'on', SALDO_OPERATOR_KEY: OPERATOR_KEY };
  const server = await processes.product('product with webhooks', url, environment);
  const receiver = await startReceiver();
  const late = await startLateReceiver();
  const call = callerOf(`http://127.0.0.1:${server.port}`);
  const brps: Brp[] = [];
  for (let n = 0; n < BRPS; n++) {
    const urls = Array.from({ length: ENDPOINTS_OF_BRP }, () => `${receiver.url}/${n}`);
    brps.push(await newBrp(call, urls));
  }
  const dead = `http://127.0.0.1:${await freePort()}/`;
  const bad = Array.from({ length: BAD_ENDPOINTS }, (_, at) => [`${dead}${at}`, `${late.url}/${at}`]);
  const badBrp = await newBrp(call, bad.flat());
  const change = ({ key, customer }: Brp, no: number) =>
    call('PATCH', `/v1/customers/${customer}`, key, { metadata: { change: String(no) } });
  /** The latencies of each change, at all endpoints of the others. */
  const deliver = async (changes: number, isBeside: boolean) => {
    const latencies: number[][] = [];
    for (let no = 0; no < changes; no++) {
      if (isBeside) await change(badBrp, no);
      brps.forEach((_, n) => receiver.expect(`/${n}`));
      await Promise.all(brps.map((brp) => change(brp, no)));
      latencies.push(await receiver.arrived(BRPS * ENDPOINTS_OF_BRP));
      await delay(PAUSE_MS);
    }
    return latencies;
  };
  await deliver(WARM_UPS, false);
  const alone = await deliver(sizes.webhookChanges, false);
  const beside = await deliver(sizes.webhookChanges, true);
  for (const one of [receiver, late]) one.close();
  await processes.end(server);
  const [quantile, ofAlone] = [quantilesOf(beside.flat()), quantilesOf(alone.flat())];
  const what = `webhooks to ${BRPS * ENDPOINTS_OF_BRP} endpoints beside ${2 * BAD_ENDPOINTS} bad ones`;
  const p99s = `p50 ${quantile(0.5).toFixed(0)} ms; alone p99 ${ofAlone(0.99).toFixed(0)} ms`;
  yield valueRow(`${what}: p99`, quantile(0.99), digits(0, 'ms'), GOALS.webhookP99Ms, p99s);
  const ratio = spreadOf(beside.map((latencies, no) => Math.max(...latencies) / Math.max(...alone[no]!)));
  yield valueRow(`${what}: the last of a change, of alone`, ratio, times, GOALS.webhooksBesideBadEndpoints);
}

type Brp = { readonly key: string; readonly customer: string };
type Call = <T>(method: string, path: string, key: string, body: object) => Promise<T>;

const callerOf =
  (base: string): Call =>
  async <T>(method: string, path: string, key: string, body: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };

async function newBrp(call: Call, urls: readonly string[]): Promise<Brp> {
  const create = <T>(path: string, body: object) =>
    call<T>('POST', `/operator/v1${path}`, OPERATOR_KEY, body);
  const { id } = await create<{ id: string }>('/brps', { name: 'Bench' });
  const { secret } = await create<{ secret: string }>('/api-keys', {
    owner: { type: 'brp', id },
    name: 'bench',
  });
  const customer = await create<{ id: string }>('/customers', { brp_id: id, name: 'Customer' });
  for (const url of urls) {
    await call('POST', '/v1/webhook-endpoints', secret, { url, types: ['customer.updated'] });
  }
  return { key: secret, customer: customer.id };
}

async function listening(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const startLateReceiver = () =>
  listening(createServer((_, response) => setTimeout(() => response.writeHead(204).end(), LATE_MS).unref()));

/** Receives all webhooks. Changes of a BRP are made one after the other, so its path identifies the change. */
async function startReceiver() {
  let latencies: number[] = [];
  const sentAt = new Map<string, number>();
  let notify = () => {};
  const server = createServer((request, response) => {
    latencies.push(performance.now() - (sentAt.get(request.url ?? '') ?? 0));
    request.resume();
    request.on('end', () => response.writeHead(204).end());
    notify();
  });
  return {
    ...(await listening(server)),
    expect: (path: string) => void sentAt.set(path, performance.now()),
    async arrived(count: number): Promise<number[]> {
      while (latencies.length < count) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
      const arrived = latencies;
      latencies = [];
      return arrived;
    },
  };
}
