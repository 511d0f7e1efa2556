/** The goals of a run, and whether they were met. */
import type { GrownWorld } from './growth.ts';
import { type Comparison, costOf, type Sample } from './measure.ts';
import type { Results } from './results.ts';
import { totalBytes } from './world.ts';

export type Goal = { what: string; aim: string; measured: string; met: boolean };

/** Ratio of the throughput per CPU time to that of the bare server. */
const LIMIT_GOALS: Record<string, number> = {
  'contract’s transactions': 0.9,
  'day’s transactions': 0.9,
  'single contract': 0.8,
  'single customer': 0.8,
};
const BULK_LIMIT_GOAL = 0.8;
/** The same for every page of the customer API's lists. */
const MARKET_GOAL = 0.7;
/** Minimum ratio of an alternative's cost to the product's cost. */
const RIVAL_GOALS: Record<string, number> = { 'Express and Drizzle': 6, 'Fastify and SQL': 3 };
const LEAST_OVER_STRINGIFY = 6;
const LEAST_OVER_INSERTS = 20;
const LEAST_OVER_SQL = 5;
const MOST_ADMISSION_US = 20;
const MOST_OVER_FIRST_PAGE = 1.3;
const MOST_OVER_SMALL_WORLD = 1.3;
const MOST_OVER_FEW_TENANTS = 1.3;
const MOST_OVER_MILLION = 1.5;
const MOST_DATABASE_MS = 2;
const MOST_BYTES = 8;
/** Transactions per second, over HTTP into an empty day. */
const IMPORT_GOALS: Record<string, number> = { CSV: 400_000, 'NDJSON, a day a line': 1_500_000 };
const MOST_IMPORT_MEGABYTES = 300;
const MOST_OVER_NO_EVENTS = 1.1;
const MOST_OVER_SMALL_LOG = 1.3;
const MOST_WAITING_P99_MS = 1000;
const MOST_MEGABYTES = 250;
/** CPU seconds of a BRP-day of this many transactions, by format; bytes of each; memory of the server. */
const EXPORT_GOALS = {
  transactions: 192_000,
  cpuSeconds: { ndjson: 1, parquet: 1.5 },
  parquetBytes: 3,
  addedMegabytes: 60,
  stoppedMegabytes: 100,
};
const ENGINE_GOALS = { firstSeconds: 3, unchangedSeconds: 0.5, correctionMs: 50 };
const MOVE_GOALS = { seconds: 3, overQuiet: 1.5 };
/** Of the CPU time that the primary takes for reads. */
const LEAST_BY_REPLICA = 0.9;
const EXCHANGE_GOAL_S = 10;
/** Lower, because the load generator uses a part of the machine. */
const LEAST_UNDER_FLOOD = 0.85;
/** Minimum offered load. Below it the load generator was too slow to keep its schedule. */
const LEAST_OFFERED = 1.9;
const MOST_ANSWERED_P99_MS = 2000;
const MOST_RECOVERY_MS = 1000;
const MOST_WEBHOOK_P99_MS = 1000;
const LEAST_AFTER_FLOOD = 0.9;

export const count = (value: number) => Math.round(value).toLocaleString('en');
const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
const times = (ratio: number) => `${ratio.toFixed(2)} ×`;

function atLeast(what: string, value: number, aim: number, text = times): Goal {
  return { what, aim: `≥ ${text(aim)}`, measured: text(value), met: value >= aim };
}

function atMost(what: string, value: number, aim: number, text = times): Goal {
  return { what, aim: `≤ ${text(aim)}`, measured: text(value), met: value <= aim };
}

const shareOf = ({ costRatio }: Comparison) => 1 / costRatio;

export function goalsOf(results: Results): Goal[] {
  return [
    ...limitGoals(results),
    ...rivalGoals(results),
    ...bulkGoals(results),
    ...saldoGoals(results),
    ...growthGoals(results),
    ...listGoals(results),
    ...memoryGoals(results),
    ...importGoals(results),
    ...exportGoals(results),
    ...eventGoals(results),
    ...engineGoals(results),
    ...moveGoals(results),
    ...replicaGoals(results),
    ...exchangeGoals(results),
    ...overloadGoals(results),
    ...webhookGoals(results),
  ];
}

function limitGoals({ againstLimit, market, guard, walk, againstSmall, loading, cost }: Results): Goal[] {
  const against = `requests per second of ${cost}, against the bare server`;
  return [
    ...Object.entries(againstLimit ?? {}).map(([name, comparison]) =>
      atLeast(`${name}: ${against}`, shareOf(comparison), LIMIT_GOALS[name] ?? 1, percent),
    ),
    ...Object.entries(market?.againstLimit ?? {}).map(([name, comparison]) =>
      atLeast(
        `${name} of ${count(market?.records ?? 0)}: ${against}`,
        shareOf(comparison),
        MARKET_GOAL,
        percent,
      ),
    ),
    ...(guard
      ? [
          atMost(
            'key check and rate limit of a request',
            guard.admissionUs,
            MOST_ADMISSION_US,
            (us) => `${us.toPrecision(2)} µs`,
          ),
        ]
      : []),
    ...(walk
      ? [
          atMost(
            `the last full page of a walk over ${count(walk.records)} transactions, against the first`,
            walk.lastAgainstFirst.costRatio,
            MOST_OVER_FIRST_PAGE,
          ),
        ]
      : []),
    ...Object.entries(againstSmall?.pages ?? {}).map(([name, { costRatio }]) =>
      atMost(
        `${name}: with ${count(loading?.transactions ?? 0)} transactions, against ${count(againstSmall?.transactions ?? 0)}`,
        costRatio,
        MOST_OVER_SMALL_WORLD,
      ),
    ),
  ];
}

function rivalGoals({ rivals, cost }: Results): Goal[] {
  return (rivals?.pages ?? []).flatMap(({ request, rival, comparison }) => {
    const aim = RIVAL_GOALS[rival];
    if (aim === undefined) return [];
    return [
      atLeast(`${request}: requests per second of ${cost}, against ${rival}`, comparison.costRatio, aim),
    ];
  });
}

function bulkGoals({ bulk }: Results): Goal[] {
  if (!bulk) return [];
  const what = `100 nominations with slots (${bulk.megabytes.toFixed(1)} MB)`;
  return [
    atLeast(`${what}, against the bare server`, shareOf(bulk.againstLimit), BULK_LIMIT_GOAL, percent),
    atLeast(
      `${what}: their text of the rows, against objects of the rows and JSON.stringify`,
      bulk.objectsUs / bulk.writerUs,
      LEAST_OVER_STRINGIFY,
    ),
  ];
}

function saldoGoals({ saldo }: Results): Goal[] {
  if (!saldo) return [];
  const best = Math.min(...Object.values(saldo.statements).map(({ cpuSeconds }) => cpuSeconds));
  const what = `the saldo of a day of ${count(saldo.contracts)} contracts, against the best statement over rows`;
  return [atLeast(what, best / saldo.sheets.cpuSeconds, LEAST_OVER_SQL)];
}

function growthGoals({ growth, loading }: Results): Goal[] {
  const worlds = growth?.worlds ?? [];
  const [base, last] = [worlds[0], worlds.at(-1)];
  const bytesOf = last?.loading ?? loading;
  const goals = bytesOf
    ? [
        atMost(
          `bytes on disk per transaction of ${count(bytesOf.transactions)}, all indexes included`,
          totalBytes(bytesOf) / bytesOf.transactions,
          MOST_BYTES,
          (bytes) => bytes.toFixed(2),
        ),
      ]
    : [];
  if (!base || !last) return goals;
  const dearest = Object.entries(last.pages)
    .flatMap(([brp, pages]) => Object.entries(pages).map(([page, { medianMs }]) => ({ brp, page, medianMs })))
    .reduce((worst, page) => (page.medianMs > worst.medianMs ? page : worst));
  const milliseconds = (ms: number) => `${ms.toFixed(2)} ms`;
  goals.push(
    atMost(
      `the dearest page in the database, with ${count(last.transactions)} transactions (${dearest.page}, of a BRP with ${dearest.brp})`,
      dearest.medianMs,
      MOST_DATABASE_MS,
      milliseconds,
    ),
  );
  if (last !== base) goals.push(...ratioGoals(base, last));
  return goals;
}

function listGoals({ lists }: Results): Goal[] {
  if (!lists) return [];
  const [few, many] = lists.rows;
  return Object.entries(lists.ofTenant).map(([name, { costRatio }]) =>
    atMost(
      `${name}: with ${count(many)} on the platform, against ${count(few)}`,
      costRatio,
      MOST_OVER_FEW_TENANTS,
    ),
  );
}

/** Over all datasets: a server under mixed reads, and the servers that served pages of growing datasets. */
function memoryGoals({ bulk, growth }: Results): Goal[] {
  const most = (what: string, peaks: readonly (number | null)[]) => {
    const peak = Math.max(0, ...peaks.map((megabytes) => megabytes ?? 0));
    return peak > 0 ? [atMost(what, peak, MOST_MEGABYTES, count)] : [];
  };
  const peaksOf = (of: readonly { readonly peakMegabytes: number | null }[] = []) =>
    of.map(({ peakMegabytes }) => peakMegabytes);
  return [
    ...most(
      'most memory of the server under load of pages, records and bulk reads, MB',
      peaksOf(bulk?.memory),
    ),
    ...most(
      'most memory of the server under load of pages, in worlds that grow, MB',
      peaksOf(growth?.worlds),
    ),
  ];
}

/**
 * Per page, the ratio of its cost to that on the first dataset: in the database, and per request. Pages with more
 * records than on the first dataset, whose smallest BRP has 20 sheets in total, are excluded, because they are larger
 * and not slower.
 */
function ratioGoals(base: GrownWorld, last: GrownWorld): Goal[] {
  const bases = Object.values(base.pages);
  const steepest = Object.values(last.pages)
    .flatMap((pages, brp) =>
      Object.entries(pages).flatMap(([page, { medianMs, records }]) => {
        const before = bases[brp]?.[page];
        return before?.records === records ? [{ page, ratio: medianMs / before.medianMs }] : [];
      }),
    )
    .reduce((worst, page) => (page.ratio > worst.ratio ? page : worst), { page: 'none', ratio: 0 });
  const [from, to] = [costOf(base.connections['8'] as Sample), costOf(last.connections['8'] as Sample)];
  const sizes = `with ${count(last.transactions)} transactions, against ${count(base.transactions)}`;
  return [
    atMost(
      `the page that became dearest in the database (${steepest.page}), ${sizes}`,
      steepest.ratio,
      MOST_OVER_MILLION,
    ),
    atMost(`a request for a page, ${sizes}`, to / from, MOST_OVER_MILLION),
  ];
}

function importGoals({ imports }: Results): Goal[] {
  if (!imports) return [];
  const goals = imports.measures.flatMap(({ name, transactionsPerSecond, peakMegabytes }) => {
    const aim = IMPORT_GOALS[name];
    if (aim === undefined) return [];
    const what = `import of a market day of ${count(imports.contracts)} contracts as ${name}`;
    const speed = atLeast(`${what}: transactions/s`, transactionsPerSecond, aim, count);
    if (peakMegabytes === null) return [speed];
    return [
      speed,
      atMost(`${what}: most memory of the server so far, MB`, peakMegabytes, MOST_IMPORT_MEGABYTES, count),
    ];
  });
  const csv = imports.measures.find(({ name }) => name === 'CSV');
  if (csv) {
    const ratio = csv.transactionsPerSecond / imports.rivalRowsPerSecond;
    goals.push(atLeast('import as CSV, against inserts by Express and Drizzle', ratio, LEAST_OVER_INSERTS));
  }
  return goals;
}

function exportGoals({ exports }: Results): Goal[] {
  if (!exports) return [];
  const {
    transactions: size,
    cpuSeconds: aims,
    parquetBytes,
    addedMegabytes,
    stoppedMegabytes,
  } = EXPORT_GOALS;
  const memory = (what: string, value: number | null, aim: number) =>
    value === null ? [] : [atMost(`${what}: more memory of the server, MB`, value, aim, count)];
  const day = Object.entries(aims).flatMap(([format, aim]) => {
    const found = exports.measures.find(({ name }) => name === format);
    if (!found) return [];
    const what = `export of ${count(size)} transactions as ${format}`;
    const cpuSeconds = (found.cpuSeconds / found.transactions) * size;
    return [
      atMost(`${what}: CPU time`, cpuSeconds, aim, (value) => `${value.toFixed(2)} s`),
      ...memory(what, found.addedMegabytes, addedMegabytes),
    ];
  });
  const parquet = exports.measures.find(({ name }) => name === 'parquet');
  const bytes = parquet ? (parquet.megabytes * 1e6) / parquet.transactions : 0;
  return [
    ...day,
    atMost('bytes of a transaction in Parquet', bytes, parquetBytes, (value) => value.toFixed(2)),
    ...exports.month.flatMap(({ name, transactions, addedMegabytes: added }) =>
      memory(`export of ${count(transactions)} transactions as ${name}`, added, addedMegabytes),
    ),
    ...memory(
      `${exports.stopped.readers} readers that stop reading`,
      exports.stopped.addedMegabytes,
      stoppedMegabytes,
    ),
  ];
}

function eventGoals({ events, cost }: Results): Goal[] {
  if (!events) return [];
  const [few, many] = events.logged;
  return [
    atMost(
      `import of a market day of ${count(events.contracts)} contracts: ${cost} with events, against that without`,
      events.importCostRatio,
      MOST_OVER_NO_EVENTS,
    ),
    ...Object.entries(events.pages).map(([name, { costRatio }]) =>
      atMost(
        `a page of ${name}: with ${count(many)} in the log, against ${count(few)}`,
        costRatio,
        MOST_OVER_SMALL_LOG,
      ),
    ),
    atMost(
      `p99 from a commit to the first byte at ${events.readers} waiting readers`,
      events.waitingP99Ms,
      MOST_WAITING_P99_MS,
      (ms) => `${ms.toFixed(0)} ms`,
    ),
  ];
}

function engineGoals({ engine }: Results): Goal[] {
  if (!engine) return [];
  const seconds = (value: number) => `${value.toPrecision(2)} s`;
  const milliseconds = (value: number) => `${value.toPrecision(2)} ms`;
  const { positions, firstSeconds, unchangedSeconds, correctionMs } = engine;
  const { firstSeconds: first, unchangedSeconds: again, correctionMs: correction } = ENGINE_GOALS;
  return [
    atMost(`netting a market day of ${count(positions)} positions`, firstSeconds, first, seconds),
    atMost('netting all of them again without a change', unchangedSeconds, again, seconds),
    atMost('one corrected slot, to new versions of both positions', correctionMs, correction, milliseconds),
  ];
}

function moveGoals({ move }: Results): Goal[] {
  if (!move) return [];
  const { contracts, contractDays, seconds, p99Ms } = move;
  const what = `a customer with ${contracts} contracts moved, ${count(contractDays)} stored contract-days corrected`;
  return [
    atMost(what, Math.max(...seconds), MOVE_GOALS.seconds, (value) => `${value.toFixed(1)} s`),
    atMost('p99 of other pages during a move', p99Ms.moving / p99Ms.quiet, MOVE_GOALS.overQuiet),
  ];
}

function replicaGoals({ replica }: Results): Goal[] {
  if (!replica) return [];
  const share = 1 - replica.primaryUs / replica.primaryAloneUs;
  return [atLeast('of the read work of the primary, taken by a replica', share, LEAST_BY_REPLICA, percent)];
}

function exchangeGoals({ exchange }: Results): Goal[] {
  if (!exchange) return [];
  const { positions, sentMegabytes, receivedMegabytes, sendSeconds, receiveSeconds } = exchange;
  const what =
    `a day of ${count(positions)} positions as schedules (${count(sentMegabytes)} MB) built, written and sent, ` +
    `and its confirmations (${count(receivedMegabytes)} MB) applied`;
  return [atMost(what, sendSeconds + receiveSeconds, EXCHANGE_GOAL_S, (value) => `${value.toFixed(1)} s`)];
}

function webhookGoals({ webhooks }: Results): Goal[] {
  if (!webhooks) return [];
  const what = `webhooks to ${webhooks.endpoints} endpoints: p99 from the change to the receiver`;
  return [atMost(what, webhooks.p99Ms, MOST_WEBHOOK_P99_MS, (ms) => `${ms.toFixed(0)} ms`)];
}

function overloadGoals({ overload }: Results): Goal[] {
  if (!overload) return [];
  const { capacity, flood, after } = overload;
  const shareOfCapacity = (requests: number) => requests / flood.seconds / capacity.requestsPerSecond;
  const milliseconds = (ms: number) => (Number.isFinite(ms) ? `${ms.toFixed(0)} ms` : 'never');
  return [
    atLeast(
      'overload: requests that were due, against the capacity',
      shareOfCapacity(flood.sent + flood.unsent),
      LEAST_OFFERED,
    ),
    atLeast(
      'overload: answered, as a share of the capacity',
      shareOfCapacity(flood.answered),
      LEAST_UNDER_FLOOD,
      percent,
    ),
    atMost(
      'overload: p99 of those that are answered',
      flood.answeredP99Ms,
      MOST_ANSWERED_P99_MS,
      milliseconds,
    ),
    atMost('overload: sent, and neither answered nor rejected', flood.failed, 0, count),
    atMost(
      'overload: from its end to answers that take at most twice as long as usual',
      flood.usualAgainMs ?? Number.POSITIVE_INFINITY,
      MOST_RECOVERY_MS,
      milliseconds,
    ),
    atLeast(
      'overload: answered after it, as a share of the capacity',
      after.requestsPerSecond / capacity.requestsPerSecond,
      LEAST_AFTER_FLOOD,
      percent,
    ),
  ];
}
