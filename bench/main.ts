/** Compares a running server with the minimum cost of the same work and with alternatives. See README.md. */

import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { slotCount } from '@saldo/core/delivery-day.ts';
import { startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import { SALDO } from '../server/src/platform/db/embedded.ts';
import { measureBulk } from './bulk.ts';
import type { Target } from './connection.ts';
import { hasCpuTimes } from './cpu.ts';
import { Databases } from './databases.ts';
import { measureEngine } from './engine.ts';
import { measureEvents } from './events.ts';
import { measureExchange } from './exchange.ts';
import { measureExports } from './exports.ts';
import { goalsOf } from './goals.ts';
import { measureGrowth } from './growth.ts';
import { measureGuard } from './guard.ts';
import { measureImport } from './import.ts';
import { listPlan, measureLists } from './lists.ts';
import { measureMarket } from './market.ts';
import { Bench, type Comparison, type Contestant } from './measure.ts';
import { MODES, type Mode, type PhaseTitle } from './modes.ts';
import { measureMove } from './move.ts';
import { measureOverload } from './overload.ts';
import { measurePgbench } from './pgbench.ts';
import { Progress } from './progress.ts';
import { measureReplica } from './replica.ts';
import { machineFacts, oneLine, save, tables } from './report.ts';
import type { Results } from './results.ts';
import { measureRivals } from './rivals.ts';
import { measureSaldo } from './saldo.ts';
import { assertSameBodies, type BenchServer, type Generator, Processes } from './servers.ts';
import { askedBy, SCENARIOS } from './targets.ts';
import { measureWebhooks } from './webhooks.ts';
import { measureWorkers } from './workers.ts';
import { type BenchWorld, createWorld, loadVolumes } from './world.ts';

const FOLDER = fileURLToPath(new URL('./data', import.meta.url));

/** Duration in rounds, because this part is a single measurement and no comparison. */
const PGBENCH_ROUNDS = 5;

type Asked = { readonly mode: Mode; readonly phases: typeof PHASES };

/** The results of a run with `--only` are not stored. */
function whatIsAsked(): Asked {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const options = { smoke: flag, quick: flag, full: flag, only: text, minutes: text } as const;
  const { values } = parseArgs({ options });
  const asked = (['smoke', 'quick', 'full'] as const).filter((name) => values[name]);
  if (asked.length > 1) throw new Error(`Only one of --${asked.join(' and --')} can be asked for.`);
  const chosen: Mode = MODES[asked[0] ?? 'default'];
  const minutes = Number(values.minutes ?? chosen.minutes);
  if (!(minutes > 0)) throw new Error('--minutes takes a number above zero.');
  const mode = { ...chosen, minutes };
  if (values.only === undefined) return { mode, phases: PHASES };
  const phases = PHASES.filter(([title]) => title === values.only);
  const titles = PHASES.map(([title]) => `"${title}"`).join(', ');
  if (phases.length === 0) throw new Error(`--only takes one of ${titles}.`);
  return { mode: { ...mode, keeps: 'nothing' }, phases };
}

async function main(): Promise<void> {
  const { mode, phases } = whatIsAsked();
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const processes = new Processes(FOLDER);
  const progress = new Progress(mode.minutes, phases.length);
  const embedded = await startEmbeddedPostgres({
    application: SALDO,
    dataDir: path.join(FOLDER, 'database'),
    say: progress.say,
  });
  try {
    const results = await measure(embedded.url, processes, { mode, phases }, progress);
    await save(results, mode);
    process.stdout.write(`\n${tables(results)}\n\n`);
    const missed = goalsOf(results).filter(({ met }) => !met).length;
    progress.say(missed === 0 ? 'All goals are met.' : `${missed} goals are missed: no failure of the run.`);
  } finally {
    if (progress.leftOut.length > 0) process.on('uncaughtException', ignoreLostConnection);
    await processes.stop();
    await embedded.stop();
    await rm(FOLDER, { recursive: true, force: true });
  }
  // Parts that were cut off by the time limit may still wait for something.
  process.exit(0);
}

const ENDED_BY_DATABASE = '57P01';

/** Parts that were cut off by the time limit still have connections, which the database closes when it stops. */
function ignoreLostConnection(error: Error & { code?: string }): void {
  if (error.code === ENDED_BY_DATABASE || /Connection terminated/.test(error.message)) return;
  throw error;
}

/** Context of all phases. */
type Run = {
  readonly mode: Mode;
  readonly progress: Progress;
  readonly results: Results;
  readonly processes: Processes;
  readonly generator: Generator;
  readonly bench: Bench;
  readonly databases: Databases;
  readonly postmaster: number;
  readonly world: BenchWorld;
  readonly say: (message: string, comparison?: Comparison) => void;
};

/** Ordered by importance, because the time limit cuts off the last ones. */
const PHASES: readonly (readonly [title: PhaseTitle, work: (run: Run) => Promise<void>])[] = [
  ['the bare server', againstLimit],
  [
    'rivals',
    async ({ results, databases, processes, bench, mode, say }) => {
      results.rivals = await measureRivals(
        await databases.create('rivals'),
        processes,
        bench,
        mode.rivals,
        say,
      );
    },
  ],
  [
    'bulk reads',
    async ({ results, databases, processes, bench, say }) => {
      results.bulk = await measureBulk(await databases.create('bulk'), processes, bench, say);
    },
  ],
  [
    'the way in',
    async ({ results, world, bench, say }) => {
      results.guard = await measureGuard(world, bench.milliseconds, say);
    },
  ],
  [
    'the saldo of a day',
    async ({ results, databases, postmaster, mode, say }) => {
      const url = await databases.create('saldo');
      results.saldo = await measureSaldo(url, postmaster, mode.saldoContracts, say);
    },
  ],
  [
    'imports',
    async ({ results, databases, processes, postmaster, mode, say }) => {
      results.imports = await measureImport(
        await databases.create('import'),
        processes,
        postmaster,
        say,
        mode.importContracts,
      );
    },
  ],
  [
    'exports',
    async ({ results, databases, processes, generator, postmaster, mode, say }) => {
      results.exports = await measureExports(
        await databases.create('exports'),
        processes,
        generator,
        postmaster,
        mode.exports,
        say,
      );
    },
  ],
  [
    'events',
    async ({ results, databases, processes, bench, postmaster, mode, say }) => {
      const size = { contracts: mode.importContracts, logged: mode.events };
      results.events = await measureEvents(databases, processes, bench, postmaster, size, say);
    },
  ],
  [
    'overload',
    async ({ results, world, processes, generator, bench, say }) => {
      results.overload = await measureOverload(world, processes, generator, bench, say);
    },
  ],
  [
    'workers',
    async ({ results, world, processes, bench, say }) => {
      results.workers = await measureWorkers(world, processes, bench, say);
    },
  ],
  [
    'the same SQL under pgbench',
    async ({ results, world, postmaster, bench, say }) => {
      const folder = path.join(FOLDER, 'pgbench');
      results.pgbench = await measurePgbench(
        world,
        folder,
        postmaster,
        PGBENCH_ROUNDS * bench.milliseconds,
        say,
      );
    },
  ],
  [
    'growth',
    async ({ results, databases, processes, bench, mode, progress, say }) => {
      results.growth = await measureGrowth(databases, processes, bench, mode.growth, progress, say);
    },
  ],
  [
    'lists',
    async ({ results, databases, processes, generator, postmaster, mode, progress, say }) => {
      const bench = new Bench(generator, postmaster, listPlan(mode.plan), progress.isOnPlan);
      results.lists = await measureLists(databases, processes, bench, mode.lists, say);
    },
  ],
  ['a small world', againstSmall],
  ['a walk over everything', walkAll],
  [
    'netting',
    async ({ results, databases, mode, say }) => {
      results.engine = await measureEngine(await databases.create('engine'), mode.engineContracts, say);
    },
  ],
  [
    'a move',
    async ({ results, databases, processes, generator, say }) => {
      results.move = await measureMove(await databases.create('move'), processes, generator, say);
    },
  ],
  [
    'a replica',
    async ({ results, processes, generator, mode, say }) => {
      results.replica = await measureReplica(processes, generator, mode.small, mode.plan.milliseconds, say);
    },
  ],
  [
    'the exchange',
    async ({ results, databases, mode, say }) => {
      results.exchange = await measureExchange(
        await databases.create('exchange'),
        mode.exchangeContracts,
        say,
      );
    },
  ],
  [
    'the market',
    async ({ results, databases, processes, bench, mode, say }) => {
      const url = await databases.create('market');
      results.market = await measureMarket(url, processes, bench, mode.marketRecords, say);
    },
  ],
  [
    'webhooks',
    async ({ results, databases, processes, mode, say }) => {
      const url = await databases.create('webhooks');
      results.webhooks = await measureWebhooks(url, processes, mode.webhookChanges, say);
    },
  ],
];

async function measure(
  url: string,
  processes: Processes,
  { mode, phases }: Asked,
  progress: Progress,
): Promise<Results> {
  const databases = new Databases(url);
  const { postgres, postmaster } = await databases.facts();
  const { say } = progress;
  say(`Loading ${mode.world.contracts * mode.world.days} contract-days…`);
  const world = await createWorld(await databases.create('world'), mode.world);
  const loading = await loadVolumes(world, say);
  say(`Loaded ${loading.transactions} transactions in ${loading.seconds.toFixed(1)} s.`);
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    mode: mode.name,
    machine: machineFacts(postgres),
    cost: hasCpuTimes ? 'CPU time' : 'wall time',
    loading,
    leftOut: progress.leftOut,
    phases: progress.phases,
  };
  const generator = processes.generator();
  const bench = new Bench(generator, postmaster, mode.plan, progress.isOnPlan);
  const run: Run = {
    ...{ mode, progress, results, processes, generator, bench, databases, postmaster, world },
    say: (message, comparison) => say(comparison ? `${message}: ${oneLine(comparison)}` : message),
  };
  for (const [title, work] of phases) await progress.phase(title, mode.planned[title], () => work(run));
  return results;
}

async function compareAll(
  run: Run,
  name: string,
  sides: (of: (typeof SCENARIOS)[string]) => [Contestant, Contestant],
) {
  const comparisons: Record<string, Comparison> = {};
  for (const [scenario, targetsOf] of Object.entries(SCENARIOS)) {
    const [first, second] = sides(targetsOf);
    await run.bench.warmUp([first, second]);
    comparisons[scenario] = await run.bench.compare(first, second);
    run.say(`${scenario}, against ${name}`, comparisons[scenario]);
  }
  return comparisons;
}

async function againstLimit(run: Run): Promise<void> {
  const { processes, world, results, say } = run;
  const product = await processes.product('product', world.url);
  const limit = await processes.limit(world.url);
  const ports = [product.port, limit.port];
  for (const targetsOf of Object.values(SCENARIOS)) await assertSameBodies(ports, targetsOf(world));
  say('Both servers answer with the same bytes.');
  // Warm up first: code that all requests share would else be compiled during the first measurement.
  for (const targetsOf of Object.values(SCENARIOS)) {
    await run.bench.warmUp([product, limit].map((server) => ({ server, targets: targetsOf(world) })));
  }
  results.againstLimit = await compareAll(run, 'the bare server', (targetsOf) => [
    { server: product, targets: targetsOf(world) },
    { server: limit, targets: targetsOf(world) },
  ]);
  await processes.end(limit);
  const sparing = await processes.limit(world.url, 'reader');
  results.againstSparing = await compareAll(run, 'the bare server with our reader', (targetsOf) => [
    { server: product, targets: targetsOf(world) },
    { server: sparing, targets: targetsOf(world) },
  ]);
  await processes.end(sparing);
  await processes.end(product);
}

async function againstSmall(run: Run): Promise<void> {
  const { processes, world, results, databases, mode } = run;
  const small = await createWorld(await databases.create('small'), mode.small);
  const { transactions } = await loadVolumes(small, () => {});
  const product = await processes.product('product', world.url);
  const onSmall = await processes.product('product on the small world', small.url);
  const pages = await compareAll(run, 'the small world', (targetsOf) => [
    { server: product, targets: targetsOf(world) },
    { server: onSmall, targets: targetsOf(small) },
  ]);
  results.againstSmall = { transactions, pages };
  await processes.end(onSmall);
  await processes.end(product);
}

/** Reads everything that the largest BRP can see, and checks that nothing is missing. */
async function walkAll({ processes, generator, bench, world, results, say }: Run): Promise<void> {
  const brp = world.brps[0]!;
  const target: Target = { path: '/v1/transactions?limit=100', headers: askedBy(brp) };
  const expected = world.days.reduce((sum, day) => sum + brp.contracts.length * slotCount(day), 0);
  const server: BenchServer = await processes.product('product', world.url);
  const job = { port: server.port, target, maxPages: Math.ceil(expected / 100) + 1 };
  const { pages, records, seconds, lastFull } = await generator.walk(job);
  if (records !== expected) throw new Error(`the walk found ${records} of ${expected} transactions`);
  const lastAgainstFirst = await bench.compare(
    { server, targets: [{ ...target, path: lastFull }] },
    { server, targets: [target] },
  );
  say('the last page, against the first', lastAgainstFirst);
  results.walk = { pages, records, seconds, lastAgainstFirst };
  await processes.end(server);
}

await main();
