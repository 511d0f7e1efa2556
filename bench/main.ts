/** Compares a running server with the minimum cost of the same work and with alternatives. See README.md. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '@saldo/postgres/embedded.ts';
import { SALDO } from '../server/src/platform/db/embedded.ts';
import { stolenCpuSeconds } from './cpu.ts';
import { Databases } from './databases.ts';
import { GOALS } from './goals.ts';
import { Bench, count, digits, type Row, times, valueRow } from './measure.ts';
import { goalsPicture, linesPicture, type Panel } from './picture.ts';
import { type Run, SIZES } from './run.ts';
import { SCENARIOS } from './scenarios.ts';
import { Processes } from './servers.ts';

const FOLDER = fileURLToPath(new URL('./data', import.meta.url));
const IMAGES = fileURLToPath(new URL('./images', import.meta.url));
const README = new URL('./README.md', import.meta.url);
const PICTURES = `![Each number of the table as a multiple of its goal, with the quartiles of its rounds](images/goals.svg)

![Costs of a page as the number of transactions grows](images/growth.svg)`;

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

/** Runs the scenarios. Returns their rows and the version of Postgres. */
async function measure(size: keyof typeof SIZES, names: readonly string[]): Promise<[Row[], string]> {
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
    const add = (row: Row) => {
      rows.push(row);
      log(`  ${cellsOf(row).filter(Boolean).join('; ')}`);
    };
    for (const name of names) {
      log(name);
      for await (const row of SCENARIOS[name]!.measure(run)) add(row);
    }
    const { name, megabytes } = processes.peak;
    add(valueRow(`most memory of a server (${name})`, megabytes, digits(0, 'MB'), GOALS.memoryMegabytes));
    return [rows, version];
  } finally {
    await processes.stop();
    await embedded.stop();
    await emptyFolder();
  }
}

async function emptyFolder(): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
}

async function main(): Promise<void> {
  const { size, only } = readOptions();
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  await savePart('scenarios', scenariosTable());
  await emptyFolder();
  const stolenBefore = stolenCpuSeconds();
  const [rows, version] = await measure(size, only.length > 0 ? only : Object.keys(SCENARIOS));
  const seconds = (performance.now() - startedAt) / 1000;
  const stolen = (stolenCpuSeconds() - stolenBefore) / seconds / os.availableParallelism();
  const results = `${machineText(size, version, stolen)}\n\n${resultsTable(rows)}`;
  process.stdout.write(`\n${results}\n\n`);
  await savePictures(rows, FOLDER);
  if (size === 'quick' || only.length > 0) return;
  await savePictures(rows, IMAGES);
  await savePart('results', `${results}\n\n${PICTURES}`);
}

const cellsOf = ({ what, own, other, ratio, noise, goalText, isMet }: Row): string[] => [
  what,
  own,
  other,
  ratio,
  noise,
  isMet ? goalText : `**missed: ${goalText}**`,
];

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const scenariosTable = () =>
  table(
    ['scenario (`--only`)', 'question'],
    Object.entries(SCENARIOS).map(([name, { question }]) => [name, question]),
  );

const resultsTable = (rows: readonly Row[]) =>
  table(['what', 'Saldo', 'compared with', 'ratio', 'quartiles', 'goal'], rows.map(cellsOf));

function machineText(size: string, postgres: string, stolen: number): string {
  const [date, cpu] = [new Date().toISOString().slice(0, 10), os.cpus()[0]?.model.trim() || 'unknown'];
  const memory = Math.round(os.totalmem() / 2 ** 30);
  return (
    `${date}, ${size}, ${cpu}, ${os.availableParallelism()} cores, ${memory} GB, ` +
    `${os.type()} ${os.release()} ${os.arch()}, Node ${process.version}, Postgres ${postgres}; ` +
    `${(stolen * 100).toFixed(1)} % of the processor time was taken by the host.`
  );
}

async function savePictures(rows: readonly Row[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'goals.svg'), goalsPicture(rows));
  const panels = growthPanels(rows);
  if (panels.length === 0) return;
  const xText = (transactions: number) => `${count(transactions)} transactions`;
  const svg = linesPicture('Costs as the platform grows', panels, { xText, isLogarithmic: true });
  await writeFile(path.join(folder, 'growth.svg'), svg);
}

function growthPanels(rows: readonly Row[]): Panel[] {
  const points = rows.flatMap(({ point, value, goal }) => (point ? [{ ...point, y: value, goal }] : []));
  return [...Map.groupBy(points, ({ line }) => line)].map(([title, of]) => {
    const goal = of[0]!.goal;
    return {
      title: `${title}, × of the smallest dataset`,
      points: of.map(({ transactions, y }) => ({ x: transactions, y })),
      text: times,
      ...(goal !== null && 'atMost' in goal ? { goal: goal.atMost } : {}),
    };
  });
}

/** Replaces a part of README.md between its two comments. */
async function savePart(name: string, text: string): Promise<void> {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const page = await readFile(README, 'utf8');
  const [before, rest = ''] = page.split(begin, 2);
  const [, after] = rest.split(end, 2);
  if (after === undefined) throw new Error(`README.md has no ${begin} … ${end}`);
  const changed = `${before}${begin}\n\n${text}\n\n${end}${after}`;
  if (changed !== page) await writeFile(README, changed);
}

await main();
