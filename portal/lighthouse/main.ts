import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import { type Demo, type DemoRole, loaded, withDemo } from '../demo.ts';

/**
 * Measures pages of the portal with Lighthouse, signed in, and writes docs/lighthouse.md: `npm run lighthouse`. Fails
 * if a score is below the goal. Some pages, one device or fewer runs are only printed:
 * `npm run lighthouse -- --page overview --page offers --device phone --runs 1`.
 */
const GOALS: Readonly<Record<string, number>> = { desktop: 95, phone: 90 };
/** Of several runs the median counts, as Lighthouse advises: scores vary with the load of the machine. */
const RUNS = 3;
const DEVICES = ['desktop', 'phone'] as const;
const PROGRAM = fileURLToPath(new URL('node_modules/lighthouse/cli/index.js', import.meta.url));
const RESULT = fileURLToPath(new URL('../../docs/lighthouse.md', import.meta.url));

const CATEGORIES = {
  performance: 'performance',
  accessibility: 'accessibility',
  'best-practices': 'practices',
};
const METRICS = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocking',
  'cumulative-layout-shift': 'layout shift',
};
/** Lighthouse slows a processor of this index down by this factor, to that of a common phone. */
const EXPECTED_INDEX = 1750;
const EXPECTED_SLOWDOWN = 4;
/** The long poll for changes keeps the network busy; by default Lighthouse would wait 45 s for its end. */
const LOAD_MS = 10_000;
const OUTPUT_BYTES = 64 * 1024 * 1024;

type Audited = {
  readonly name: string;
  readonly role: DemoRole;
  find(page: Page, demo: Demo): Promise<string>;
};
const PAGES: readonly Audited[] = [
  { name: 'overview', role: 'brp', find: async () => '/' },
  { name: 'nomination', role: 'brp', find: findNomination },
  { name: 'offers', role: 'account', find: async () => '/offers' },
];

const { values: chosen } = parseArgs({
  options: {
    page: { type: 'string', multiple: true },
    device: { type: 'string' },
    runs: { type: 'string' },
  },
});
const pages = PAGES.filter(({ name }) => chosen.page?.includes(name) ?? true);
const chosenDevices = DEVICES.filter((name) => name === (chosen.device ?? name));
const runs = Number(chosen.runs ?? RUNS);
if (pages.length === 0 || chosenDevices.length === 0 || !(runs >= 1))
  throw new Error(
    `--page is one of ${PAGES.map(({ name }) => name).join(', ')}; --device is one of ${DEVICES.join(', ')}; --runs is a number from 1.`,
  );

async function findNomination(page: Page, { baseUrl }: Demo): Promise<string> {
  await page.goto(`${baseUrl}/nominations`);
  await loaded(page);
  const url = await page.locator('tbody a').first().getAttribute('href');
  if (url === null) throw new Error('The demo data has no nomination of today.');
  return url;
}

type Category = keyof typeof CATEGORIES;
type Report = {
  readonly lighthouseVersion: string;
  readonly environment: { readonly benchmarkIndex: number };
  readonly categories: Record<Category, { score: number; auditRefs: { id: string; weight: number }[] }>;
  readonly audits: Record<string, { title: string; score: number | null; displayValue?: string }>;
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const PORT = await freePort();
/** Of the minute before the run. Above the number of processors, the performance says nothing. */
const LOAD = loadavg()[0]?.toFixed(1);

async function lighthouse(url: string, ...options: readonly string[]): Promise<Report> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      PROGRAM,
      url,
      `--port=${PORT}`,
      `--max-wait-for-load=${LOAD_MS}`,
      '--output=json',
      '--quiet',
      ...options,
    ],
    { maxBuffer: OUTPUT_BYTES },
  );
  return JSON.parse(stdout) as Report;
}

/** How much slower than this machine the phone is, as Lighthouse advises to calibrate it. */
function phoneSlowdown(index: number): number {
  const slowdown = (index / EXPECTED_INDEX) * EXPECTED_SLOWDOWN;
  return Math.round(Math.min(EXPECTED_SLOWDOWN, Math.max(1, slowdown)) * 10) / 10;
}

const scoreOf = ({ categories }: Report, category: Category) => Math.round(categories[category].score * 100);

function median(reports: readonly Report[]): Report {
  const sorted = reports.toSorted((a, b) => scoreOf(a, 'performance') - scoreOf(b, 'performance'));
  return sorted[Math.floor(sorted.length / 2)] as Report;
}

/** The audits that lower a score. */
const faultsOf = ({ categories, audits }: Report): string[] =>
  Object.values(categories)
    .flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0))
    .map(({ id }) => ({ id, score: 1, title: '', displayValue: '', ...audits[id] }))
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ id, title, displayValue }) => `  ${id}: ${title} ${displayValue}\n`);

/** The benchmark of this machine: the highest of some, because other work on it only lowers them. */
async function calibrate({ baseUrl }: Demo): Promise<{ version: string; index: number }> {
  const reports: Report[] = [];
  for (let run = 0; run < RUNS; run++)
    reports.push(await lighthouse(`${baseUrl}/sign-in`, '--only-audits=first-contentful-paint'));
  return {
    version: reports[0]?.lighthouseVersion ?? '',
    index: Math.max(...reports.map(({ environment }) => environment.benchmarkIndex)),
  };
}

async function measure(page: Page, demo: Demo): Promise<string[][]> {
  const { version, index } = await calibrate(demo);
  const slowdown = phoneSlowdown(index);
  process.stdout.write(`Lighthouse ${version}; phones are ${slowdown} times slower.\n`);
  const devices = {
    desktop: ['--preset=desktop'],
    phone: ['--form-factor=mobile', `--throttling.cpuSlowdownMultiplier=${slowdown}`],
  };
  const rows: string[][] = [];
  for (const { name, role, find } of pages) {
    await page.context().clearCookies();
    await demo.signIn(page, role);
    const url = demo.baseUrl + (await find(page, demo));
    // Its long poll would count as a request of the measured page.
    await page.goto('about:blank');
    for (const device of chosenDevices) {
      const reports: Report[] = [];
      const categories = `--only-categories=${Object.keys(CATEGORIES).join(',')}`;
      for (let run = 0; run < runs; run++)
        reports.push(await lighthouse(url, categories, ...devices[device]));
      const report = median(reports);
      const scores = Object.keys(CATEGORIES).map((category) => String(scoreOf(report, category as Category)));
      const metrics = Object.keys(METRICS).map((id) => report.audits[id]?.displayValue ?? '');
      rows.push([name, device, ...scores, ...metrics]);
      process.stdout.write(`${rows.at(-1)?.join(' | ')}\n${faultsOf(report).join('')}`);
    }
  }
  return rows;
}

const tableOf = (rows: readonly string[][]): string => {
  const header = ['page', 'device', ...Object.values(CATEGORIES), ...Object.values(METRICS)];
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return lines.join('');
};

const lowRows = (rows: readonly string[][]) =>
  rows.filter(([, device = '', ...values]) =>
    values.slice(0, Object.keys(CATEGORIES).length).some((score) => Number(score) < (GOALS[device] ?? 100)),
  );

const HOW = `
The pages are static files: before a phone shows data, it loads and runs the scripts of React, of the router, of the queries
and of the frame, then reads the session, then the data. Scripts, router and each request start in tasks of their own.
`;

const resultText = (rows: readonly string[][]): string => `# Lighthouse

\`npm run lighthouse\` starts the platform with its demo data, signs in and measures three pages with an empty cache: the
median of ${RUNS} runs. A phone has the slow mobile network that Lighthouse simulates, and a slower processor, calibrated
with the best of ${RUNS} benchmarks. The goal in each category is ${GOALS.desktop}, for phones ${GOALS.phone}. Other work on the machine lowers the performance, not the rest:
before the run its load was ${LOAD} on ${availableParallelism()} processors.

${tableOf(rows)}${HOW}`;

const browser = await launchChromium(`--remote-debugging-port=${PORT}`);
try {
  await withDemo(async (demo) => {
    // The default context, in which Lighthouse opens its pages, too.
    const [context] = (await chromium.connectOverCDP(`http://127.0.0.1:${PORT}`)).contexts();
    if (!context) throw new Error('The browser has no default context.');
    const rows = await measure(await context.newPage(), demo);
    if (Object.keys(chosen).length === 0) await writeFile(RESULT, resultText(rows));
    process.exitCode = lowRows(rows).length === 0 ? 0 : 1;
  });
} finally {
  await browser.close();
}
