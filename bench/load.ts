/**
 * The load generator, a separate process: keeps a number of connections busy with one request each, and counts. It
 * parses only the status and the length of responses, so that it uses little of the shared machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestOf, type Target } from './connection.ts';
import { type FloodJob, type FloodResult, flood } from './flood.ts';
import { quantilesOf } from './quantiles.ts';

export type LoadJob =
  | {
      kind: 'load';
      port: number;
      targets: readonly Target[];
      connections: number;
      milliseconds: number;
      /** Requests of all connections; without it, each connection sends the next request at once. */
      perSecond?: number | undefined;
    }
  | ({ kind: 'flood' } & FloodJob)
  | { kind: 'walk'; port: number; target: Target; maxPages: number };

export type LoadResult = {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  bodyBytes: number;
};
/** `lastFull` is the last page with the maximum number of records. */
export type WalkResult = { pages: number; records: number; bytes: number; seconds: number; lastFull: string };

/** Upper bound that no valid round reaches. */
const MAX_REQUESTS = 2_000_000;

const bytesOf = (body: readonly Buffer[]) => body.reduce((sum, part) => sum + part.length, 0);

async function load(job: LoadJob & { kind: 'load' }): Promise<LoadResult> {
  const requests = job.targets.map(requestOf);
  const latencies: number[] = [];
  let sent = 0;
  let bodyBytes = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + job.milliseconds;
  const msPerRequest = job.perSecond === undefined ? 0 : (job.connections * 1000) / job.perSecond;
  const keepBusy = async (_: unknown, no: number) => {
    const connection = new Connection(job.port);
    let dueAt = startedAt + (msPerRequest * no) / job.connections;
    for (let at = startedAt; at < endsAt && sent < MAX_REQUESTS; dueAt += msPerRequest) {
      const isEarly = dueAt > at;
      if (isEarly) await sleep(dueAt - at);
      // A request that is late because of the one before it has waited since it was due.
      const sentAt = isEarly || msPerRequest === 0 ? performance.now() : dueAt;
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

/** Reads a list page by page to its end, as a client would. */
async function walk(job: LoadJob & { kind: 'walk' }): Promise<WalkResult> {
  const connection = new Connection(job.port);
  const startedAt = performance.now();
  let [path, lastFull, records, bytes, pages] = [job.target.path, job.target.path, 0, 0, 0];
  for (; pages < job.maxPages; ) {
    const body = Buffer.concat(await connection.get(requestOf({ ...job.target, path })));
    pages++;
    bytes += body.length;
    const { transactions, pagination } = JSON.parse(body.toString());
    records += transactions.length;
    if (transactions.length === pagination.limit) lastFull = path;
    if (!pagination.has_more) break;
    path = `${job.target.path}&after=${encodeURIComponent(pagination.next_cursor)}`;
  }
  connection.close();
  return { pages, records, bytes, seconds: (performance.now() - startedAt) / 1000, lastFull };
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
