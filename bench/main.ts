/** Compares a running server with the minimum cost of the same work and with alternatives. See README.md. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import { SALDO } from '../server/src/platform/db/embedded.ts';
import { measureAsOf } from './as-of.ts';
import { measureBulk } from './bulk.ts';
import { Databases } from './databases.ts';
import { measureEvents, measureLedger } from './events.ts';
import { measureExports } from './exports.ts';
import { measureGrowth } from './growth.ts';
import { measureImport } from './import.ts';
import { measureLimit } from './limit.ts';
import { measureLists } from './lists.ts';
import { measureMarket } from './market.ts';
import { Bench, type Row } from './measure.ts';
import { measureMove } from './move.ts';
import { measureNominations } from './nominations.ts';
import { measureOverload } from './overload.ts';
import { measureReplica } from './replica.ts';
import { measureRequestLog } from './requests.ts';
import { measureRivals } from './rivals.ts';
import { type Run, SIZES } from './run.ts';
import { measureSeries } from './series.ts';
import { Processes } from './servers.ts';
import { measureWebhooks } from './webhooks.ts';

const SCENARIOS: Readonly<Record<string, (run: Run) => AsyncGenerator<Row>>> = {
  'the bare server': measureLimit,
  rivals: measureRivals,
  'bulk reads': measureBulk,
  imports: measureImport,
  series: measureSeries,
  exports: measureExports,
  events: measureEvents,
  'the ledger': measureLedger,
  webhooks: measureWebhooks,
  nominations: measureNominations,
  'a move': measureMove,
  overload: measureOverload,
  lists: measureLists,
  'the market': measureMarket,
  'a replica': measureReplica,
  'the log of requests': measureRequestLog,
  'as of': measureAsOf,
  growth: measureGrowth,
};
const FOLDER = fileURLToPath(new URL('./data', import.meta.url));
const README = new URL('./README.md', import.meta.url);
const [BEGIN, END] = ['<!-- results -->', '<!-- end of results -->'];

function readOptions() {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: { quick: flag, full: flag, only: { type: 'string', multiple: true, default: [] } },
  });
  if (values.quick && values.full) throw new Error('Choose one of --quick and --full.');
  const size = values.quick ? 'quick' : values.full ? 'full' : 'default';
  const unknown = values.only.find((name) => !(name in SCENARIOS));
  if (unknown !== undefined) throw new Error(`--only takes one of "${Object.keys(SCENARIOS).join('", "')}".`);
  return { size, only: values.only } as const;
}

const startedAt = performance.now();
const log = (message: string) => {
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${message}\n`);
};

async function main(): Promise<void> {
  const { size, only } = readOptions();
  const names = only.length > 0 ? only : Object.keys(SCENARIOS);
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const processes = new Processes(FOLDER);
  const embedded = await startEmbeddedPostgres({
    application: SALDO,
    dataDir: path.join(FOLDER, 'database'),
    say: log,
  });
  try {
    const databases = new Databases(embedded.url);
    const { version, postmaster } = await databases.facts();
    const generator = processes.generator();
    const bench = new Bench(generator, postmaster, SIZES[size].plan);
    const run: Run = { sizes: SIZES[size], databases, postmaster, processes, generator, bench, log };
    const rows: Row[] = [];
    for (const name of names) {
      log(name);
      for await (const row of SCENARIOS[name]!(run)) {
        rows.push(row);
        log(`  ${cellsOf(row).filter(Boolean).join('; ')}`);
      }
    }
    const page = `${machineText(size, version)}\n\n${tableOf(rows)}`;
    process.stdout.write(`\n${page}\n\n`);
    if (size !== 'quick' && only.length === 0) await savePage(page);
  } finally {
    await processes.stop();
    await embedded.stop();
    await rm(FOLDER, { recursive: true, force: true });
  }
}

const cellsOf = ({ what, own, other, ratio, goal, isMet }: Row): string[] => [
  what,
  own,
  other,
  ratio,
  isMet ? goal : `**missed: ${goal}**`,
];

function tableOf(rows: readonly Row[]): string {
  const head = ['what', 'Saldo', 'compared with', 'ratio', 'goal'];
  const lines = [head, head.map(() => '---'), ...rows.map(cellsOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function machineText(size: string, postgres: string): string {
  const [date, cpu] = [new Date().toISOString().slice(0, 10), os.cpus()[0]?.model.trim() || 'unknown'];
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return (
    `${date}, ${size}, ${cpu}, ${os.availableParallelism()} cores, ${memory} GB, ` +
    `${os.type()} ${os.release()} ${os.arch()}, Node ${process.version}, Postgres ${postgres}.`
  );
}

async function savePage(page: string): Promise<void> {
  const [before, rest = ''] = (await readFile(README, 'utf8')).split(BEGIN, 2);
  const [, after] = rest.split(END, 2);
  if (after === undefined) throw new Error(`README.md has no ${BEGIN} … ${END}`);
  await writeFile(README, `${before}${BEGIN}\n\n${page}\n\n${END}${after}`);
}

await main();
