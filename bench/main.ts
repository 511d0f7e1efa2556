/** Measures a running server against the least that the same work can cost. See README.md beside this file. */
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../server/src/db/embedded.ts';
import { slotCount } from '../server/src/domain/delivery-day.ts';
import { hasCpuTimes, parentOf } from './cpu.ts';
import { measureEngine } from './engine.ts';
import { measureExchange } from './exchange.ts';
import { measureImport } from './import.ts';
import type { Target } from './load.ts';
import { measureMarket } from './market.ts';
import { Bench, type Comparison, type Contestant, type Plan } from './measure.ts';
import { goalsOf, machineFacts, oneLine, type Results, save, tables } from './report.ts';
import { assertSameBodies, type BenchServer, type Generator, Processes } from './servers.ts';
import { askedBy, contractPages, dayPages, singleContracts } from './targets.ts';
import { type BenchWorld, createWorld, loadVolumes, type WorldSize } from './world.ts';

const FOLDER = fileURLToPath(new URL('./data', import.meta.url));
const SMALL: WorldSize = { contracts: 105, days: 10 };
const CONNECTIONS = 32;

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const size: WorldSize = options.quick ? { contracts: 210, days: 50 } : { contracts: 1050, days: 100 };
/** Many short rounds: the median of their ratios forgives a machine that has other things to do now and then. */
const plan: Plan = {
  rounds: options.quick ? 5 : 11,
  milliseconds: options.quick ? 600 : 1000,
  connections: CONNECTIONS,
};

const SCENARIOS: Record<string, (world: BenchWorld) => Target[]> = {
  'contract’s transactions': contractPages,
  'day’s transactions': dayPages,
  'single contract': singleContracts,
};

const startedAt = Date.now();
function say(message: string): void {
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${message}\n`);
}

async function main(): Promise<void> {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const processes = new Processes(FOLDER);
  const embedded = await startEmbeddedPostgres({ dataDir: path.join(FOLDER, 'database'), say });
  try {
    const results = await measure(embedded.url, processes);
    await save(results);
    process.stdout.write(`\n${tables(results)}\n\n`);
    const missed = goalsOf(results).filter(({ met }) => !met);
    say(
      missed.length === 0
        ? 'All goals are met.'
        : `${missed.length} goals are missed; that is no failure of the run.`,
    );
  } finally {
    await processes.stop();
    await embedded.stop();
    await rm(FOLDER, { recursive: true, force: true });
  }
}

async function measure(databaseUrl: string, processes: Processes): Promise<Results> {
  const { postgres, postmaster } = await databaseFacts(databaseUrl);
  const { world, small, loading } = await load(databaseUrl);
  const generator = processes.generator();
  const bench = new Bench(generator, postmaster, plan);
  const servers = {
    product: await processes.product('product', world.url),
    small: await processes.product('product on the small world', small.url),
    limit: await processes.limit(world.url),
  };
  const ports = [servers.product.port, servers.limit.port];
  for (const targetsOf of Object.values(SCENARIOS)) await assertSameBodies(ports, targetsOf(world));
  say('Both servers answer with the same bytes.');

  const againstLimit: Record<string, Comparison> = {};
  const againstSmall: Record<string, Comparison> = {};
  const compare = async (title: string, first: Contestant, second: Contestant) => {
    const comparison = await bench.compare(first, second);
    say(`${title}: ${oneLine(comparison)}`);
    return comparison;
  };
  const contestants = Object.entries(SCENARIOS).map(([name, targetsOf]) => ({
    name,
    product: { server: servers.product, targets: targetsOf(world) },
    limit: { server: servers.limit, targets: targetsOf(world) },
    onSmall: { server: servers.small, targets: targetsOf(small) },
  }));
  await bench.warmUp(contestants.flatMap(({ product, limit, onSmall }) => [product, limit, onSmall]));
  for (const { name, product, limit, onSmall } of contestants) {
    againstLimit[name] = await compare(`${name}, against the bare server`, product, limit);
    againstSmall[name] = await compare(`${name}, against the small world`, product, onSmall);
  }
  const walked = await walkAll(generator, servers.product, world);
  const page = (target: Target) => ({ server: servers.product, targets: [target] });
  const lastAgainstFirst = await compare(
    'last page, against the first',
    page(walked.last),
    page(walked.first),
  );
  const market = await measureMarket(
    await createDatabase(databaseUrl, 'market'),
    processes,
    bench,
    (name, comparison) => say(`${name}, against the bare server: ${oneLine(comparison)}`),
  );
  const engine = await measureEngine(await createDatabase(databaseUrl, 'engine'), say);
  const exchange = await measureExchange(await createDatabase(databaseUrl, 'exchange'), say);
  const imports = await measureImport(await createDatabase(databaseUrl, 'import'), processes, say);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: machineFacts(postgres),
    cost: hasCpuTimes ? 'CPU time' : 'wall time',
    loading,
    againstLimit,
    againstSmall,
    smallTransactions: transactionsOf(small, small.contracts.length),
    walk: { pages: walked.pages, records: walked.records, seconds: walked.seconds, lastAgainstFirst },
    market,
    imports,
    engine,
    exchange,
  };
}

async function load(databaseUrl: string) {
  say(`Making ${size.contracts} contracts, and ${SMALL.contracts} in a small world beside them…`);
  const world = await createWorld(databaseUrl, size);
  const small = await createWorld(await createDatabase(databaseUrl, 'small'), SMALL);
  await loadVolumes(small, () => {});
  say(`Loading ${size.contracts * size.days} contract-days…`);
  const loading = await loadVolumes(world, say);
  say(`Loaded ${loading.transactions} transactions in ${loading.seconds.toFixed(1)} s.`);
  return { world, small, loading };
}

async function databaseFacts(url: string): Promise<{ postgres: string; postmaster: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select current_setting('server_version') as version, pg_backend_pid() as pid",
  );
  const postmaster = hasCpuTimes ? parentOf(rows[0].pid) : 0;
  await client.end();
  return { postgres: rows[0].version, postmaster };
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`).finally(() => client.end());
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

const transactionsOf = ({ days }: BenchWorld, contracts: number) =>
  days.reduce((sum, day) => sum + contracts * slotCount(day), 0);

/** Reads everything that the largest BRP can see, and makes sure that nothing is missing. */
async function walkAll(generator: Generator, { port }: BenchServer, world: BenchWorld) {
  const brp = world.brps[0]!;
  const first: Target = { path: '/v1/transactions?limit=100', headers: askedBy(brp) };
  const expected = transactionsOf(world, brp.contracts.length);
  say(`Walking over the ${expected} transactions of the largest BRP…`);
  const walk = await generator.walk({ port, target: first, maxPages: Math.ceil(expected / 100) + 1 });
  if (walk.records !== expected)
    throw new Error(`the walk found ${walk.records} of ${expected} transactions`);
  return { ...walk, first, last: { ...first, path: walk.lastFull } };
}

await main();
