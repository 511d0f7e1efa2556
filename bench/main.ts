/** Compares a running server with the minimum cost of the same work and with alternatives. See README.md. */
import { parseArgs } from 'node:util';
import { GOALS } from './goals.ts';
import { Bench, count, digits, type Row, times, valueRow } from './measure.ts';
import { goalsPicture, linesPicture, type Panel } from './picture.ts';
import { type Run, SIZES } from './run.ts';
import { SCENARIOS } from './scenarios.ts';
import { FOLDER, IMAGES, log, machineText, noteSpeed, savePart, savePicture, withPostgres } from './setup.ts';

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

/** Runs the scenarios. Returns their rows and the version of Postgres. */
const measure = (size: keyof typeof SIZES, names: readonly string[]): Promise<[Row[], string]> =>
  withPostgres(async ({ databases, processes, postmaster, version }) => {
    const generator = processes.generator();
    const bench = new Bench(generator, postmaster, SIZES[size].plan);
    const run: Run = { sizes: SIZES[size], databases, postmaster, processes, generator, bench };
    const rows: Row[] = [];
    const add = (row: Row) => {
      rows.push(row);
      log(`  ${cellsOf(row).filter(Boolean).join('; ')}`);
    };
    for (const name of names) {
      noteSpeed();
      log(name);
      for await (const row of SCENARIOS[name]!.measure(run)) add(row);
    }
    const { name, megabytes } = processes.peak;
    if (megabytes > 0)
      add(valueRow(`most memory of a server (${name})`, megabytes, digits(0, 'MB'), GOALS.memoryMegabytes));
    return [rows, version];
  });

async function main(): Promise<void> {
  const { size, only } = readOptions();
  await savePart('scenarios', scenariosTable());
  const [rows, version] = await measure(size, only.length > 0 ? only : Object.keys(SCENARIOS));
  const results = `${machineText(size, version)}\n\n${resultsTable(rows)}`;
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

const inTable = (rows: readonly Row[]) => rows.filter(({ isStep }) => !isStep);

const resultsTable = (rows: readonly Row[]) =>
  table(['what', 'Saldo', 'compared with', 'ratio', 'quartiles', 'goal'], inTable(rows).map(cellsOf));

async function savePictures(rows: readonly Row[], folder: string): Promise<void> {
  await savePicture(folder, 'goals.svg', goalsPicture(inTable(rows)));
  const panels = growthPanels(rows);
  if (panels.length === 0) return;
  const xText = (transactions: number) => `${count(transactions)} transactions`;
  const svg = linesPicture('Costs as the platform grows', panels, { xText, isLogarithmic: true });
  await savePicture(folder, 'growth.svg', svg);
}

function growthPanels(rows: readonly Row[]): Panel[] {
  const points = rows.flatMap(({ point, value, goal }) => (point ? [{ ...point, y: value, goal }] : []));
  return [...Map.groupBy(points, ({ line }) => line)].map(([title, of]) => {
    const { goal, smallest } = of[0]!;
    const base = { x: smallest, y: { middle: 1, low: 1, high: 1 } };
    return {
      title: `${title}, × of the smallest dataset`,
      points: [base, ...of.map(({ transactions, y }) => ({ x: transactions, y }))],
      text: times,
      ...(goal !== null && 'atMost' in goal ? { goal: goal.atMost } : {}),
    };
  });
}

await main();
