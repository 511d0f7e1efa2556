/** Formats the results of a run as tables, for a file and for README.md. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { chartsOf } from './charts.ts';
import { hasCpuTimes } from './cpu.ts';
import { count, goalsOf } from './goals.ts';
import { type Comparison, costOf, median, type Sample } from './measure.ts';
import type { Mode } from './modes.ts';
import { comparisonsOf, type Results, workersComparisons } from './results.ts';
import { totalBytes } from './world.ts';

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

export function tables(results: Results): string {
  const { machine } = results;
  return [
    `${results.date}, ${results.mode}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ` +
      `${machine.system}, Node ${machine.node}, Postgres ${machine.postgres}.`,
    requestTable(results),
    ...sparingText(results),
    ...pgbenchTable(results),
    ...loadingText(results),
    ...bulkTable(results),
    ...saldoTable(results),
    ...importTable(results),
    ...exportTable(results),
    ...growthTables(results),
    ...listTable(results),
    ...memoryTable(results),
    ...workersTable(results),
    ...overloadTable(results),
    ...disturbances(results),
    ...(results.leftOut.length > 0 ? [`There was no time for: ${results.leftOut.join('; ')}.`] : []),
    ...(hasCpuTimes ? [] : ['This system has no CPU times of processes: costs are wall time.']),
    goalTable(results),
  ].join('\n\n');
}

const goalTable = (results: Results): string =>
  table(
    ['goal', 'aim', 'measured', ''],
    goalsOf(results).map(({ what, aim, measured, met }) => [what, aim, measured, met ? 'met' : '**missed**']),
  );

function requestTable({ againstLimit, market, bulk, rivals, walk }: Results): string {
  const limits = {
    ...againstLimit,
    ...(bulk ? { '100 nominations with slots': bulk.againstLimit } : {}),
    ...market?.againstLimit,
  };
  const rows = [
    ...Object.entries(limits).flatMap(([name, { first, second }]) => [
      [name, 'Saldo', ...sampleCells(first)],
      ['', 'bare server', ...sampleCells(second)],
    ]),
    ...(rivals?.pages ?? []).flatMap(({ request, rival, comparison: { first, second } }) => [
      [`${request}, of ${count(rivals?.transactions ?? 0)}`, rival, ...sampleCells(first)],
      ['', 'Saldo', ...sampleCells(second)],
    ]),
    ...(walk
      ? [
          ['last page of the walk', 'Saldo', ...sampleCells(walk.lastAgainstFirst.first)],
          ['first page of the walk', 'Saldo', ...sampleCells(walk.lastAgainstFirst.second)],
        ]
      : []),
  ];
  return table(['request', 'server', 'requests/s', 'server µs', 'database µs', 'p50 ms', 'p99 ms'], rows);
}

/** Has no goal, but explains the ratios. */
function sparingText({ againstSparing }: Results): string[] {
  if (!againstSparing) return [];
  const shares = Object.entries(againstSparing).map(
    ([name, { costRatio }]) => `${name} ${(100 / costRatio).toFixed(0)} %`,
  );
  return [
    `Where the bare server asks the database as Saldo does instead of as the library does, Saldo reaches less of it: ${shares.join(', ')}.`,
  ];
}

function pgbenchTable({ pgbench, againstLimit }: Results): string[] {
  if (!pgbench) return [];
  const head = ['the same SQL under pgbench', 'requests/s', 'database µs', 'ms', 'database µs for Saldo'];
  const rows = Object.entries(pgbench.measures).map(
    ([request, { transactionsPerSecond, databaseUs, latencyMs }]) => [
      request,
      count(transactionsPerSecond),
      databaseUs?.toFixed(0) ?? '',
      latencyMs.toFixed(2),
      againstLimit?.[request]?.first.databaseUs.toFixed(0) ?? '',
    ],
  );
  if (pgbench.notMeasured !== null) rows.push([`not measured: ${pgbench.notMeasured}`, '', '', '', '']);
  return [table(head, rows)];
}

function loadingText({ loading, walk, rivals }: Results): string[] {
  if (!loading) return [];
  const { contractDays, transactions, seconds, bytes } = loading;
  const walked = walk
    ? ` The walk read ${count(walk.pages)} pages one after the other in ${walk.seconds.toFixed(1)} s.`
    : '';
  const asRows = rivals
    ? ` As a row per quarter-hour, ${count(rivals.rows.rows)} of them took ${rivals.rows.seconds.toFixed(1)} s by COPY ` +
      `(${count(rivals.rows.rows / rivals.rows.seconds)} a second) and ${megabytes(rivals.rows.bytes)}, ` +
      `${(rivals.rows.bytes / rivals.rows.rows).toFixed(0)} bytes each; as sheets ${megabytes(totalBytes(rivals.sheets))}.`
    : '';
  return [
    `Loading ${count(contractDays)} contract-days (${count(transactions)} transactions) by COPY took ` +
      `${seconds.toFixed(1)} s: ${count(contractDays / seconds)} contract-days/s, ` +
      `${count(transactions / seconds)} transactions/s. On disk they take ${megabytes(totalBytes(loading))}, of which ` +
      `${megabytes(bytes.table)} are the table and the rest its ${Object.keys(bytes.indexes).length} indexes.${walked}${asRows}`,
  ];
}

function bulkTable({ bulk }: Results): string[] {
  if (!bulk) return [];
  const ways = {
    'written from the rows': bulk.writerUs,
    'objects made from the rows, then JSON.stringify': bulk.objectsUs,
    'JSON.stringify alone, of objects at hand': bulk.stringifyUs,
  };
  const rows = Object.entries(ways).map(([name, us]) => [
    name,
    count(us),
    `${(us / bulk.writerUs).toFixed(1)} ×`,
  ]);
  return [
    table(
      [`the text of 100 nominations (${bulk.megabytes.toFixed(1)} MB)`, 'µs of CPU time', 'written’s'],
      rows,
    ),
  ];
}

function saldoTable({ saldo }: Results): string[] {
  if (!saldo) return [];
  const ways = { 'of sheets, in Node': saldo.sheets, ...saldo.statements };
  return [
    table(
      [`the saldo of ${count(saldo.positions)} positions`, 'seconds of CPU time', 'seconds'],
      Object.entries(ways).map(([name, { cpuSeconds, seconds }]) => [
        name,
        cpuSeconds.toFixed(2),
        seconds.toFixed(2),
      ]),
    ),
  ];
}

function importTable({ imports }: Results): string[] {
  if (!imports) return [];
  const { copy } = imports;
  const copySeconds = median(copy.seconds);
  const cells = (measure: typeof copy) => [
    count(measure.transactions / median(measure.seconds)),
    count(measure.megabytes),
    measure.seconds.map((second) => second.toFixed(2)).join(' '),
    measure.cpuSeconds.toFixed(2),
    `${(median(measure.seconds) / copySeconds).toFixed(1)} ×`,
    `${(measure.cpuSeconds / copy.cpuSeconds).toFixed(1)} ×`,
  ];
  const rows = imports.measures.map((measure) => [
    measure.name,
    ...cells(measure),
    measure.peakMegabytes === null ? '' : count(measure.peakMegabytes),
  ]);
  rows.push(['COPY alone of the same sheets, packed beforehand', ...cells(copy), '']);
  rows.push([
    'Express and Drizzle, JSON to inserts',
    count(imports.rivalRowsPerSecond),
    '',
    '',
    '',
    '',
    '',
    '',
  ]);
  const head = ['transactions/s', 'MB', 'seconds of each round', 'CPU s', 'time, COPY’s', 'CPU time, COPY’s'];
  return [table(['import over HTTP', ...head, 'server’s peak MB'], rows)];
}

function exportTable({ exports }: Results): string[] {
  if (!exports) return [];
  const { measures, month, stopped, checks } = exports;
  const added = (value: number | null) => (value === null ? '' : count(value));
  const rows = [...measures, ...month].map(({ name, transactions, megabytes: size, ...rest }) => [
    name,
    count(transactions),
    ((size * 1e6) / transactions).toFixed(2),
    rest.seconds.map((second) => second.toFixed(2)).join(' '),
    rest.cpuSeconds.toFixed(2),
    added(rest.addedMegabytes),
  ]);
  const head = [
    'transactions',
    'bytes each',
    'seconds of each round',
    'CPU s',
    'more memory of the server, MB',
  ];
  return [
    table(['export of the largest BRP', ...head], rows),
    `${stopped.readers} readers that stop reading take ${added(stopped.addedMegabytes) || '?'} MB of the server; a page meanwhile takes ${stopped.pageMs.toFixed(0)} ms.`,
    table(
      ['POST /v1/schedules/check', 'MB', 'series', 'ms', 'CPU ms'],
      checks.map(({ name, megabytes: size, series, ms, cpuMs }) => [
        name,
        size.toFixed(2),
        count(series),
        ms.toFixed(1),
        cpuMs.toFixed(1),
      ]),
    ),
  ];
}

function growthTables({ growth }: Results): string[] {
  const worlds = growth?.worlds ?? [];
  const [base] = worlds;
  if (!base) return [];
  const pages = worlds.flatMap(({ transactions, pages: byBrp }) =>
    Object.entries(byBrp).map(([brp, times]) => [
      count(transactions),
      brp,
      ...Object.values(times).map(
        ({ medianMs, worstMs }) => `${medianMs.toFixed(2)} (${worstMs.toFixed(2)})`,
      ),
    ]),
  );
  const names = Object.keys(Object.values(base.pages)[0] ?? {});
  const connections = worlds.flatMap((world) =>
    Object.entries(world.connections).map(([number, sample]) => [
      count(world.transactions),
      number,
      ...sampleCells(sample),
    ]),
  );
  return [
    'Milliseconds in the database for a page of 100, the median of twelve and (the worst), by the size of the world and of the BRP:',
    table(['transactions', 'BRP', ...names], pages),
    table(
      ['transactions', 'connections', 'requests/s', 'server µs', 'database µs', 'p50 ms', 'p99 ms'],
      connections,
    ),
  ];
}

function listTable({ lists }: Results): string[] {
  if (!lists) return [];
  const [few, many] = lists.rows;
  const rows = Object.entries({ ...lists.ofTenant, ...lists.ofPlatform }).map(
    ([name, { first, second, costRatio }]) => [
      name,
      count(costOf(second)),
      count(costOf(first)),
      second.p50Ms.toFixed(1),
      first.p50Ms.toFixed(1),
      `${costRatio.toFixed(2)} ×`,
    ],
  );
  const head = [few, many].map((customers) => `µs, of ${count(customers)}`);
  const times = [few, many].map((customers) => `p50 ms, of ${count(customers)}`);
  return [
    'A page of five records on two platforms, which differ in how many records others have; the last one reads them all:',
    table(['list', ...head, ...times, 'CPU time'], rows),
  ];
}

function memoryTable({ bulk }: Results): string[] {
  if (!bulk) return [];
  const rows = bulk.memory.map(({ load, requestsPerSecond, peakMegabytes }) => [
    load,
    count(requestsPerSecond),
    peakMegabytes === null ? '' : count(peakMegabytes),
  ]);
  return [table(['one server under more and more load', 'requests/s', 'most memory so far, MB'], rows)];
}

function workersTable(results: Results): string[] {
  const compared = workersComparisons(results);
  const { workers } = results;
  if (!workers) return [];
  const rows = compared.flatMap(([name, otherName, { first, second, costRatio }]) => [
    [name, ...sampleCells(first), `${costRatio.toFixed(2)} ×`],
    [otherName, ...sampleCells(second), ''],
  ]);
  const { requests, inRedis } = workers.counted;
  const shared =
    inRedis === null
      ? 'Redis is not measured: there is no redis-server.'
      : `After ${requests} requests to both workers, X-RateLimit-Remaining had fallen by ${inRedis}: one count for both.`;
  return [
    table(
      ['contract’s transactions', 'requests/s', 'server µs', 'database µs', 'p50 ms', 'p99 ms', 'CPU time'],
      rows,
    ),
    'The server is all its processes, and Redis where it counts there; load generator and database share the cores with ' +
      `it. ${shared}`,
  ];
}

function overloadTable({ overload }: Results): string[] {
  if (!overload) return [];
  const { capacity, alone, flood, after, capacityConnections } = overload;
  const rate = (requests: number) => count(requests / flood.seconds);
  const ms = (value: number) => value.toFixed(1);
  const row = (name: string, { requestsPerSecond, p50Ms, p99Ms }: Sample) => [
    name,
    count(requestsPerSecond),
    ms(p50Ms),
    ms(p99Ms),
  ];
  const delayText = (value: number | null) =>
    value === null ? 'not within 5 s' : `after ${value.toFixed(0)} ms`;
  return [
    table(
      ['overload', 'requests/s', 'p50 ms', 'p99 ms'],
      [
        row('one connection', alone),
        row(`${capacityConnections} connections: the capacity`, capacity),
        [`flood: ${count(flood.perSecond)} due, sent`, rate(flood.sent), '', ''],
        ['flood: answered', rate(flood.answered), ms(flood.answeredP50Ms), ms(flood.answeredP99Ms)],
        [
          'flood: rejected with 503 and Retry-After',
          rate(flood.shed),
          ms(flood.shedP50Ms),
          ms(flood.shedP99Ms),
        ],
        ['flood: due while every connection was waiting', rate(flood.unsent), '', ''],
        ['flood: failed', rate(flood.failed), '', ''],
        row(`after it, ${capacityConnections} connections`, after),
      ],
    ),
    `The flood lasted ${flood.seconds.toFixed(1)} s over ${count(flood.connections)} open connections; the load generator ` +
      `took ${flood.generatorCores.toFixed(1)} of the cores that it shares with server and database. An answer cost the ` +
      `server ${capacity.serverUs.toFixed(0)} µs. Requests after its end were answered ${delayText(flood.firstAnswerMs)}, with the usual latency (within twice the p50 of one connection) ` +
      `${delayText(flood.usualAgainMs)}, and on a new connection ${delayText(flood.newcomerMs)}.` +
      (flood.firstFailure === null ? '' : ` The first failure: ${flood.firstFailure}`),
  ];
}

/** Ratios measured under other load are in favour of the slower side. */
function disturbances(results: Results): string[] {
  const all = comparisonsOf(results);
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

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const RESULTS = new URL('./results/', import.meta.url);
const README = new URL('./README.md', import.meta.url);
const [BEGIN, END] = ['<!-- results -->', '<!-- end of results -->'];

/** Every run stores its numbers. Complete runs also update the charts and README.md. */
export async function save(results: Results, mode: Mode): Promise<void> {
  if (mode.keeps === 'nothing') return;
  await mkdir(RESULTS, { recursive: true });
  const all = { goals: goalsOf(results), ...results };
  await writeFile(new URL(`${results.mode}.json`, RESULTS), `${JSON.stringify(all, null, 2)}\n`);
  if (mode.keeps !== 'page') return;
  const charts = chartsOf(results);
  for (const [name, svg] of Object.entries(charts)) await writeFile(new URL(name, RESULTS), svg);
  const pictures = Object.keys(charts).map((name) => `![${name.replace('.svg', '')}](results/${name})`);
  const readme = await readFile(README, 'utf8');
  const [before, rest = ''] = readme.split(BEGIN, 2);
  const after = rest.split(END, 2)[1];
  if (after === undefined) throw new Error(`README.md has no ${BEGIN} … ${END}`);
  const page = [...pictures, tables(results)].join('\n\n');
  await writeFile(README, `${before}${BEGIN}\n\n${page}\n\n${END}${after}`);
}
