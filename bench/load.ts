/**
 * The load generator, a process of its own: keeps a number of connections busy with one request each, and counts.
 * It reads no more of an answer than its status and length, so that it takes little from the machine it shares.
 */
import { connect, type Socket } from 'node:net';

/** With a body it is a POST of JSON. */
export type Target = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type LoadJob =
  | { kind: 'load'; port: number; targets: readonly Target[]; connections: number; milliseconds: number }
  | { kind: 'walk'; port: number; target: Target; maxPages: number };

export type LoadResult = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  bodyBytes: number;
};
/** `lastFull` is the last page that holds as many records as it may. */
export type WalkResult = { pages: number; records: number; seconds: number; lastFull: string };

/** No round comes near this; a load that does is broken. */
const MAX_REQUESTS = 2_000_000;
const PATIENCE_MS = 10_000;

/** A connection that answers one request after the other. */
class Connection {
  private readonly socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private bodyLength = -1;
  private chunks: Buffer[] = [];
  private length = 0;
  private resolve: (body: Buffer[]) => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setTimeout(PATIENCE_MS, () => this.socket.destroy(new Error('no answer within 10 s')));
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', (error) => this.reject(error));
    this.socket.on('close', () => this.reject(new Error('the server closed the connection')));
  }

  send(request: Buffer): Promise<Buffer[]> {
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
      if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) {
        this.socket.destroy(new Error(`unexpected answer: ${this.received}`));
        return;
      }
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
    this.resolve(body);
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
      const body = await connection.send(requests[sent++ % requests.length]!);
      at = performance.now();
      bodyBytes += bytesOf(body);
      latencies.push(at - sentAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: job.connections }, keepBusy));
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { requests: latencies.length, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99), bodyBytes };
}

/** Goes through a list page by page, as a client would that wants all of it. */
async function walk(job: LoadJob & { kind: 'walk' }): Promise<WalkResult> {
  const connection = new Connection(job.port);
  const startedAt = performance.now();
  let [path, lastFull, records, pages] = [job.target.path, job.target.path, 0, 0];
  for (; pages < job.maxPages; ) {
    const body = Buffer.concat(await connection.send(requestOf({ ...job.target, path })));
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
  const work: Promise<LoadResult | WalkResult> = job.kind === 'load' ? load(job) : walk(job);
  work.then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ failure: error.message }),
  );
});
process.on('disconnect', () => process.exit());
