/** How every scenario measures: two contestants in alternating rounds, a ratio for each round, a row of the table. */
import type { Target } from './connection.ts';
import { cpuSeconds, familyCpuSeconds, machineCpuSeconds } from './cpu.ts';
import type { BenchServer, Generator } from './servers.ts';

export type Plan = { readonly rounds: number; readonly milliseconds: number; readonly warmUps: number };

/** The work of one round: requests or transactions, with the latencies of requests. */
type Done = { readonly units: number; readonly p50Ms?: number; readonly p99Ms?: number };

/** One side of a comparison. The CPU time of the database counts, and that of the server. */
export type Contestant = {
  /** Null: this process asks the database itself. */
  readonly pid: number | null;
  /** Not measured. */
  prepare?(): Promise<void>;
  round(): Promise<Done>;
};

export type Sample = {
  readonly perSecond: number;
  /** Microseconds of CPU time per unit, in the server and in the database. */
  readonly serverUs: number;
  readonly databaseUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Number of cores that other processes used. */
  readonly foreignCores: number;
};

export type Comparison = {
  readonly own: Sample;
  readonly other: Sample;
  /** Median over the rounds of the other's cost, divided by the cost of Saldo. */
  readonly ratio: number;
  /** False: other programs disturbed too many rounds, and all rounds count. */
  readonly isQuiet: boolean;
};

const CONNECTIONS = 32;
/** A twentieth of the smallest supported machine. */
const DISTURBED_FROM_CORES = 0.1;

export class Bench {
  readonly plan: Plan;
  private readonly generator: Generator;
  private readonly postmaster: number;

  constructor(generator: Generator, postmaster: number, plan: Plan) {
    this.generator = generator;
    this.postmaster = postmaster;
    this.plan = plan;
  }

  /** Keeps connections busy with these requests for one round. */
  requests(
    { pid, port }: BenchServer,
    targets: readonly Target[],
    { connections = CONNECTIONS, milliseconds = this.plan.milliseconds } = {},
  ): Contestant {
    const round = async () => {
      const { requests, ...times } = await this.generator.load({ port, targets, connections, milliseconds });
      return { units: requests, ...times };
    };
    return { pid, round };
  }

  /**
   * Node compiles during the warm-up. Rounds that other programs disturbed are repeated, up to the planned number: a
   * server that has to wait batches fewer requests, so each costs more, and that affects the faster one more.
   */
  async compare(own: Contestant, other: Contestant): Promise<Comparison> {
    const { rounds, warmUps } = this.plan;
    const pair = async () => [await this.sample(own), await this.sample(other)] as const;
    for (let round = 0; round < warmUps; round++) await pair();
    const all: (readonly [Sample, Sample])[] = [];
    const quiet: typeof all = [];
    while (quiet.length < rounds && all.length < 2 * rounds) {
      const samples = await pair();
      all.push(samples);
      if (samples.every(({ foreignCores }) => foreignCores < DISTURBED_FROM_CORES)) quiet.push(samples);
    }
    const isQuiet = quiet.length >= rounds / 2;
    const counted = isQuiet ? quiet : all;
    return {
      own: medianSample(counted.map(([sample]) => sample)),
      other: medianSample(counted.map(([, sample]) => sample)),
      ratio: median(counted.map(([ofOwn, ofOther]) => costOf(ofOther) / costOf(ofOwn))),
      isQuiet,
    };
  }

  /** The median of some rounds, for what is not compared. */
  async measure(contestant: Contestant, rounds = this.plan.rounds): Promise<Sample> {
    const samples: Sample[] = [];
    for (let round = 0; round < rounds; round++) samples.push(await this.sample(contestant));
    return medianSample(samples);
  }

  private async sample(contestant: Contestant): Promise<Sample> {
    await contestant.prepare?.();
    const [before, startedAt] = [this.cpuTimes(contestant), performance.now()];
    const { units, p50Ms = 0, p99Ms = 0 } = await contestant.round();
    const [after, seconds] = [this.cpuTimes(contestant), (performance.now() - startedAt) / 1000];
    const took = (what: keyof typeof after) => after[what] - before[what];
    return {
      perSecond: units / seconds,
      serverUs: (took('server') * 1e6) / units,
      databaseUs: (took('database') * 1e6) / units,
      p50Ms,
      p99Ms,
      foreignCores: (took('machine') - took('server') - took('database') - took('generator')) / seconds,
    };
  }

  private cpuTimes({ pid }: Contestant) {
    return {
      server: pid === null ? 0 : familyCpuSeconds(pid),
      database: familyCpuSeconds(this.postmaster),
      generator: cpuSeconds(this.generator.pid) + cpuSeconds(process.pid),
      machine: machineCpuSeconds(),
    };
  }
}

export const costOf = ({ serverUs, databaseUs }: Sample): number => serverUs + databaseUs;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function medianSample(samples: readonly Sample[]): Sample {
  const of = (member: keyof Sample) => median(samples.map((sample) => sample[member]));
  return {
    perSecond: of('perSecond'),
    serverUs: of('serverUs'),
    databaseUs: of('databaseUs'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    foreignCores: of('foreignCores'),
  };
}

/** A row of the table that is the result of every run. */
export type Row = {
  readonly what: string;
  readonly own: string;
  readonly other: string;
  readonly ratio: string;
  readonly goal: string;
  readonly isMet: boolean;
};

type Aim = { readonly atLeast: number } | { readonly atMost: number };

export const count = (value: number): string => Math.round(value).toLocaleString('en');
export const digits =
  (number: number, unit: string) =>
  (value: number): string =>
    `${value.toFixed(number)} ${unit}`;

function judged(value: number, text: (value: number) => string, aim?: Aim) {
  if (aim === undefined) return { goal: '', isMet: true };
  return 'atLeast' in aim
    ? { goal: `≥ ${text(aim.atLeast)}`, isMet: value >= aim.atLeast }
    : { goal: `≤ ${text(aim.atMost)}`, isMet: value <= aim.atMost };
}

/** A number by itself, such as seconds or bytes, perhaps beside one of something else. */
export const valueRow = (
  what: string,
  value: number,
  text: (value: number) => string,
  aim?: Aim,
  other = '',
): Row => ({ what, own: text(value), other, ratio: '', ...judged(value, text, aim) });

/** The goal is the least ratio of the other's cost to the cost of Saldo. */
export function comparisonRow(
  what: string,
  otherName: string,
  { own, other, ratio, isQuiet }: Comparison,
  least?: number,
): Row {
  const times = digits(2, '×');
  return {
    what: isQuiet ? what : `${what} (disturbed)`,
    own: sampleText(own),
    other: `${otherName}: ${sampleText(other)}`,
    ratio: times(ratio),
    ...judged(ratio, times, least === undefined ? undefined : { atLeast: least }),
  };
}

export function sampleText(sample: Sample): string {
  const { perSecond, p99Ms } = sample;
  const latency = p99Ms > 0 ? `, p99 ${p99Ms.toFixed(1)} ms` : '';
  const cost = costOf(sample);
  return `${cost < 100 ? cost.toPrecision(3) : count(cost)} µs, ${count(perSecond)}/s${latency}`;
}
