/** Measures what the event log costs an import, how its pages cost as it grows, and how long waiting readers wait. */
import { request } from 'node:http';
import pg from 'pg';
import { appendEvents, EVENTS_PER_ROW } from '../server/src/events/store.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { familyCpuSeconds, hasCpuTimes } from './cpu.ts';
import type { Databases } from './databases.ts';
import { dayFile, nextDay, operatorKey, settle, upload, volumesOf } from './import.ts';
import { type Bench, type Comparison, median } from './measure.ts';
import { quantilesOf } from './quantiles.ts';
import type { BenchServer, Processes } from './servers.ts';
import { askedBy } from './targets.ts';
import { type BenchWorld, createWorld } from './world.ts';

export type EventResults = {
  readonly contracts: number;
  /** Cost of an import with events, divided by its cost without them. */
  readonly importCostRatio: number;
  readonly importRatios: readonly number[];
  /** Number of events in the two logs whose pages are compared. */
  readonly logged: readonly [few: number, many: number];
  /** By filter; the first of each is the large log. */
  readonly pages: Readonly<Record<string, Comparison>>;
  /** From the commit of a change to the first byte of the answers to waiting readers. */
  readonly readers: number;
  readonly waitingP50Ms: number;
  readonly waitingP99Ms: number;
};

/** At most 15: the days of a month. */
const ROUNDS = 10;
const FIRST_DAY = '2027-05-01';
const READERS = 100;
const CHANGES = 30;
const BRPS = 200;

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Options of a server that loads a module of this folder first. */
const WITHOUT_NETTING = `--import ${new URL('./without-netting.ts', import.meta.url).href}`;
const WITHOUT_EVENTS = `--import ${new URL('./without-events.ts', import.meta.url).href}`;

/** Two servers import market days alternately, one of them without events. */
async function measureImportLoss(
  url: string,
  processes: Processes,
  postmaster: number,
  contracts: number,
  say: (message: string) => void,
): Promise<number[]> {
  await createWorld(url, { contracts, days: 0 });
  const key = await operatorKey(url);
  const full = await processes.product('with events', url, { NODE_OPTIONS: WITHOUT_NETTING });
  const options = `${WITHOUT_NETTING} ${WITHOUT_EVENTS}`;
  const bare = await processes.product('without events', url, { NODE_OPTIONS: options });
  const importDay = async (server: BenchServer, round: number) => {
    const used = () => familyCpuSeconds(server.pid) + familyCpuSeconds(postmaster);
    const clock = () => (hasCpuTimes ? used() : performance.now() / 1000);
    const body = dayFile(contracts, nextDay(FIRST_DAY, round), volumesOf(round));
    await settle(server, key);
    const before = clock();
    await upload(server, key, 'application/x-ndjson', body);
    return clock() - before;
  };
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    // Alternating, because a day costs more than the one before it: the indexes have grown.
    const order = round % 2 === 0 ? [bare, full] : [full, bare];
    const costs = new Map<BenchServer, number>();
    for (const [at, server] of order.entries()) costs.set(server, await importDay(server, 2 * round + at));
    // The first round warms up the compiler.
    if (round > 0) ratios.push(costs.get(full)! / costs.get(bare)!);
  }
  await onDatabase(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select sum(json_array_length(data))::int as count from event where type = 'transactions.created'`,
    );
    const expected = 2 * contracts * (ROUNDS + 1);
    if ((rows[0]?.count ?? 0) > expected || (rows[0]?.count ?? 0) < expected / 2)
      throw new Error(`${rows[0]?.count} events instead of up to ${expected}: one server has the wrong code`);
  });
  await processes.end(full);
  await processes.end(bare);
  say(`An import with events costs ${median(ratios).toFixed(3)} × as much as without them.`);
  return ratios;
}

/** Every tenant has the same number of events in full rows, one row in a hundred of another type. */
const FILL = `insert into event (tenant, type, occurred_at, data)
  select 'brp/' || (1 + n % ${BRPS}),
    case when n / ${BRPS} % 100 = 0 then 'contract.created' else 'transactions.created' end, now(), full_row.data
  from generate_series(1, $1::int / ${EVENTS_PER_ROW}) as n,
    (select json_agg(json_build_object('object', 'transactions', 'contract_id', 'con_01jhm3wa2fe5h8x2z6tdq9vn4m',
       'delivery_date', '2026-10-25', 'slots', 96)) as data
     from generate_series(1, ${EVENTS_PER_ROW})) as full_row`;

async function serverWith(
  databases: Databases,
  processes: Processes,
  events: number,
): Promise<{ server: BenchServer; world: BenchWorld; url: string }> {
  const url = await databases.create(`events_${events}`);
  const world = await createWorld(url, { contracts: 20, days: 0, brps: BRPS });
  await onDatabase(url, async (client) => {
    await client.query(FILL, [events]);
    await client.query('vacuum (analyze) event');
  });
  return { server: await processes.product(`events ${events}`, url), world, url };
}

/** The page of 100 events in the middle of a tenant's log. */
async function pageOf({ server, world }: Awaited<ReturnType<typeof serverWith>>, filter: string) {
  const headers = askedBy(world.brps[0]!);
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
    return (await answer.json()) as { events: { id: string }[]; pagination: { next_cursor: string } };
  };
  const path = `/v1/events?limit=100${filter}`;
  const first = await ask(path);
  const target = { path: `${path}&after=${first.pagination.next_cursor}`, headers };
  const second = await ask(target.path);
  if (second.events.length !== 100) throw new Error(`the page has ${second.events.length} events`);
  return { server, targets: [target] };
}

async function measurePages(
  databases: Databases,
  processes: Processes,
  bench: Bench,
  [few, many]: readonly [few: number, many: number],
  say: (message: string, comparison?: Comparison) => void,
) {
  const [small, large] = [
    await serverWith(databases, processes, few),
    await serverWith(databases, processes, many),
  ];
  const pages: Record<string, Comparison> = {};
  for (const [name, filter] of [
    ['100 events', ''],
    ['100 events of some types', '&types=transactions.*,nomination.*'],
  ] as const) {
    const sides = [await pageOf(large, filter), await pageOf(small, filter)] as const;
    await bench.warmUp(sides);
    pages[name] = await bench.compare(...sides);
    say(`${name}, with ${many} events against ${few}`, pages[name]);
  }
  const waits = await measureWaiting(large);
  await processes.end(small.server);
  await processes.end(large.server);
  return { pages, waits };
}

/** Milliseconds from each commit to the first byte at each of the waiting readers. */
async function measureWaiting({
  server,
  world,
  url,
}: Awaited<ReturnType<typeof serverWith>>): Promise<number[]> {
  const [brp] = world.brps;
  const db = openDatabase(url);
  const waits: number[] = [];
  try {
    for (let change = 0; change < CHANGES; change++) {
      const readers = Array.from({ length: READERS }, () => firstByte(server.port, askedBy(brp!)));
      await Promise.all(readers.map(({ isSent }) => isSent));
      // Not a multiple of the poll interval, so that the commits fall on all parts of it.
      await new Promise((resolve) => setTimeout(resolve, 500 + ((change * 37) % 200)));
      const data = { object: 'contract', id: 'con_01jhm3wa2fe5h8x2z6tdq9vn4m' } as const;
      await db.transaction((tx) =>
        appendEvents(tx, [{ type: 'contract.created', tenants: [`brp/${brp!.no}`], data }], Date.now()),
      );
      const committedAt = performance.now();
      for (const { at } of readers) waits.push((await at) - committedAt);
    }
  } finally {
    await db.close();
  }
  return waits;
}

function firstByte(port: number, headers: Record<string, string>) {
  const { promise: at, resolve, reject } = Promise.withResolvers<number>();
  const sent = Promise.withResolvers<void>();
  const asked = request({
    port,
    host: '127.0.0.1',
    path: '/v1/events?after=latest&wait=30',
    headers,
    agent: false,
  });
  asked.on('response', (answer) => {
    resolve(performance.now());
    answer.resume();
  });
  asked.on('error', reject);
  asked.on('finish', () => sent.resolve());
  asked.end();
  return { at, isSent: sent.promise };
}

export async function measureEvents(
  databases: Databases,
  processes: Processes,
  bench: Bench,
  postmaster: number,
  size: { readonly contracts: number; readonly logged: readonly [few: number, many: number] },
  say: (message: string, comparison?: Comparison) => void,
): Promise<EventResults> {
  const url = await databases.create('event_import');
  const importRatios = await measureImportLoss(url, processes, postmaster, size.contracts, say);
  const { pages, waits } = await measurePages(databases, processes, bench, size.logged, say);
  const wait = quantilesOf(waits);
  const results = {
    contracts: size.contracts,
    importCostRatio: median(importRatios),
    importRatios,
    logged: size.logged,
    pages,
    readers: READERS,
    waitingP50Ms: wait(0.5),
    waitingP99Ms: wait(0.99),
  };
  say(
    `${READERS} waiting readers: p50 ${results.waitingP50Ms.toFixed(0)} ms, p99 ${results.waitingP99Ms.toFixed(0)} ms`,
  );
  return results;
}
