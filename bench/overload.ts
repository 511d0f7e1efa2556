/** Measures a server under twice its capacity, and its recovery. */
import { GOALS } from './goals.ts';
import { count, digits, type Row, sampleText, spreadOf, summaryOf, times, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import { contractPages } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

/** More connections do not raise the throughput, only the latency. */
const CAPACITY_CONNECTIONS = 128;
const TIMES_CAPACITY = 2;
const FLOOD_CONNECTIONS = 1024;
const CAPACITY_ROUNDS = 4;
/** Long enough to exceed all buffers, such as those of sockets. */
const FLOOD_ROUNDS = 12;

export async function* measureOverload(run: Run): AsyncGenerator<Row> {
  const { sizes, databases, processes, generator, bench } = run;
  const world = await createWorld(await databases.create('overload'), sizes.rivals);
  await loadVolumes(world);
  const server = await processes.product('product under a flood', world.url);
  const targets = contractPages(world);
  const busy = bench.requests(server, targets, { connections: CAPACITY_CONNECTIONS });
  // A server that still becomes faster would get less than twice its capacity.
  await bench.warmUp([busy]);
  const capacity = summaryOf(await bench.measure(busy, CAPACITY_ROUNDS));
  const single = bench.requests(server, targets, { connections: 1 });
  const alone = summaryOf(await bench.measure(single, CAPACITY_ROUNDS));
  const flood = await generator.flood({
    port: server.port,
    targets,
    perSecond: TIMES_CAPACITY * capacity.perSecond,
    milliseconds: FLOOD_ROUNDS * bench.plan.milliseconds,
    connections: FLOOD_CONNECTIONS,
    usualMs: alone.p50Ms,
  });
  const after = await bench.measure(busy, CAPACITY_ROUNDS);
  await processes.end(server);

  const milliseconds = digits(0, 'ms');
  const share = (requests: number) => requests / flood.seconds / capacity.perSecond;
  const what = (text: string) => `overload: ${text}`;
  yield valueRow(
    what('requests due, of the capacity'),
    share(flood.due),
    times,
    // Below it the load generator was too slow to keep its schedule.
    GOALS.overloadDue,
    `capacity: ${sampleText(capacity)}`,
  );
  const rejected = `${times(share(flood.rejected))} rejected`;
  const answered = share(flood.answered);
  yield valueRow(what('answered, of the capacity'), answered, times, GOALS.overloadAnswered, rejected);
  yield valueRow(what('p99 of answers'), flood.p99Ms, milliseconds, GOALS.overloadP99Ms);
  const failure = flood.firstFailure ?? '';
  yield valueRow(what('neither answered nor rejected'), flood.failed, count, GOALS.overloadFailed, failure);
  const recovery = what('from its end to the usual latency');
  yield valueRow(recovery, flood.usualAgainMs, milliseconds, GOALS.overloadRecoveryMs);
  const afterwards = spreadOf(after.map(({ perSecond }) => perSecond / capacity.perSecond));
  yield valueRow(what('answered after it, of the capacity'), afterwards, times, GOALS.overloadAfterwards);
}
