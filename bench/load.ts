/**
 * The load generator, a process of its own: keeps a number of connections busy with one request each, and counts.
 * It reads no more of an answer than its status and length, so that it takes little from the machine it shares.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** With a body it is a POST of JSON. */
export type Target = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type LoadJob =
  | { kind: 'load'; port: number; targets: readonly Target[]; connections: number; milliseconds: number }
  | { kind: 'flood'; port: number; targets: readonly Target[]; perSecond: number; milliseconds: number }
  | { kind: 'walk'; port: number; target: Target; maxPages: number };

export type LoadResult = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  bodyBytes: number;
};
/** Requests that came at their time whether those before them were answered or not. */
export type FloodResult = {
  /** Answered with 200, and with 503 and the advice when to try again. */
  answered: number;
  shed: number;
  /** No connection was free for them and none could be added. */
  unsent: number;
  seconds: number;
  answeredP50Ms: number;
  answeredP99Ms: number;
  shedP99Ms: number;
};
/** `lastFull` is the last page that holds as many records as it may. */
export type WalkResult = { pages: number; records: number; seconds: number; lastFull: string };

/** No round comes near this; a load that does is broken. */
const MAX_REQUESTS = 2_000_000;
const PATIENCE_MS = 10_000;
const MAX_CONNECTIONS = 1500;
const FLOOD_TICK_MS = 4;

type Answer = { readonly status: number; readonly head: string; readonly body: readonly Buffer[] };

/** A connection that answers one request after the other. */
class Connection {
  private readonly socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private bodyLength = -1;
  private chunks: Buffer[] = [];
  private length = 0;
  private head = '';
  private resolve: (answer: Answer) => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setTimeout(PATIENCE_MS, () => this.socket.destroy(new Error('no answer within 10 s')));
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', (error) => this.reject(error));
    this.socket.on('close', () => this.reject(new Error('the server closed the connection')));
  }

  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.socket.write(request);
    });
  }

  private read(chunk: Buffer): void {
    if (this.bodyLength < 0) {
      this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
      const end = this.received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.received.toString('latin1', 0, end);
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      if (length === undefined) {
        this.socket.destroy(new Error(`unexpected answer: ${this.received}`));
        return;
      }
      this.head = head;
      this.bodyLength = Number(length);
      this.take(this.received.subarray(end + 4));
      this.received = Buffer.alloc(0);
    } else {
      this.take(chunk);
    }
    if (this.length < this.bodyLength) return;
    const body = this.chunks;
    this.chunks = [];
    this.length = 0;
    this.bodyLength = -1;
    this.resolve({ status: Number(this.head.slice(9, 12)), head: this.head, body });
  }

  /** The body of an answer that has to be a good one. */
  async get(request: Buffer): Promise<readonly Buffer[]> {
    const { status, head, body } = await this.send(request);
    if (status !== 200) throw new Error(`unexpected answer: ${head}\n${Buffer.concat(body)}`);
    return body;
  }

  private take(part: Buffer): void {
    this.chunks.push(part);
    this.length += part.length;
  }

  close(): void {
    this.socket.removeAllListeners('close');
    this.socket.destroy();
  }
}

const requestOf = ({ path, headers, body }: Target): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (body === undefined)
    return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`);
  lines.push(`content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n${body}`);
};

const bytesOf = (body: readonly Buffer[]) => body.reduce((sum, part) => sum + part.length, 0);

async function load(job: LoadJob & { kind: 'load' }): Promise<LoadResult> {
  const requests = job.targets.map(requestOf);
  const latencies: number[] = [];
  let sent = 0;
  let bodyBytes = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + job.milliseconds;
  const keepBusy = async () => {
    const connection = new Connection(job.port);
    for (let at = startedAt; at < endsAt && sent < MAX_REQUESTS; ) {
      const sentAt = performance.now();
      const body = await connection.get(requests[sent++ % requests.length]!);
      at = performance.now();
      bodyBytes += bytesOf(body);
      latencies.push(at - sentAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: job.connections }, keepBusy));
  const seconds = (performance.now() - startedAt) / 1000;
  const quantile = quantilesOf(latencies);
  return { requests: latencies.length, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99), bodyBytes };
}

function quantilesOf(latencies: readonly number[]): (share: number) => number {
  const sorted = Float64Array.from(latencies).sort();
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

async function flood(job: LoadJob & { kind: 'flood' }): Promise<FloodResult> {
  const requests = job.targets.map(requestOf);
  const idle: Connection[] = [];
  const underWay = new Set<Promise<void>>();
  const [answered, shed]: [number[], number[]] = [[], []];
  let [opened, sent, unsent] = [0, 0, 0];
  const open = (): Connection | null => {
    if (opened === MAX_CONNECTIONS) return null;
    opened++;
    return new Connection(job.port);
  };
  const ask = async (connection: Connection, request: Buffer) => {
    const sentAt = performance.now();
    const { status, head } = await connection.send(request);
    const isShed = status === 503 && /\r\nretry-after: \d+/i.test(head);
    if (status !== 200 && !isShed) throw new Error(`unexpected answer: ${head}`);
    (isShed ? shed : answered).push(performance.now() - sentAt);
    idle.push(connection);
  };
  const startedAt = performance.now();
  for (let at = 0; at < job.milliseconds; at = performance.now() - startedAt) {
    for (const due = (job.perSecond * at) / 1000; sent + unsent < due; ) {
      const connection = idle.pop() ?? open();
      if (connection === null) {
        unsent++;
        continue;
      }
      const asked = ask(connection, requests[sent++ % requests.length]!);
      underWay.add(asked);
      asked.then(
        () => underWay.delete(asked),
        // One that failed stays among them, and is found at the end.
        () => {},
      );
    }
    await delay(FLOOD_TICK_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(underWay);
  for (const connection of idle) connection.close();
  const [ofAnswered, ofShed] = [quantilesOf(answered), quantilesOf(shed)];
  return {
    answered: answered.length,
    shed: shed.length,
    unsent,
    seconds,
    answeredP50Ms: ofAnswered(0.5),
    answeredP99Ms: ofAnswered(0.99),
    shedP99Ms: ofShed(0.99),
  };
}

/** Goes through a list page by page, as a client would that wants all of it. */
async function walk(job: LoadJob & { kind: 'walk' }): Promise<WalkResult> {
  const connection = new Connection(job.port);
  const startedAt = performance.now();
  let [path, lastFull, records, pages] = [job.target.path, job.target.path, 0, 0];
  for (; pages < job.maxPages; ) {
    const body = Buffer.concat(await connection.get(requestOf({ ...job.target, path })));
    pages++;
    const { transactions, pagination } = JSON.parse(body.toString());
    records += transactions.length;
    if (transactions.length === pagination.limit) lastFull = path;
    if (!pagination.has_more) break;
    path = `${job.target.path}&after=${encodeURIComponent(pagination.next_cursor)}`;
  }
  connection.close();
  return { pages, records, seconds: (performance.now() - startedAt) / 1000, lastFull };
}

process.on('message', (job: LoadJob) => {
  const work: Promise<LoadResult | WalkResult | FloodResult> =
    job.kind === 'load' ? load(job) : job.kind === 'walk' ? walk(job) : flood(job);
  work.then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ failure: error.message }),
  );
});
process.on('disconnect', () => process.exit());
