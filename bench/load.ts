/**
 * The load generator, a separate process: keeps a number of connections busy with one request each, and counts. It
 * parses only the status and the length of responses, so that it uses little of the shared machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestOf, type Target } from './connection.ts';
import { type FloodJob, type FloodResult, flood } from './flood.ts';
import { quantilesOf } from './quantiles.ts';

export type LoadJob = {
  readonly port: number;
  readonly targets: readonly Target[];
  readonly connections: number;
  readonly milliseconds: number;
  /** Requests of all connections; without it, each connection sends the next request at once. */
  readonly perSecond?: number | undefined;
};
export type Job = { readonly load: LoadJob } | { readonly flood: FloodJob };

export type LoadResult = { requests: number; p50Ms: number; p99Ms: number };

/** Upper bound that no valid round reaches. */
const MAX_REQUESTS = 2_000_000;

async function load(job: LoadJob): Promise<LoadResult> {
  const requests = job.targets.map(requestOf);
  const latencies: number[] = [];
  let sent = 0;
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
      await connection.get(requests[sent++ % requests.length]!);
      at = performance.now();
      latencies.push(at - sentAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: job.connections }, keepBusy));
  const quantile = quantilesOf(latencies);
  return { requests: latencies.length, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

process.on('message', (job: Job) => {
  const work: Promise<LoadResult | FloodResult> = 'load' in job ? load(job.load) : flood(job.flood);
  work.then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ failure: error.message }),
  );
});
process.on('disconnect', () => process.exit());
