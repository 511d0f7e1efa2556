/** Measures a server that is asked for twice of what it can do, and how it is afterwards. */
import type { FloodResult } from './load.ts';
import type { Bench, Sample } from './measure.ts';
import type { Generator, Processes } from './servers.ts';
import { contractPages } from './targets.ts';
import type { BenchWorld } from './world.ts';

export type OverloadResults = {
  readonly requestsAtOnce: number;
  /** As many requests as it can answer. */
  readonly before: Sample;
  readonly flood: FloodResult & { readonly perSecond: number };
  /** Right after the flood. */
  readonly after: Sample;
};

/** Few enough that they are answered long before anybody gives up. */
const REQUESTS_AT_ONCE = 128;
const TIMES_CAPACITY = 2;

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
  const milliseconds = 4 * bench.milliseconds;
  await bench.warmUp([contestant]);
  const before = await bench.sample(contestant, milliseconds);
  const perSecond = TIMES_CAPACITY * before.requestsPerSecond;
  const flood = await generator.flood({ port: server.port, targets, perSecond, milliseconds });
  const after = await bench.sample(contestant, milliseconds);
  await processes.end(server);
  const rate = (count: number) => (count / flood.seconds).toFixed(0);
  say(
    `Asked for ${perSecond.toFixed(0)} requests/s where it answers ${before.requestsPerSecond.toFixed(0)}: it answered ` +
      `${rate(flood.answered)} and turned ${rate(flood.shed)} away; afterwards it answers ${after.requestsPerSecond.toFixed(0)}.`,
  );
  return { requestsAtOnce: REQUESTS_AT_ONCE, before, flood: { ...flood, perSecond }, after };
}
