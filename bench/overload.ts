/** Measures a server that is asked for twice of what it can do, and how it is afterwards. */
import { cpuSeconds } from './cpu.ts';
import type { FloodResult } from './flood.ts';
import { type Bench, medianSample, type Sample } from './measure.ts';
import type { Generator, Processes } from './servers.ts';
import { contractPages } from './targets.ts';
import type { BenchWorld } from './world.ts';

export type OverloadResults = {
  readonly requestsAtOnce: number;
  /** As many connections as it takes requests at once, each busy: the most that it can answer. */
  readonly capacity: Sample;
  /** One connection, one request after the other. */
  readonly alone: Sample;
  readonly flood: FloodResult & {
    readonly perSecond: number;
    readonly connections: number;
    /** How many cores the load generator took, of those that it shares with server and database. */
    readonly generatorCores: number;
    /** What is left of the server's CPU time for each that it turned away, when an answer costs what it costs otherwise. */
    readonly refusalUs: number;
  };
  /** The same as the capacity, after the flood. */
  readonly after: Sample;
};

/** Few enough that they are answered long before anybody gives up. */
const REQUESTS_AT_ONCE = 128;
const TIMES_CAPACITY = 2;
/** More than can be under way at once while refusals come at once. */
const FLOOD_CONNECTIONS = 1024;
const CAPACITY_ROUNDS = 3;
/** A flood is to last longer than anything that could hide it, such as what the sockets hold. */
const FLOOD_ROUNDS = 10;

export async function measureOverload(
  world: BenchWorld,
  processes: Processes,
  generator: Generator,
  bench: Bench,
  say: (message: string) => void,
): Promise<OverloadResults> {
  const server = await processes.product('product under a flood', world.url, {
    REQUESTS_AT_ONCE: String(REQUESTS_AT_ONCE),
  });
  const targets = contractPages(world);
  const contestant = { server, targets };
  const busy = async () => {
    const samples: Sample[] = [];
    for (let round = 0; round < CAPACITY_ROUNDS; round++) {
      samples.push(await bench.sample(contestant, 2 * bench.milliseconds, REQUESTS_AT_ONCE));
    }
    return medianSample(samples);
  };
  // As long as what is measured: a server that goes on becoming faster would be asked for less than twice.
  await bench.sample(contestant, FLOOD_ROUNDS * bench.milliseconds, REQUESTS_AT_ONCE);
  const capacity = await busy();
  const alone = await bench.sample(contestant, 2 * bench.milliseconds, 1);
  const perSecond = TIMES_CAPACITY * capacity.requestsPerSecond;
  const milliseconds = FLOOD_ROUNDS * bench.milliseconds;
  const usedBefore = { generator: cpuSeconds(generator.pid), server: cpuSeconds(server.pid) };
  const flood = await generator.flood({
    port: server.port,
    targets,
    perSecond,
    milliseconds,
    connections: FLOOD_CONNECTIONS,
    usualMs: alone.p50Ms,
  });
  const generatorCores = (cpuSeconds(generator.pid) - usedBefore.generator) / flood.seconds;
  const answersUs = (flood.answered + FLOOD_CONNECTIONS) * capacity.serverUs;
  const refusalUs =
    ((cpuSeconds(server.pid) - usedBefore.server) * 1e6 - answersUs) / Math.max(1, flood.shed);
  const after = await busy();
  await processes.end(server);
  const rate = (count: number) => (count / flood.seconds).toFixed(0);
  say(
    `Asked for ${rate(flood.sent)} requests/s where it answers ${capacity.requestsPerSecond.toFixed(0)}: it answered ` +
      `${rate(flood.answered)}, turned ${rate(flood.shed)} away, and ${flood.failed} requests failed; back to usual after ` +
      `${flood.usualAgainMs?.toFixed(0) ?? 'too many'} ms, then it answers ${after.requestsPerSecond.toFixed(0)}.`,
  );
  return {
    requestsAtOnce: REQUESTS_AT_ONCE,
    capacity,
    alone,
    flood: { ...flood, perSecond, connections: FLOOD_CONNECTIONS, generatorCores, refusalUs },
    after,
  };
}
