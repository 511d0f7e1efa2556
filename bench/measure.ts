import type { Target } from './connection.ts';
import { cpuSeconds, familyCpuSeconds, hasCpuTimes, machineCpuSeconds } from './cpu.ts';
import type { BenchServer, Generator } from './servers.ts';

export type Plan = {
  readonly rounds: number;
  readonly milliseconds: number;
  readonly connections: number;
  readonly warmUpMs: number;
};

/** One side of a comparison: a server and its requests. */
export type Contestant = { readonly server: BenchServer; readonly targets: readonly Target[] };

export type Sample = {
  requestsPerSecond: number;
  /** Microseconds of CPU time per request in the server and in the database; wall time on systems without CPU times. */
  serverUs: number;
  databaseUs: number;
  p50Ms: number;
  p99Ms: number;
  /** Number of cores that other processes used. */
  foreignCores: number;
};

export type Comparison = {
  /** Median over the rounds of the second contestant's cost divided by the first one's. */
  costRatio: number;
  /** Of the rounds that count. */
  ratios: number[];
  /** Whether the counted rounds were undisturbed. If too few were, all rounds count. */
  quiet: boolean;
  first: Sample;
  second: Sample;
};

/** A twentieth of the smallest supported machine. */
const DISTURBED_FROM_CORES = 0.1;

export class Bench {
  private readonly generator: Generator;
  private readonly postmaster: number;
  private readonly plan: Plan;

  private readonly hasTime: () => boolean;

  constructor(generator: Generator, postmaster: number, plan: Plan, hasTime: () => boolean) {
    this.generator = generator;
    this.postmaster = postmaster;
    this.plan = plan;
    this.hasTime = hasTime;
  }

  get milliseconds(): number {
    return this.plan.milliseconds;
  }

  /** Warm-up: Node compiles for thousands of requests, and the measurement is for a server that has run for a while. */
  async warmUp(contestants: readonly Contestant[]): Promise<void> {
    for (const contestant of contestants) await this.sample(contestant, this.plan.warmUpMs);
  }

  /**
   * The two contestants alternate in short rounds, and each round gives one ratio. Rounds that other processes
   * disturbed are repeated, up to the planned number and within the time limit: a server that has to wait batches
   * fewer requests, so each costs more, and that affects the faster one more.
   */
  async compare(first: Contestant, second: Contestant): Promise<Comparison> {
    const { rounds, milliseconds } = this.plan;
    const all: [Sample, Sample][] = [];
    const undisturbed: [Sample, Sample][] = [];
    for (const contestant of [first, second]) await this.sample(contestant, milliseconds);
    const goesOn = () => all.length < rounds || (all.length < 2 * rounds && this.hasTime());
    while (undisturbed.length < rounds && goesOn()) {
      const pair: [Sample, Sample] = [
        await this.sample(first, milliseconds),
        await this.sample(second, milliseconds),
      ];
      all.push(pair);
      if (pair.every(({ foreignCores }) => foreignCores < DISTURBED_FROM_CORES)) undisturbed.push(pair);
    }
    const quiet = undisturbed.length >= rounds / 2;
    const samples = quiet ? undisturbed : all;
    const ratios = samples.map(([a, b]) => costOf(a) / costOf(b));
    return {
      costRatio: median(ratios),
      ratios,
      quiet,
      first: medianSample(samples.map(([sample]) => sample)),
      second: medianSample(samples.map(([, sample]) => sample)),
    };
  }

  /** One round, by default with the planned number of connections. */
  async sample(
    { server, targets }: Contestant,
    milliseconds: number,
    connections = this.plan.connections,
  ): Promise<Sample> {
    const before = this.cpuTimes(server);
    const job = { port: server.port, targets, connections, milliseconds };
    const { requests, seconds, p50Ms, p99Ms } = await this.generator.load(job);
    const after = this.cpuTimes(server);
    const took = (what: keyof typeof after) => after[what] - before[what];
    const perRequest = 1e6 / requests;
    return {
      requestsPerSecond: requests / seconds,
      serverUs: (hasCpuTimes ? took('server') : seconds) * perRequest,
      databaseUs: took('database') * perRequest,
      p50Ms,
      p99Ms,
      foreignCores: (took('machine') - took('server') - took('database') - took('generator')) / seconds,
    };
  }

  private cpuTimes(server: BenchServer) {
    return {
      server: [server.pid, ...(server.helpers ?? [])].reduce((sum, pid) => sum + familyCpuSeconds(pid), 0),
      database: familyCpuSeconds(this.postmaster),
      generator: cpuSeconds(this.generator.pid),
      machine: machineCpuSeconds(),
    };
  }
}

/** Microseconds of CPU time per call of a function, after warm-up. */
export function cpuMicroseconds(work: () => unknown, milliseconds: number): number {
  const calls = (until: number) => {
    let count = 0;
    for (; performance.now() < until; count++) work();
    return count;
  };
  calls(performance.now() + milliseconds / 2);
  const before = process.cpuUsage();
  const count = calls(performance.now() + milliseconds);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

export const costOf = (sample: Sample): number => sample.serverUs + sample.databaseUs;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function medianSample(samples: readonly Sample[]): Sample {
  const of = (member: keyof Sample) => median(samples.map((sample) => sample[member]));
  return {
    requestsPerSecond: of('requestsPerSecond'),
    serverUs: of('serverUs'),
    databaseUs: of('databaseUs'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    foreignCores: of('foreignCores'),
  };
}
