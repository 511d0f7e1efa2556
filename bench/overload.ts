/** Measures a server under twice its capacity, and its recovery. */
import { count, digits, type Row, sampleText, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import { contractPages } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

/** More connections do not raise the throughput, only the latency. */
const CAPACITY_CONNECTIONS = 128;
const TIMES_CAPACITY = 2;
const FLOOD_CONNECTIONS = 1024;
const CAPACITY_ROUNDS = 3;
/** Long enough to exceed all buffers, such as those of sockets. */
const FLOOD_ROUNDS = 10;

/** Below it the load generator was too slow to keep its schedule. */
const LEAST_OFFERED = 1.9;
/** Lower than 1, because the load generator uses a part of the machine. */
const LEAST_ANSWERED = 0.85;
const MOST_P99_MS = 2000;
const MOST_RECOVERY_MS = 1000;
const LEAST_AFTERWARDS = 0.9;

export async function* measureOverload(run: Run): AsyncGenerator<Row> {
  const { sizes, databases, processes, generator, bench } = run;
  const world = await createWorld(await databases.create('overload'), sizes.rivals);
  await loadVolumes(world);
  const server = await processes.product('product under a flood', world.url);
  const targets = contractPages(world);
  const busy = bench.requests(server, targets, { connections: CAPACITY_CONNECTIONS });
  // Warm up as long as the measurement: a server that still becomes faster would get less than twice its capacity.
  await bench.measure(busy, FLOOD_ROUNDS);
  const capacity = await bench.measure(busy, CAPACITY_ROUNDS);
  const alone = await bench.measure(bench.requests(server, targets, { connections: 1 }), CAPACITY_ROUNDS);
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

  const times = digits(2, '×');
  const milliseconds = digits(0, 'ms');
  const share = (requests: number) => requests / flood.seconds / capacity.perSecond;
  const rejected = `${times(share(flood.rejected))} rejected`;
  const due = share(flood.due);
  yield valueRow(
    'overload: requests due, of the capacity',
    due,
    times,
    { atLeast: LEAST_OFFERED },
    `capacity: ${sampleText(capacity)}`,
  );
  yield valueRow(
    'overload: answered, of the capacity',
    share(flood.answered),
    times,
    { atLeast: LEAST_ANSWERED },
    rejected,
  );
  yield valueRow('overload: p99 of answers', flood.p99Ms, milliseconds, { atMost: MOST_P99_MS });
  yield valueRow(
    'overload: neither answered nor rejected',
    flood.failed,
    count,
    { atMost: 0 },
    flood.firstFailure ?? '',
  );
  yield valueRow('overload: from its end to the usual latency', flood.usualAgainMs, milliseconds, {
    atMost: MOST_RECOVERY_MS,
  });
  yield valueRow(
    'overload: answered after it, of the capacity',
    after.perSecond / capacity.perSecond,
    times,
    { atLeast: LEAST_AFTERWARDS },
  );
}
