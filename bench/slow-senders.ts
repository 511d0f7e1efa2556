/** Measures ordinary pages beside clients that send their requests slowly. */
import { setTimeout as delay } from 'node:timers/promises';
import { startSlowClients } from '../server/faults/slow-clients.ts';
import { GOALS } from './goals.ts';
import { operatorKey } from './imports.ts';
import { type Contestant, comparisonRow, inverse, type Row, times, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import { contractPages } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

const SLOW = ['bodies', 'headers'] as const;
/** Until all slow senders are connected, or disconnected. */
const SETTLED_MS = 1500;

export async function* measureSlowSenders(run: Run): AsyncGenerator<Row> {
  const { sizes, databases, processes, bench } = run;
  const world = await createWorld(await databases.create('slow_senders'), sizes.rivals);
  await loadVolumes(world);
  const server = await processes.product('product with slow senders', world.url);
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const key = await operatorKey(world.url);
  let senders: ReturnType<typeof startSlowClients>[] = [];
  const stop = () => senders.forEach((sender) => sender.stop());
  // Longer than usual, because connecting the senders takes longer than a round.
  const milliseconds = 2 * bench.plan.milliseconds;
  const pages = bench.requests(server, contractPages(world), { milliseconds });
  const beside: Contestant = {
    ...pages,
    async prepare() {
      stop();
      senders = SLOW.map((slowness) => startSlowClients(slowness, baseUrl, key));
      await delay(SETTLED_MS);
    },
  };
  const alone: Contestant = {
    ...pages,
    async prepare() {
      stop();
      await delay(SETTLED_MS);
    },
  };
  const comparison = await bench.compare(beside, alone).finally(stop);
  await processes.end(server);
  const what = 'contract’s transactions beside 600 slow senders';
  yield comparisonRow(what, 'alone', comparison, GOALS.slowSenders);
  yield valueRow(`${what}: p99, of alone`, inverse(comparison.p99Ratio), times, GOALS.slowSendersP99);
}
