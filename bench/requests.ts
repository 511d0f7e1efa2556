/** Measures what the log of requests costs a request, and its size and speed at its limit. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { FastifyRequest } from 'fastify';
import pg from 'pg';
import { childrenOf } from '../server/faults/processes.ts';
import { type OpenDatabase, openDatabase } from '../server/src/platform/db/database.ts';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { newId } from '../server/src/platform/db/new-id.ts';
import { OwnerRequestLog } from '../server/src/requests/log.ts';
import {
  deleteOldRequests,
  findRequest,
  listRequests,
  type RequestFilter,
} from '../server/src/requests/store.ts';
import { cpuSeconds } from './cpu.ts';
import { count, digits, median, type Row, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import type { Generator } from './servers.ts';
import { SCENARIOS } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

/** A page costs at most 3 % more. */
const MOST_COST = 1.03;
const CONNECTIONS = 8;
const SIZE = { contracts: 210, days: 50 };
/** Longer than the log waits until it writes, so that a round contains the writes of its own requests. */
const WRITTEN_AFTER_MS = 6_000;
/** Long, so that what the servers do without requests hardly counts. */
const ROUND_MS = 4_000;
const MOST_BYTES = 100;

export async function* measureRequestLog(run: Run): AsyncGenerator<Row> {
  yield* measureSize(await run.databases.create('requests'), run.sizes.loggedRequests);
  yield* measureCost(run);
}

/**
 * Both servers are loaded at the same time, each on a database of its own: the difference is smaller than that between
 * two moments of a busy machine. The order of the two alternates.
 */
async function* measureCost({
  databases,
  processes,
  generator,
  postmaster,
  sizes,
}: Run): AsyncGenerator<Row> {
  const start = async (name: string, load: Generator, settings: Record<string, string>) => {
    const world = await createWorld(await databases.create(name), SIZE);
    await loadVolumes(world);
    const server = await processes.product(`product, ${name}`, world.url, settings);
    return { name, world, server, load };
  };
  const logged = await start('logged', generator, {});
  const silent = await start('silent', processes.generator(), { REQUEST_LOG_DAYS: '0' });
  for (const scenario of ['contract’s transactions', 'day’s transactions']) {
    const round = async ({ name, world, server, load }: typeof logged) => {
      const cpu = () => cpuSeconds(server.pid) + backendCpuSeconds(postmaster, `bench_${name}`);
      const before = cpu();
      const targets = SCENARIOS[scenario]!(world);
      const job = { port: server.port, targets, connections: CONNECTIONS, milliseconds: ROUND_MS };
      const { requests } = await load.load(job);
      await delay(WRITTEN_AFTER_MS);
      return ((cpu() - before) * 1e6) / requests;
    };
    const costs: (readonly [logged: number, silent: number])[] = [];
    const { rounds, warmUps } = sizes.plan;
    for (let at = 0; at < warmUps + 3 * rounds; at++) {
      const [first, second] = at % 2 === 0 ? [logged, silent] : [silent, logged];
      const both = await Promise.all([round(first), round(second)]);
      if (at >= warmUps) costs.push(at % 2 === 0 ? both : [both[1], both[0]]);
    }
    const ratio = median(costs.map(([own, other]) => own / other));
    const [own, other] = [median(costs.map(([of]) => of)), median(costs.map(([, of]) => of))];
    const text = `${count(own)} µs, with REQUEST_LOG_DAYS=0 ${count(other)} µs`;
    yield valueRow(`${scenario}: CPU time with the log`, ratio, digits(3, '×'), { atMost: MOST_COST }, text);
  }
  for (const { server } of [logged, silent]) await processes.end(server);
}

/** CPU seconds of the connections to a database. They stay open during a round. */
const backendCpuSeconds = (postmaster: number, database: string): number =>
  childrenOf(postmaster)
    .filter((pid) => nameOf(pid).includes(` ${database} `))
    .reduce((sum, pid) => sum + cpuSeconds(pid), 0);

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // The process has exited since it was listed.
    return '';
  }
}

const ROUTES = ['/v1/contracts/:contract_id/transactions', '/v1/nominations', '/v1/customers/:customer_id'];
const routeOf = (at: number) => ROUTES[at % ROUTES.length]!;
const [OWNERS, KEYS] = [20, 60];

/** A write that fails is an error of the benchmark. */
const NO_LOGGER = {} as ConstructorParameters<typeof OwnerRequestLog>[1]['logger'];

/** A request as the server passes it to the log. */
function requestOf(at: number, keys: readonly string[]): FastifyRequest {
  return {
    id: `req_${randomUUID().replaceAll('-', '')}`,
    method: 'GET',
    url:
      routeOf(at).replace(/:\w+/, `con_${keys[at % KEYS]!.slice(4)}`) + '?delivery_date=2026-10-25&limit=100',
    headers: { 'user-agent': 'saldo-sdk/0.1.0' },
    ip: `203.0.113.${at % 200}`,
    problemCode: at % 50 === 0 ? 'contract_not_found' : null,
    principal: { actor: keys[at % KEYS], owner: { type: 'brp', brpNo: 1 + (at % OWNERS) } },
  } as unknown as FastifyRequest;
}

const ANY: RequestFilter = {
  ...{ caller: null, method: null, statusClass: null, route: null, since: null, until: null },
};
const seconds = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

/** The log at its limit, with batches as 2,000 requests a second of 20 owners make them. */
async function* measureSize(url: string, limit: number): AsyncGenerator<Row> {
  await migrate(url, () => {});
  const db = openDatabase(url);
  try {
    const startAt = Date.now();
    let written = 0;
    const now = () => startAt + Math.floor(written / 2);
    const log = new OwnerRequestLog(db, { now, logger: NO_LOGGER, maxWaiting: 20_000 });
    const keys = Array.from({ length: KEYS }, () => encodeId(ID_PREFIX.key, newId()));
    const write = async (until: number) => {
      for (; written < until; written++) {
        log.add(requestOf(written, keys), routeOf(written), written % 50 === 0 ? 404 : 200, 0.002);
        if (written % 10_000 === 9_999) await log.flush();
      }
      await log.flush();
    };
    const took = await seconds(() => write(limit));
    yield valueRow(`${count(limit)} requests logged: a second`, limit / took, count);
    yield* measureReads(db, limit);
    await write(limit * 1.1);
    const removal = await seconds(() => deleteOldRequests(db, 0, limit));
    yield valueRow(`the oldest tenth of them deleted`, removal, digits(2, 's'));
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('vacuum request_batch');
    await client.end();
    await write(limit * 1.2);
    await deleteOldRequests(db, 0, limit);
    const bytes = await sizeOf(url);
    const text = digits(0, 'bytes');
    yield valueRow(`a request of ${count(limit)} after a fifth was replaced`, bytes / limit, text, {
      atMost: MOST_BYTES,
    });
    await log.stop();
  } finally {
    await db.close();
  }
}

async function sizeOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select pg_total_relation_size('request_batch')::float8 as bytes");
  await client.end();
  return rows[0].bytes;
}

/** Of an owner with a twentieth of all requests. */
async function* measureReads(db: OpenDatabase, all: number): AsyncGenerator<Row> {
  const list = (filter: RequestFilter) => listRequests(db, 'brp/1', filter, { after: null, count: 51 });
  const ms = digits(1, 'ms');
  const of = `of ${count(all / OWNERS)} requests of an owner`;
  const [oldest] = await listRequests(db, 'brp/1', { ...ANY, until: Date.now() }, { after: null, count: 1 });
  const reads: Record<string, () => Promise<unknown>> = {
    [`a page ${of}`]: () => list(ANY),
    [`a page with a rare filter ${of}`]: () => list({ ...ANY, statusClass: '4xx' }),
    [`a page without a match ${of}`]: () => list({ ...ANY, caller: 'key_unknown' }),
    [`an unknown id ${of}`]: () => findRequest(db, 'brp/1', 'req_unknown'),
    [`an old id ${of}`]: () => findRequest(db, 'brp/1', oldest?.requestId ?? ''),
  };
  for (const [what, read] of Object.entries(reads)) {
    await read();
    yield valueRow(what, (await seconds(read)) * 1000, ms);
  }
}
