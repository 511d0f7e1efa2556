/**
 * The load generator, a process of its own: keeps a number of connections busy with one request each, and counts.
 * It reads no more of an answer than its status and length, so that it takes little from the machine it shares.
 */
import { Connection, requestOf, type Target } from './connection.ts';
import { type FloodJob, type FloodResult, flood } from './flood.ts';
import { quantilesOf } from './quantiles.ts';

export type LoadJob =
  | { kind: 'load'; port: number; targets: readonly Target[]; connections: number; milliseconds: number }
  | ({ kind: 'flood' } & FloodJob)
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
