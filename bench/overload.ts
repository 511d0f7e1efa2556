/** Measures a server under twice its capacity, and its recovery. */
import { cpuSeconds } from './cpu.ts';
import type { FloodResult } from './flood.ts';
import { type Bench, medianSample, type Sample } from './measure.ts';
import type { Generator, Processes } from './servers.ts';
import { contractPages } from './targets.ts';
import type { BenchWorld } from './world.ts';

export type OverloadResults = {
  /** Closed-loop load: every connection is always busy with one request. */
  readonly capacityConnections: number;
  /** Throughput under that load, with load generator and database on the same cores as in the flood. */
  readonly capacity: Sample;
  /** One connection with sequential requests. */
  readonly alone: Sample;
  readonly flood: FloodResult & {
    readonly perSecond: number;
    readonly connections: number;
    /** Number of cores that the load generator used, of those shared with server and database. */
    readonly generatorCores: number;
  };
  /** The same measurement as `capacity`, after the flood. */
  readonly after: Sample;
};

/** More connections do not raise the throughput, only the latency. */
const CAPACITY_CONNECTIONS = 128;
const TIMES_CAPACITY = 2;
const FLOOD_CONNECTIONS = 1024;
const CAPACITY_ROUNDS = 3;
/** Long enough to exceed all buffers, such as those of sockets. */
const FLOOD_ROUNDS = 10;

export async function measureOverload(
  world: BenchWorld,
  processes: Processes,
  generator: Generator,
  bench: Bench,
  say: (message: string) => void,
): Promise<OverloadResults> {
  const server = await processes.product('product under a flood', world.url);
  const targets = contractPages(world);
  const contestant = { server, targets };
  const busy = async () => {
    const samples: Sample[] = [];
    for (let round = 0; round < CAPACITY_ROUNDS; round++) {
      samples.push(await bench.sample(contestant, 2 * bench.milliseconds, CAPACITY_CONNECTIONS));
    }
    return medianSample(samples);
  };
  // Warm up as long as the measurement: a server that still becomes faster would get less than twice its capacity.
  await bench.sample(contestant, FLOOD_ROUNDS * bench.milliseconds, CAPACITY_CONNECTIONS);
  const capacity = await busy();
  const alone = await bench.sample(contestant, 2 * bench.milliseconds, 1);
  const perSecond = TIMES_CAPACITY * capacity.requestsPerSecond;
  const milliseconds = FLOOD_ROUNDS * bench.milliseconds;
  const usedBefore = cpuSeconds(generator.pid);
  const flood = await generator.flood({
    port: server.port,
    targets,
    perSecond,
    milliseconds,
    connections: FLOOD_CONNECTIONS,
    usualMs: alone.p50Ms,
  });
  const generatorCores = (cpuSeconds(generator.pid) - usedBefore) / flood.seconds;
  const after = await busy();
  await processes.end(server);
  const rate = (count: number) => (count / flood.seconds).toFixed(0);
  say(
    `Offered ${rate(flood.sent + flood.unsent)} requests/s where it answers ${capacity.requestsPerSecond.toFixed(0)}: it ` +
      `answered ${rate(flood.answered)}, rejected ${rate(flood.shed)}, and ${flood.failed} requests failed; back to usual after ` +
      `${flood.usualAgainMs?.toFixed(0) ?? 'too many'} ms, then it answers ${after.requestsPerSecond.toFixed(0)}.`,
  );
  return {
    capacityConnections: CAPACITY_CONNECTIONS,
    capacity,
    alone,
    flood: { ...flood, perSecond, connections: FLOOD_CONNECTIONS, generatorCores },
    after,
  };
}
