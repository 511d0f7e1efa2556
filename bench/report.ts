import { mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { hasCpuTimes } from './cpu.ts';
import type { EngineResults } from './engine.ts';
import type { ExchangeResults } from './exchange.ts';
import type { ImportResults } from './import.ts';
import type { MarketResults } from './market.ts';
import { type Comparison, costOf, type Sample } from './measure.ts';
import { type LoadResult, totalBytes } from './world.ts';

export type Results = {
  readonly date: string;
  readonly machine: {
    cpu: string;
    cores: number;
    memoryGb: number;
    system: string;
    node: string;
    postgres: string;
  };
  readonly cost: 'CPU time' | 'wall time';
  readonly loading: LoadResult;
  /** Named after their scenario; the first of each is the product, the second the bare server. */
  readonly againstLimit: Readonly<Record<string, Comparison>>;
  /** The first of each is the large world, the second the small one. */
  readonly againstSmall: Readonly<Record<string, Comparison>>;
  readonly smallTransactions: number;
  readonly walk: { pages: number; records: number; seconds: number; lastAgainstFirst: Comparison };
  readonly market: MarketResults;
  readonly imports: ImportResults;
  readonly engine: EngineResults;
  readonly exchange: ExchangeResults;
};

export type Goal = { what: string; aim: string; measured: string; met: boolean };

/** Shares of what the bare server does with the same CPU time. */
const LIMIT_GOALS: Record<string, number> = {
  'contract’s transactions': 0.8,
  'day’s transactions': 0.8,
  'single contract': 0.7,
};
/** The same for every page of the customer API's lists. */
const MARKET_GOAL = 0.7;
const MOST_OVER_FIRST_PAGE = 1.3;
const MOST_OVER_SMALL_WORLD = 1.3;
const MOST_BYTES = 8;
/** Transactions per second, over HTTP into an empty day. */
const IMPORT_GOALS: Record<string, number> = { CSV: 300_000, 'NDJSON, a day a line': 1_000_000 };
const MOST_IMPORT_MEGABYTES = 300;

export function machineFacts(postgres: string): Results['machine'] {
  return {
    cpu: os.cpus()[0]?.model.trim() || 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    postgres,
  };
}

export function goalsOf(results: Results): Goal[] {
  const { againstLimit, againstSmall, walk, loading } = results;
  const share = (comparison: Comparison) => 1 / comparison.costRatio;
  const bytes = totalBytes(loading) / loading.transactions;
  return [
    ...Object.entries(againstLimit).map(([name, comparison]) => ({
      what: `${name}: requests per second of ${results.cost}, against the bare server`,
      aim: `≥ ${percent(LIMIT_GOALS[name] ?? 1)}`,
      measured: percent(share(comparison)),
      met: share(comparison) >= (LIMIT_GOALS[name] ?? 1),
    })),
    ...Object.entries(results.market.againstLimit).map(([name, comparison]) => ({
      what: `${name} of ${count(results.market.records)}: requests per second of ${results.cost}, against the bare server`,
      aim: `≥ ${percent(MARKET_GOAL)}`,
      measured: percent(share(comparison)),
      met: share(comparison) >= MARKET_GOAL,
    })),
    {
      what: `the last full page of a walk over ${count(walk.records)} transactions, against the first`,
      aim: `≤ ${MOST_OVER_FIRST_PAGE} ×`,
      measured: times(walk.lastAgainstFirst.costRatio),
      met: walk.lastAgainstFirst.costRatio <= MOST_OVER_FIRST_PAGE,
    },
    ...Object.entries(againstSmall).map(([name, { costRatio }]) => ({
      what: `${name}: with ${count(loading.transactions)} transactions, against ${count(results.smallTransactions)}`,
      aim: `≤ ${MOST_OVER_SMALL_WORLD} ×`,
      measured: times(costRatio),
      met: costRatio <= MOST_OVER_SMALL_WORLD,
    })),
    {
      what: 'bytes on disk per transaction, all indexes included',
      aim: `≤ ${MOST_BYTES}`,
      measured: bytes.toFixed(2),
      met: bytes <= MOST_BYTES,
    },
    ...importGoals(results.imports),
    ...engineGoals(results.engine),
    exchangeGoal(results.exchange),
  ];
}

const ENGINE_GOALS = { firstSeconds: 3, unchangedSeconds: 0.5, correctionMs: 50 };

function engineGoals({ positions, firstSeconds, unchangedSeconds, correctionMs }: EngineResults): Goal[] {
  const goal = (what: string, measured: number, aim: number, unit: string): Goal => ({
    what,
    aim: `≤ ${aim} ${unit}`,
    measured: `${measured.toPrecision(2)} ${unit}`,
    met: measured <= aim,
  });
  return [
    goal(
      `netting a market day of ${count(positions)} positions`,
      firstSeconds,
      ENGINE_GOALS.firstSeconds,
      's',
    ),
    goal('netting all of them again without a change', unchangedSeconds, ENGINE_GOALS.unchangedSeconds, 's'),
    goal(
      'one corrected slot, to new versions of both positions',
      correctionMs,
      ENGINE_GOALS.correctionMs,
      'ms',
    ),
  ];
}

const EXCHANGE_GOAL_S = 10;

function exchangeGoal(results: ExchangeResults): Goal {
  const { positions, sentMegabytes, receivedMegabytes, sendSeconds, receiveSeconds } = results;
  const seconds = sendSeconds + receiveSeconds;
  return {
    what:
      `a day of ${count(positions)} positions as schedules (${count(sentMegabytes)} MB) built, written and sent, ` +
      `and its confirmations (${count(receivedMegabytes)} MB) applied`,
    aim: `≤ ${EXCHANGE_GOAL_S} s`,
    measured: `${sendSeconds.toFixed(1)} + ${receiveSeconds.toFixed(1)} s`,
    met: seconds <= EXCHANGE_GOAL_S,
  };
}

function importGoals({ contracts, measures }: ImportResults): Goal[] {
  return measures.flatMap(({ name, transactionsPerSecond, peakMegabytes }) => {
    const aim = IMPORT_GOALS[name];
    if (aim === undefined) return [];
    const what = `import of a market day of ${count(contracts)} contracts as ${name}`;
    const speed = {
      what: `${what}: transactions/s`,
      aim: `≥ ${count(aim)}`,
      measured: count(transactionsPerSecond),
      met: transactionsPerSecond >= aim,
    };
    if (peakMegabytes === null) return [speed];
    const memory = {
      what: `${what}: most memory of the server so far, MB`,
      aim: `< ${MOST_IMPORT_MEGABYTES}`,
      measured: count(peakMegabytes),
      met: peakMegabytes < MOST_IMPORT_MEGABYTES,
    };
    return [speed, memory];
  });
}

export function tables(results: Results): string {
  const { machine, loading, againstLimit, walk } = results;
  const goals = goalsOf(results).map(({ what, aim, measured, met }) => [
    what,
    aim,
    measured,
    met ? 'met' : '**missed**',
  ]);
  const sides = Object.entries({ ...againstLimit, ...results.market.againstLimit }).flatMap(
    ([name, { first, second }]) => [
      [name, 'Saldo', ...sampleCells(first)],
      ['', 'bare server', ...sampleCells(second)],
    ],
  );
  const { first, second } = walk.lastAgainstFirst;
  return [
    `${results.date}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ` +
      `Node ${machine.node}, Postgres ${machine.postgres}.`,
    table(['goal', 'aim', 'measured', ''], goals),
    table(
      ['request', 'server', 'requests/s', 'server µs', 'database µs', 'p50 ms', 'p99 ms'],
      [
        ...sides,
        ['last page of the walk', 'Saldo', ...sampleCells(first)],
        ['first page of the walk', 'Saldo', ...sampleCells(second)],
      ],
    ),
    `Loading ${count(loading.contractDays)} contract-days (${count(loading.transactions)} transactions) took ` +
      `${loading.seconds.toFixed(1)} s: ${count(loading.contractDays / loading.seconds)} contract-days/s, ` +
      `${count(loading.transactions / loading.seconds)} transactions/s. On disk they take ` +
      `${megabytes(totalBytes(loading))}, of which ${megabytes(loading.bytes.table)} are the table and the rest ` +
      `its ${Object.keys(loading.bytes.indexes).length} indexes. The walk read ${count(walk.pages)} pages one after ` +
      `the other in ${walk.seconds.toFixed(1)} s.`,
    table(
      ['import over HTTP', 'transactions/s', 'MB', 'seconds of each round', 'server’s peak MB'],
      results.imports.measures.map(
        ({ name, transactionsPerSecond, megabytes: size, seconds, peakMegabytes }) => [
          name,
          count(transactionsPerSecond),
          count(size),
          seconds.map((second) => second.toFixed(2)).join(' '),
          peakMegabytes === null ? '' : count(peakMegabytes),
        ],
      ),
    ),
    ...disturbances(results),
    ...(hasCpuTimes ? [] : ['This system does not tell CPU times of processes: costs are wall time.']),
  ].join('\n\n');
}

/** Shares that were measured while the machine had other things to do flatter the slower side. */
function disturbances({ againstLimit, againstSmall, market, walk }: Results): string[] {
  const sets = [againstLimit, againstSmall, market.againstLimit];
  const all = [...sets.flatMap((comparisons) => Object.values(comparisons)), walk.lastAgainstFirst];
  const disturbed = all.filter(({ quiet }) => !quiet).length;
  if (disturbed === 0) return [];
  return [
    `**The machine was busy with something else** during most rounds of ${disturbed} of the ${all.length} comparisons: ` +
      'their ratios are not to be relied on.',
  ];
}

const sampleCells = (sample: Sample): string[] => [
  count(sample.requestsPerSecond),
  sample.serverUs.toFixed(0),
  sample.databaseUs.toFixed(0),
  sample.p50Ms.toFixed(1),
  sample.p99Ms.toFixed(1),
];

export const oneLine = (comparison: Comparison): string => {
  const { first, second, ratios, quiet } = comparison;
  const rounds = ratios.map((ratio) => ratio.toFixed(2)).join(' ');
  const busy = quiet
    ? ''
    : `, disturbed: ${first.foreignCores.toFixed(1)} cores were busy with something else`;
  return `${costOf(first).toFixed(0)} µs against ${costOf(second).toFixed(0)} µs a request, rounds ${rounds}${busy}`;
};

const count = (value: number) => Math.round(value).toLocaleString('en');
const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
const times = (ratio: number) => `${ratio.toFixed(2)} ×`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const RESULTS = new URL('./results/latest.json', import.meta.url);
const README = new URL('./README.md', import.meta.url);
const [BEGIN, END] = ['<!-- results -->', '<!-- end of results -->'];

export async function save(results: Results): Promise<void> {
  await mkdir(new URL('.', RESULTS), { recursive: true });
  await writeFile(RESULTS, `${JSON.stringify({ goals: goalsOf(results), ...results }, null, 2)}\n`);
  const readme = await readFile(README, 'utf8');
  const [before, rest = ''] = readme.split(BEGIN, 2);
  const after = rest.split(END, 2)[1];
  if (after === undefined) throw new Error(`README.md has no ${BEGIN} … ${END}`);
  await writeFile(README, `${before}${BEGIN}\n\n${tables(results)}\n\n${END}${after}`);
}
