import { cpuSeconds, familyCpuSeconds, hasCpuTimes } from './cpu.ts';
import type { Target } from './load.ts';
import type { BenchServer, Generator } from './servers.ts';

export type Plan = { readonly rounds: number; readonly milliseconds: number; readonly connections: number };

/** One side of a comparison: a server and what it is asked. */
export type Contestant = { readonly server: BenchServer; readonly targets: readonly Target[] };

export type Sample = {
  requestsPerSecond: number;
  /** Microseconds of CPU time a request takes in the server and in the database; on systems that do not tell, wall time. */
  serverUs: number;
  databaseUs: number;
  p50Ms: number;
  p99Ms: number;
};

export type Comparison = {
  /** How many times what the second contestant's requests cost the first one's do; the median over the rounds. */
  costRatio: number;
  ratios: number[];
  first: Sample;
  second: Sample;
};

export class Bench {
  private readonly generator: Generator;
  private readonly postmaster: number;
  private readonly plan: Plan;

  constructor(generator: Generator, postmaster: number, plan: Plan) {
    this.generator = generator;
    this.postmaster = postmaster;
    this.plan = plan;
  }

  /**
   * The two take turns in short rounds, and each round gives one ratio: what else the machine does at the time hits
   * both alike.
   */
  async compare(first: Contestant, second: Contestant): Promise<Comparison> {
    const { rounds, milliseconds } = this.plan;
    const samples: [Sample, Sample][] = [];
    for (const contestant of [first, second]) await this.sample(contestant, milliseconds);
    for (let round = 0; round < rounds; round++) {
      samples.push([await this.sample(first, milliseconds), await this.sample(second, milliseconds)]);
    }
    const ratios = samples.map(([a, b]) => costOf(a) / costOf(b));
    return {
      costRatio: median(ratios),
      ratios,
      first: medianSample(samples.map(([sample]) => sample)),
      second: medianSample(samples.map(([, sample]) => sample)),
    };
  }

  private async sample({ server, targets }: Contestant, milliseconds: number): Promise<Sample> {
    const before = [cpuSeconds(server.pid), familyCpuSeconds(this.postmaster)] as const;
    const job = { port: server.port, targets, connections: this.plan.connections, milliseconds };
    const { requests, seconds, p50Ms, p99Ms } = await this.generator.load(job);
    const after = [cpuSeconds(server.pid), familyCpuSeconds(this.postmaster)] as const;
    const perRequest = 1e6 / requests;
    return {
      requestsPerSecond: requests / seconds,
      serverUs: (hasCpuTimes ? after[0] - before[0] : seconds) * perRequest,
      databaseUs: (hasCpuTimes ? after[1] - before[1] : 0) * perRequest,
      p50Ms,
      p99Ms,
    };
  }
}

export const costOf = (sample: Sample): number => sample.serverUs + sample.databaseUs;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function medianSample(samples: readonly Sample[]): Sample {
  const of = (member: keyof Sample) => median(samples.map((sample) => sample[member]));
  return {
    requestsPerSecond: of('requestsPerSecond'),
    serverUs: of('serverUs'),
    databaseUs: of('databaseUs'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
  };
}
