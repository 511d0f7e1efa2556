/** How every scenario measures: two contestants in alternating rounds, a ratio for each round, a row of the table. */
import type { Target } from './connection.ts';
import { cpuSeconds, familyCpuSeconds, machineCpuSeconds } from './cpu.ts';
import type { Goal } from './goals.ts';
import type { BenchServer, Generator } from './servers.ts';

export type Rounds = { readonly rounds: number; readonly warmUps: number };
export type Plan = Rounds & { readonly milliseconds: number };

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

/** A number or ratio over some rounds, and the quartiles of the rounds: the noise of the machine. */
export type Spread = { readonly middle: number; readonly low: number; readonly high: number };

export type Comparison = {
  readonly own: Sample;
  readonly other: Sample;
  /** The other's cost, divided by the cost of Saldo. */
  readonly ratio: Spread;
  /** The same for the p99 of requests: the median of the rounds. */
  readonly p99Ratio: Spread;
  /** False: other programs disturbed too many rounds, and all rounds count. */
  readonly isQuiet: boolean;
};

const CONNECTIONS = 32;
/**
 * V8 compiles until then, in threads that took 40 µs for a single record of the product and 15 for one of the bare server,
 * later less than 6.
 */
const WARM_UP_REQUESTS = 20_000;
/** Enough for the alternatives, which answer few requests in a round and run the same code for each row of a page. */
const WARM_UP_ROUNDS = 20;
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

  /** Call it where a goal is so close that compilation, which is no cost of a request, would count. */
  async warmUp(contestants: readonly Contestant[]): Promise<void> {
    for (const contestant of contestants)
      for (let units = 0, round = 0; units < WARM_UP_REQUESTS && round < WARM_UP_ROUNDS; round++)
        units += (await contestant.round()).units;
  }

  /**
   * Node compiles during the warm-up. Rounds that other programs disturbed are repeated, up to the planned number: a
   * server that has to wait batches fewer requests, so each costs more, and that affects the faster one more.
   */
  async compare(
    own: Contestant,
    other: Contestant,
    { rounds, warmUps }: Rounds = this.plan,
  ): Promise<Comparison> {
    for (let round = 0; round < warmUps; round++) await this.pair(own, other, true);
    const all: [Sample, Sample][] = [];
    const quiet: typeof all = [];
    while (quiet.length < rounds && all.length < 2 * rounds) {
      const samples = await this.pair(own, other, all.length % 2 === 0);
      all.push(samples);
      if (samples.every(({ foreignCores }) => foreignCores < DISTURBED_FROM_CORES)) quiet.push(samples);
    }
    const isQuiet = quiet.length >= rounds / 2;
    const counted = isQuiet ? quiet : all;
    const [ofAllOwn, ofAllOther] = [0, 1].map((at) => summaryOf(counted.map((samples) => samples[at]!)));
    const ratios = spreadOf(counted.map(([ofOwn, ofOther]) => costOf(ofOther) / costOf(ofOwn)));
    return {
      own: ofAllOwn!,
      other: ofAllOther!,
      ratio: { ...ratios, middle: costOf(ofAllOther!) / costOf(ofAllOwn!) },
      p99Ratio: spreadOf(counted.map(([ofOwn, ofOther]) => ofOther.p99Ms / ofOwn.p99Ms)),
      isQuiet,
    };
  }

  /** Each is first in every second round, so that a machine that becomes faster or slower favours neither. */
  private async pair(own: Contestant, other: Contestant, isOwnFirst: boolean): Promise<[Sample, Sample]> {
    if (isOwnFirst) return [await this.sample(own), await this.sample(other)];
    const ofOther = await this.sample(other);
    return [await this.sample(own), ofOther];
  }

  /** For what is not compared. */
  async measure(contestant: Contestant, rounds = this.plan.rounds): Promise<Sample[]> {
    const samples: Sample[] = [];
    for (let round = 0; round < rounds; round++) samples.push(await this.sample(contestant));
    return samples;
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

/** Interpolates between the two values next to the quantile, because rounds are few. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const quantile = (share: number) => {
    const at = share * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
    return below + (above - below) * (at % 1);
  };
  return { low: quantile(0.25), middle: quantile(0.5), high: quantile(0.75) };
}

export const median = (values: readonly number[]): number => spreadOf(values).middle;

/**
 * A mean, because a major garbage collection is in one round of several and belongs to the cost of each; without a tenth of
 * the rounds at each end, because other load of the machine does not.
 */
function trimmedMean(values: readonly number[]): number {
  const each = Math.round(values.length / 10);
  const counted = values.toSorted((a, b) => a - b).slice(each, values.length - each);
  return counted.reduce((sum, value) => sum + value, 0) / counted.length;
}

/** The mean costs, and the medians of everything else. */
export function summaryOf(samples: readonly Sample[]): Sample {
  const of = (member: keyof Sample) => samples.map((sample) => sample[member]);
  return {
    perSecond: median(of('perSecond')),
    serverUs: trimmedMean(of('serverUs')),
    databaseUs: trimmedMean(of('databaseUs')),
    p50Ms: median(of('p50Ms')),
    p99Ms: median(of('p99Ms')),
    foreignCores: median(of('foreignCores')),
  };
}

/** A row of the table that is the result of every run. */
export type Row = {
  readonly what: string;
  readonly own: string;
  readonly other: string;
  readonly ratio: string;
  /** The quartiles of the ratio or of the number, where several rounds measured it. */
  readonly noise: string;
  readonly value: Spread;
  readonly goal: Goal | null;
  readonly goalText: string;
  readonly isMet: boolean;
  /** Of a smaller dataset than the largest, and so not in the table. */
  readonly isStep?: boolean;
  /** A point of the picture of growth. */
  readonly point?: { readonly line: string; readonly transactions: number; readonly smallest: number };
};

export const count = (value: number): string => Math.round(value).toLocaleString('en');
export const digits =
  (number: number, unit: string) =>
  (value: number): string =>
    `${value.toFixed(number)} ${unit}`;
export const times = digits(2, '×');

function judged(value: Spread, text: (value: number) => string, goal: Goal | null) {
  const noise = value.low === value.high ? '' : `${text(value.low)} to ${text(value.high)}`;
  const judgement = { value, noise, goal };
  if (goal === null) return { ...judgement, goalText: '', isMet: true };
  return 'atLeast' in goal
    ? { ...judgement, goalText: `≥ ${text(goal.atLeast)}`, isMet: value.middle >= goal.atLeast }
    : { ...judgement, goalText: `≤ ${text(goal.atMost)}`, isMet: value.middle <= goal.atMost };
}

/** A number by itself, such as seconds or bytes, perhaps beside one of something else. */
export function valueRow(
  what: string,
  value: number | Spread,
  text: (value: number) => string,
  goal: Goal | null = null,
  other = '',
): Row {
  const spread = typeof value === 'number' ? { middle: value, low: value, high: value } : value;
  return { what, own: text(spread.middle), other, ratio: '', ...judged(spread, text, goal) };
}

/** The other's cost divided by ours; with a goal that is an upper bound, our cost divided by the other's. */
export function comparisonRow(
  what: string,
  otherName: string,
  { own, other, ratio, isQuiet }: Comparison,
  goal: Goal | null = null,
): Row {
  const shown = goal !== null && 'atMost' in goal ? inverse(ratio) : ratio;
  return {
    what: isQuiet ? what : `${what} (disturbed)`,
    own: sampleText(own),
    other: `${otherName}: ${sampleText(other)}`,
    ratio: times(shown.middle),
    ...judged(shown, times, goal),
  };
}

export const inverse = ({ middle, low, high }: Spread): Spread => ({
  middle: 1 / middle,
  low: 1 / high,
  high: 1 / low,
});

export function sampleText(sample: Sample): string {
  const { perSecond, p99Ms } = sample;
  const latency = p99Ms > 0 ? `, p99 ${p99Ms.toFixed(1)} ms` : '';
  const cost = costOf(sample);
  return `${cost < 100 ? cost.toPrecision(3) : count(cost)} µs, ${count(perSecond)}/s${latency}`;
}
